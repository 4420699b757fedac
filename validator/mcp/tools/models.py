"""Models: those that come with the package, and the repair of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from validator.mcp.shapes import Models, ProblemText, Protected, RepairedDomain, Seconds
from validator.questions.job import Bounds, plan_text
from validator.texts import no_path

__all__ = ["list_models", "repair_domain"]


def list_models(
    bounds: Bounds, name: Annotated[str | None, "return the domain, problem and plans of this one"] = None
) -> Models:
    """List the models that come with the server: small planning domains to try the other tools on."""
    from validator.model.bundled import bundle, bundles

    if name is None:
        models = [{"name": model.name, "about": model.about} for model in bundles()]
        return {"feedback": "".join(f"{model['name']}: {model['about']}\n" for model in models), "models": models}
    found = bundle(name)
    texts = {path.stem: path.read_text(encoding="utf-8") for path in (found.domain, found.problem)}
    plans = {path.name: path.read_text(encoding="utf-8") for path in found.plans}
    feedback = "\n".join((*texts.values(), *(f"{plan}:\n{text}" for plan, text in plans.items())))
    return {"feedback": feedback, "models": [{"name": found.name, "about": found.about, **texts, "plans": plans}]}


def repair_domain(
    bounds: Bounds,
    domain: Annotated[str, "PDDL domain, as text, which is to be repaired"],
    problem: ProblemText,
    plans: Annotated[list[str | list[Any]], "plans that must be valid, each in any notation or a list of steps"],
    must_fail: Annotated[list[str | list[Any]] | None, "plans that must not be valid"] = None,
    protect: Protected = None,
    facts: Annotated[bool, "initial facts of the problem may be edited too"] = False,
    time_limit: Seconds = None,
) -> RepairedDomain:
    """Find the fewest edits of a PDDL domain after which plans are valid, and others are not, also as a diff."""
    from validator.model_repair.cases import Given
    from validator.model_repair.present import repair_text, repair_value
    from validator.model_repair.repair import repair_model

    given = Given(problem=no_path(problem), plans=_plans(plans), must_fail=_plans(must_fail or ()))
    found = repair_model(
        no_path(domain), cases=[given], protect=protect or (), facts=facts, time_limit=bounds.seconds(time_limit)
    )
    return {"feedback": repair_text(found), **repair_value(found)}  # type: ignore[typeddict-item]


def _plans(plans: Sequence[str | Sequence[Any]]) -> list[str]:
    return [no_path(plan_text(plan)) for plan in plans]
