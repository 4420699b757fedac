"""An environment for Prime Intellect's ``verifiers`` (0.4): planning problems, scored by ``validator.reward``.

    PYTHONPATH=docs/examples vf-eval planning_env --model MODEL --env.agent.runtime.type subprocess

``--env.taskset.held-out`` asks problems of domains and seeds that are kept from training. A model is asked once, by a
harness of this file, which needs neither a container nor other packages.
"""

import asyncio
from functools import cache
from itertools import chain, islice, repeat

import httpx
import verifiers.v1 as vf
from plan_problems import HELD_OUT, HELD_OUT_SEEDS, TRAINING, problems

from validator.reward import ScorePool

PROMPT = """Solve this planning problem.

{domain}
{problem}
Answer with the plan alone, one step a line: (action argument ...). If there is no plan, say so.
"""


@cache
def pool() -> ScorePool:
    """Return a process that scores, whose time limit holds for calls from any thread."""
    return ScorePool(1, steps=False)


class PlanningData(vf.TaskData):
    domain: str
    problem: str


class PlanningTask(vf.Task[PlanningData]):
    @vf.reward
    async def plan_reward(self, trace: vf.Trace) -> float:
        return (await self._scored(trace)).value

    @vf.metric
    async def valid(self, trace: vf.Trace) -> float:
        return float((await self._scored(trace)).valid is True)

    @vf.metric
    async def changed_lines(self, trace: vf.Trace) -> float:
        found = (await self._scored(trace)).distance
        return -1.0 if found is None else float(found)

    async def _scored(self, trace: vf.Trace):
        model = self.data.domain, self.data.problem
        (found,) = await asyncio.to_thread(pool().score, model, [trace.last_reply])
        return found


class PlanningConfig(vf.TasksetConfig):
    difficulty: int = 6
    """blocks, places or rooms of a problem"""
    count: int = 20
    held_out: bool = False


class PlanningTaskset(vf.Taskset[PlanningTask, PlanningConfig]):
    def load(self) -> list[PlanningTask]:
        wanted = self.config
        domains, seeds = (HELD_OUT, HELD_OUT_SEEDS) if wanted.held_out else (TRAINING, range(10**6))
        each = [problems(domain, wanted.difficulty, seeds) for domain in domains]
        found = islice(chain.from_iterable(zip(*each, strict=True)), wanted.count)
        return [
            PlanningTask(
                PlanningData(
                    name=one.name,
                    prompt=PROMPT.format(domain=one.domain, problem=one.problem),
                    domain=one.domain,
                    problem=one.problem,
                ),
                task,
            )
            for one, task in zip(found, repeat(wanted.task))
        ]


class OneAnswer(vf.Harness[vf.HarnessConfig]):
    """Asks the model once."""

    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data, **_) -> vf.ProgramResult:
        asked = {"model": ctx.model, "messages": [{"role": "user", "content": data.prompt}]}
        headers = {"Authorization": f"Bearer {secret}"}
        async with httpx.AsyncClient(timeout=None) as client:
            answer = await client.post(f"{endpoint}/chat/completions", json=asked, headers=headers)
        return vf.ProgramResult(
            exit_code=int(answer.is_error), stdout="", stderr=answer.text if answer.is_error else ""
        )


__all__ = ["OneAnswer", "PlanningTaskset"]
