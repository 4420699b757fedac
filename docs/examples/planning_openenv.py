"""An OpenEnv environment (openenv-core 0.3): ``reset`` gives a problem, ``step`` takes a plan and ends with its reward.

PYTHONPATH=docs/examples uvicorn planning_openenv:app
"""

from functools import cache
from uuid import uuid4

from openenv.core.env_server import Action, Environment, Observation, State, create_fastapi_app
from plan_problems import TRAINING, problems

from validator.reward import ScorePool


@cache
def pool() -> ScorePool:
    """Return a process that scores, whose time limit holds for calls from any thread."""
    return ScorePool(1, steps=False)


class PlanAction(Action):
    plan: str


class PlanObservation(Observation):
    domain: str
    problem: str


class PlanningEnvironment(Environment[PlanAction, PlanObservation, State]):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed=None, episode_id=None, *, domain=TRAINING[0], difficulty=6, **_) -> PlanObservation:
        (self._problem,) = problems(domain, difficulty, [seed or 0])
        self._state = State(episode_id=episode_id or str(uuid4()), step_count=0)
        return self._seen(done=False, reward=None)

    def step(self, action: PlanAction, timeout_s=None, **_) -> PlanObservation:
        (found,) = pool().score((self._problem.domain, self._problem.problem), [action.plan])
        self._state.step_count += 1
        return self._seen(done=True, reward=found.value, metadata={"valid": found.valid, "distance": found.distance})

    @property
    def state(self) -> State:
        return self._state

    def _seen(self, **said) -> PlanObservation:
        return PlanObservation(domain=self._problem.domain, problem=self._problem.problem, **said)


app = create_fastapi_app(PlanningEnvironment, PlanAction, PlanObservation)
