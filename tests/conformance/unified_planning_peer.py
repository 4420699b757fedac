"""Answer a case by unified-planning, as a program of its own: ``unified_planning_peer.py DOMAIN PROBLEM PLAN``.

Prints ``{"verdict": ..., "text": ...}``. The validator is named by its class: choosing one by the kind of a problem
may find another that is installed. What unified-planning itself says that it does not support is refused; any other
exception is a crash.
"""

from __future__ import annotations

import json
import sys

__all__ = ["verdict"]


def verdict(domain: str, problem: str, plan: str) -> tuple[str, str]:
    """Return what unified-planning says, and in which words."""
    from pyparsing import ParseBaseException
    from unified_planning.exceptions import UPException

    try:
        return _validate(domain, problem, plan)
    except (UPException, ParseBaseException, SyntaxError, NotImplementedError) as error:
        return "refused", f"{type(error).__name__}: {error}"
    except Exception as error:
        return "crashed", f"{type(error).__name__}: {error}"


def _validate(domain: str, problem: str, plan: str) -> tuple[str, str]:
    from unified_planning.engines import SequentialPlanValidator
    from unified_planning.engines.plan_validator import TimeTriggeredPlanValidator
    from unified_planning.engines.results import ValidationResultStatus
    from unified_planning.environment import get_environment
    from unified_planning.io import PDDLReader
    from unified_planning.model.problem_kind import FEATURES
    from unified_planning.plans import TimeTriggeredPlan

    environment = get_environment()  # its validators fail in another
    before = environment.error_used_name
    environment.error_used_name = False  # an action and a predicate may have one name
    try:
        reader = PDDLReader(environment)
        model = reader.parse_problem(domain, problem)
        steps = reader.parse_plan(model, plan)
        timed = isinstance(steps, TimeTriggeredPlan)
        with TimeTriggeredPlanValidator() if timed else SequentialPlanValidator() as validator:
            metrics = {*FEATURES["QUALITY_METRICS"], *FEATURES["ACTIONS_COST_KIND"], "UNDEFINED_INITIAL_NUMERIC"}
            if beyond := model.kind.features - validator.supported_kind().features - metrics:
                return "refused", f"not supported: {', '.join(sorted(beyond))}"
            validator.skip_checks = True  # metrics change no verdict, and it raises where it reads no value
            result = validator.validate(model, steps)
    finally:
        environment.error_used_name = before
    found = {ValidationResultStatus.VALID: "valid", ValidationResultStatus.INVALID: "invalid"}
    return found.get(result.status, "refused"), str(result.reason or "")


if __name__ == "__main__":
    said, text = verdict(*sys.argv[1:])
    print(json.dumps({"verdict": said, "text": text.partition("\n")[0]}))
