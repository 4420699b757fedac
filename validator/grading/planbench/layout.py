"""Where PlanBench keeps the PDDL of an instance: in its folder of instances, in the prompt, or in the answer file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from validator.errors import InputError
from validator.records import dataclass

__all__ = ["Layout", "model_of_prompt", "model_of_value"]

_BASIC = {
    "blocksworld": "blocksworld/generated_basic",
    "blocksworld_3": "blocksworld/generated_basic_3",
    "blocksworld_hard": "blocksworld_hard/generated",
    "mystery_blocksworld": "blocksworld/mystery/generated_basic",
    "mystery_blocksworld_3": "blocksworld/mystery/generated_basic_3",
}
_DOMAINS = {
    "blocksworld_3": "blocksworld/generated_domain.pddl",
    "mystery_blocksworld": "blocksworld/mystery/generated_domain.pddl",
    "mystery_blocksworld_3": "blocksworld/mystery/generated_domain.pddl",
}
_KEY = re.compile(r"^(\w+):[ \t]*(\S.*?)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """``instances`` is PlanBench's folder of that name, ``configs`` that of its YAML files; each may be unknown.

    ``templates`` is a file that says how a domain is put into words, or a folder of such files, ``DOMAIN.yaml``;
    without it the files of ``configs`` say so too.
    """

    instances: Path | None = None
    configs: Path | None = None
    templates: Path | None = None

    def templates_of(self, domain: str) -> str:
        """Return the path of the file with a domain's templates; empty where there is none."""
        given = self.templates or self.configs
        path = given if given is None or given.is_file() else given / f"{domain}.yaml"
        return str(path.absolute()) if path is not None and path.is_file() else ""

    def model(self, domain: str, instance: object, task: str) -> tuple[str, str]:
        """Return the paths of the PDDL domain and problem. Raises InputError when they are not there."""
        if self.instances is None:
            raise InputError("the PDDL is not in the answer file: give PlanBench's folder of instances")
        config = self._config(domain)
        folder = config.get("instance_dir", _BASIC.get(domain, f"{domain}/generated_basic"))
        if "plan_generalization" in task:
            folder = config.get("generalized_instance_dir", folder.replace("generated_basic", "generated"))
        name = config.get("instances_template", "instance-{}.pddl").replace("{}", str(instance))
        found = (
            self.instances / config.get("domain_file", _DOMAINS.get(domain, f"{domain}/generated_domain.pddl")),
            self.instances / folder / name,
        )
        for path in found:
            if not path.is_file():
                raise InputError(
                    "no such file, for instance {instance} of {domain}".format_map(locals()), source=str(path)
                )
        return str(found[0].absolute()), str(found[1].absolute())

    def _config(self, domain: str) -> Mapping[str, str]:
        """Return the plain values at the top of a domain's YAML file; empty where there is none."""
        path = None if self.configs is None else self.configs / f"{domain}.yaml"
        if path is None or not path.is_file():
            return {}
        return {key: value.strip("'\"") for key, value in _KEY.findall(path.read_text(encoding="utf-8"))}


def model_of_prompt(prompt: str) -> tuple[str, str] | None:
    """Return the domain and the problem that a prompt shows as PDDL; None for a prompt in words."""
    _, found, rest = prompt.partition("[DOMAIN]")
    _, asked, query = rest.rpartition("[QUERY PROBLEM]")
    domain, problem = _definition(rest), _definition(query)
    return (domain, problem) if found and asked and domain and problem else None


def _definition(text: str) -> str:
    """Return the first ``(define ...)`` of a text up to its own parenthesis: prompts have some more behind it."""
    start = text.find("(define")
    depth, comment = 0, False
    for place in range(max(start, 0), len(text)):
        character = text[place]
        comment = (comment or character == ";") and character != "\n"
        if comment:
            continue
        depth += (character == "(") - (character == ")")
        if depth == 0 and place > start:
            return text[start : place + 1] if start >= 0 else ""
    return ""


def model_of_value(value: Mapping[str, Any]) -> tuple[str, str]:
    """Return the PDDL of a ``new_instance``, the changed model of a replanning task, which is in the answer file only.

    Raises InputError when it is not of PlanBench's form.
    """
    try:
        constants = " ".join(f"{name} - {kind}" for name, kind in value["constants"])
        kinds = sorted({kind for _, kind in value["constants"]} | _kinds(value))
        predicates = " ".join(_typed(name, kinds) for name, kinds in value["pred"])
        actions = "\n".join(_action(name, action) for name, action in value["domain"].items())
        init, goal = value["instance"]["init"]["pred"], value["instance"]["goal"]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"a 'new_instance' of another form: {type(error).__name__}: {error}") from None
    types = " ".join(kind for kind in kinds if kind != "object")
    return (
        f"(define (domain replanning) (:requirements :strips :typing) (:types {types})\n"
        f"(:predicates {predicates})\n{actions})\n",
        f"(define (problem replanning) (:domain replanning) (:objects {constants})\n"
        f"(:init {_atoms(init)})\n(:goal (and {_atoms(goal)})))\n",
    )


def _kinds(value: Mapping[str, Any]) -> set[str]:
    return {kind for _, kinds in value["pred"] for kind in kinds} | {
        kind for action in value["domain"].values() for _, kind in action["params"]
    }


def _typed(name: str, kinds: list[str]) -> str:
    return f"({' '.join([name, *(f'?x{place} - {kind}' for place, kind in enumerate(kinds))])})"


def _action(name: str, action: Mapping[str, Any]) -> str:
    for key in ("functional", "conditional_adds"):
        if action.get(key):
            raise InputError(f"'{key}' of a 'new_instance' is not read: {json.dumps(action[key])[:60]}")
    parameters = " ".join(f"?{word.lstrip('?')} - {kind}" for word, kind in action["params"])
    deletes = " ".join(f"(not {_atom(atom)})" for atom in action.get("dels", ()))
    return (
        f"(:action {name} :parameters ({parameters}) :precondition (and {_atoms(action['pos_prec'])})"
        f" :effect (and {_atoms(action.get('adds', ()))} {deletes}))"
    )


def _atoms(atoms: Any) -> str:
    return " ".join(map(_atom, atoms))


def _atom(atom: Any) -> str:
    name, args = atom
    return f"({' '.join([name, *args])})"
