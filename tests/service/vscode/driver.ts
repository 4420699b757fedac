// node BUNDLE < CASES > RESULTS: runs each case through the extension's own code, as the editor does.
import { parser } from 'pddl-workspace';
import { URI } from 'vscode-uri';
import { PlanValidatorService } from 'extension/diagnostics/PlanValidatorService';
import { PlanValidatorExecutable } from 'extension/diagnostics/PlanValidatorExecutable';
import { ValidatorService } from 'extension/diagnostics/ValidatorService';
import { ValidatorExecutable } from 'extension/diagnostics/ValidatorExecutable';
import { PlannerSyncService } from 'client/PlannerSyncService';

const uri = (name: string) => URI.file(require('path').join(require('os').tmpdir(), name));

async function model(given: any) {
    const domain = parser.PddlDomainParser.parseText(given.domain, uri('domain.pddl'));
    const texts = given.problems ?? [given.problem];
    const problems = await Promise.all(texts.map((text: string, n: number) => parser.PddlProblemParser.parseText(text, uri(`problem${n}.pddl`))));
    return { domain: domain!, problems: problems as any[] };
}

async function plan(given: any, validator: any) {
    const { domain, problems } = await model(given);
    const info = new parser.PddlPlanParser().parseText(given.plan, given.epsilon, uri('plan.plan'));
    const outcome = await validator.validate(domain, problems[0], info, { epsilon: given.epsilon });
    return { error: outcome.getError() ?? null, diagnostics: [...outcome.getDiagnostics().values()][0] };
}

async function models(given: any, validator: any) {
    const { domain, problems } = await model(given);
    return new Promise(resolve => validator.validate(domain, problems,
        (found: Map<string, unknown[]>) => resolve(Object.fromEntries(found)), (error: string) => resolve({ error })));
}

async function solve(given: any, planner: any) {
    const { domain, problems } = await model(given);
    const said: string[] = [];
    const read = new parser.PddlPlannerOutputParser(domain, problems[0], { epsilon: given.epsilon ?? 0.001 });
    const handler = { handleOutput: (text: string) => said.push(text), handlePlan: () => undefined, providePlannerOptions: () => [] };
    const plans = await planner.plan(domain, problems[0], read, handler);
    return { plans: plans.map((found: any) => found.steps.map((step: any) => step.fullActionName)), said: said.join('') };
}

const kinds: { [kind: string]: (given: any) => Promise<unknown> } = {
    'plan-service': given => plan(given, new PlanValidatorService(URI.parse(given.path) as any, () => undefined)),
    'plan-executable': given => plan(given, new PlanValidatorExecutable(given.path, () => undefined)),
    'parser-service': given => models(given, new ValidatorService(given.path, false, null as any)),
    'parser-executable': given => models(given, new ValidatorExecutable(given.path, given.syntax, '')),
    'solve': given => solve(given, new PlannerSyncService(given.path, {} as any, {} as any)),
};

async function main() {
    console.log = console.warn = () => undefined;
    const cases = JSON.parse(require('fs').readFileSync(0, 'utf8'));
    const results = [];
    for (const given of cases) {
        results.push(await kinds[given.kind](given).catch(error => ({ thrown: String(error) })));
    }
    process.stdout.write(JSON.stringify(results));
}
main();
