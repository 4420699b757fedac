// node BUNDLE < CASES > RESULTS: runs each case through the extension's own code, as the editor does.
import { parser } from 'pddl-workspace';
import { URI } from 'vscode-uri';
import { PlanValidatorExecutable } from 'extension/diagnostics/PlanValidatorExecutable';
import { ValidatorExecutable } from 'extension/diagnostics/ValidatorExecutable';

const uri = (name: string) => URI.file(require('path').join(require('os').tmpdir(), name));

function model(given: any) {
    const domain = parser.PddlDomainParser.parseText(given.domain, uri('domain.pddl'));
    return parser.PddlProblemParser.parseText(given.problem, uri('problem.pddl')).then(problem => ({ domain: domain!, problem }));
}

async function plan(given: any) {
    const { domain, problem } = await model(given);
    const info = new parser.PddlPlanParser().parseText(given.plan, given.epsilon, uri('plan.plan'));
    const validator = new PlanValidatorExecutable(given.path, () => undefined);
    const outcome = await validator.validate(domain, problem, info, { epsilon: given.epsilon });
    return { error: outcome.getError() ?? null, diagnostics: [...outcome.getDiagnostics().values()][0] };
}

async function models(given: any) {
    const { domain, problem } = await model(given);
    const validator = new ValidatorExecutable(given.path, given.syntax, '');
    return new Promise(resolve => validator.validate(domain, [problem],
        (found: Map<string, unknown[]>) => resolve(Object.fromEntries(found)), (error: string) => resolve({ error })));
}

async function main() {
    console.log = console.warn = () => undefined;
    const cases = JSON.parse(require('fs').readFileSync(0, 'utf8'));
    const results = [];
    for (const given of cases) {
        const run = given.syntax === undefined ? plan : models;
        results.push(await run(given).catch(error => ({ thrown: String(error) })));
    }
    process.stdout.write(JSON.stringify(results));
}
main();
