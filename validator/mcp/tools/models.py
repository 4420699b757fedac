"""Models: those that come with the package, and the repair of one."""

from __future__ import annotations

from typing import Annotated

from validator.mcp.shapes import Models, RepairedDomain
from validator.mcp.tools.declared import tool_of
from validator.questions.job import Bounds
from validator.questions.model_repair import ModelRepair, repair_model

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


repair_domain = tool_of(
    ModelRepair,
    repair_model,
    RepairedDomain,
    "Find the fewest edits of a PDDL domain after which plans are valid, and others are not, also as a diff.",
    needed=("plans",),
)
