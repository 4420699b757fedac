"""Certificates: those of what is proven are accepted, and none is that claims what brute force shows to be false."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from random import Random
from typing import Any

from tests.support.edit_oracle import Oracle, State
from tests.support.laws import Case, case_of, law, mutated_model, readable, text_of
from tests.support.naive_reference import shown
from tests.support.random_worlds import Texts
from validator import Report, check
from validator.certificates import plan_certify
from validator.certificates.certificate import _closed

MUTATIONS = 20
"""of each certificate"""


def accepted(texts: Texts, plan: Sequence[str], certificate: Any) -> str | None:
    """Return what the checker says of a certificate that it accepts; the digests are those of the texts."""
    told = (*texts, text_of(plan))
    digests = [sha256(text.strip().encode()).hexdigest() for text in told]
    try:
        return plan_certify.certified(*told, json.dumps({**certificate, "digests": digests}))
    except Exception:
        return None


def is_true(said: str, oracle: Oracle, plan: Sequence[str]) -> bool:
    """Return whether what the checker prints is true, by Dijkstra over states and places."""
    if found := re.fullmatch(r"certified: no (sound|valid) plan within (-?\d+) changed lines", said):
        least = oracle.nearest(plan, found[1], "edits", 1)
        return least is None or least[0] > int(found[2])
    least = oracle.nearest((), "optimal", "edits", 1)
    if found := re.fullmatch(r"certified: no valid plan costs less than (-?\d+)", said):
        return least is None or least[0] >= int(found[1])
    assert said == "certified: no plan is valid"
    return least is None


def certificates(case: Case, plan: Sequence[str]) -> Iterator[Report]:
    """Yield reports with a certificate, of each claim where it is proven."""
    for quality in ("sound", "valid", "optimal"):
        report = check(*case.texts, text_of(plan), quality=quality, time_limit=60, certify=True)
        if report.certificate is not None:
            yield report


def with_its_states(texts: Texts, plan: Sequence[str], certificate: dict[str, Any]) -> dict[str, Any]:
    """Return a certificate with the states that its other parts leave over, where they can be read."""
    try:
        problem = plan_certify.Problem(plan_certify.Model(*texts), plan_certify.steps_of(text_of(plan)), certificate)
        problem.check_weights()
        return {**certificate, "states": _closed(problem, lambda: False)}
    except Exception:
        return certificate


@law(4)
def test_what_is_proven_has_a_certificate_and_what_claims_more_has_none(seed: int) -> None:
    case = case_of(seed, "psw")
    plan = case.walk(5)
    for report in certificates(case, plan):
        found = report.certificate
        assert found is not None
        said = accepted(case.texts, plan, found)
        assert said is not None and is_true(said, case.oracle, plan), (case.texts, plan, found, said)
        if found["claim"] == "unsolvable":
            continue
        more = {**found, "bound": found["bound"] + 1}
        assert accepted(case.texts, plan, more) is None, (case.texts, plan, more)
        raised = [[[n, [w + 1 for w in row]] for n, row in runs] for runs in found["weights"]]
        for weights in (found["weights"], raised, [*raised[:1], *found["weights"][1:]]):
            other = with_its_states(case.texts, plan, {**more, "weights": weights})
            assert accepted(case.texts, plan, other) is None, (case.texts, plan, other)


@law(4)
def test_no_mutated_certificate_is_accepted_for_what_is_false(seed: int) -> None:
    case = case_of(seed, "psw")
    plan = case.walk(5)
    for report in certificates(case, plan):
        assert report.certificate is not None
        attacked(case, plan, report.certificate)


@law(4)
def test_no_certificate_that_is_made_up_is_accepted_for_what_is_false(seed: int) -> None:
    """With conditional effects too; groups and variables are made of what holds in states that can be reached."""
    case = case_of(seed, "psw")
    plan, draw = case.walk(4), case.draw
    atoms = sorted({atom for state in case.states for atom in state})
    for _ in range(MUTATIONS // 4):
        claim, quality = draw.choice((("nearest", "sound"), ("nearest", "valid"), ("optimal", "optimal")))
        groups = [group for group in (some_group(atoms, case.states, draw) for _ in range(3)) if group]
        owned, variables = set[Any](), []
        for atoms_of in (*groups, *([atom] for atom in atoms if draw.random() < 0.9)):
            if left := [atom for atom in atoms_of if atom not in owned and draw.random() < 0.95]:
                variables.append([shown(atom) for atom in left])
                owned |= set(left)
        places = 1 + sum(line in case.known() for line in plan) if claim == "nearest" else 1
        found = {
            "claim": "unsolvable" if draw.random() < 0.2 else claim,
            "quality": quality,
            "bound": draw.randint(0, 4),
            "atoms": [shown(atom) for atom in atoms],
            "groups": [[shown(atom) for atom in group] for group in groups],
            "variables": variables,
            "weights": [[[places, [0] * (len(each) + 1)]] for each in variables],
            "states": [],
        }
        found = with_its_states(case.texts, plan, found)
        said = accepted(case.texts, plan, found)
        assert said is None or is_true(said, case.oracle, plan), (case.texts, plan, found, said)
        attacked(case, plan, found)


def some_group(atoms: Sequence[Any], states: Sequence[State], draw: Random) -> list[Any]:
    """Return some atoms of which mostly no two hold in one state."""
    group = list[Any]()
    for atom in draw.sample(list(atoms), len(atoms)):
        if draw.random() < 0.05 or not any(atom in state and not state.isdisjoint(group) for state in states):
            group.append(atom)
    return group


# --- mutations -------------------------------------------------------------------------------------


def attacked(case: Case, plan: Sequence[str], certificate: dict[str, Any]) -> None:
    """Mutate a certificate, its plan or its model, and assert that nothing false is accepted."""
    draw = case.draw
    for _ in range(MUTATIONS):
        texts, lines, found = case.texts, list(plan), json.loads(json.dumps(certificate))
        for _ in range(draw.choice((1, 1, 2, 3))):
            kind = draw.random()
            if kind < 0.15:
                lines = mutated_plan(lines, case.known(), draw)
            elif kind < 0.3:
                texts = mutated_model(texts, draw)
            else:
                draw.choice(KINDS)(found, draw)
        if draw.random() < 0.6:
            found = with_its_states(texts, lines, found)
        said = accepted(texts, lines, found)
        if said is not None:
            oracle = case.oracle if texts == case.texts else readable(texts)
            assert oracle is None or is_true(said, oracle, lines), (texts, lines, found, said)


def mutated_plan(lines: Sequence[str], known: Sequence[str], draw: Random) -> list[str]:
    place = draw.randint(0, len(lines))
    return [*lines[:place], *draw.choices(known, k=draw.randint(0, 1)), *lines[place + draw.randint(0, 1) :]]


def mutate_weights(found: dict[str, Any], draw: Random) -> None:
    runs = [run for runs in found["weights"] for run in runs]
    if not runs:
        return
    run = draw.choice(runs)
    match draw.randrange(4):
        case 0:
            run[1][draw.randrange(len(run[1]))] += draw.choice((-2, -1, 1, 1, 2))
        case 1:
            run[1] = [weight + draw.choice((-1, 1, 1)) for weight in run[1]]
        case 2:
            run[0] = max(0, run[0] + draw.choice((-1, 1)))
        case _:
            one, other = draw.choice(found["weights"]), draw.choice(found["weights"])
            one[:], other[:] = other[:], one[:]


def mutate_states(found: dict[str, Any], draw: Random) -> None:
    states = found["states"] or []
    if not states:
        return
    place = draw.randrange(len(states))
    match draw.randrange(6):
        case 0:
            del states[place]
        case 1:
            del states[place:]
        case 2:
            states[place] = [states[place][0] + draw.choice((-1, 1)), *states[place][1:]]
        case 3:
            states[place] = [*states[place][:1], draw.choice((0, 1, 2, 3)), *states[place][2:]]
        case 4:
            states[place] = [*states[place][:2], states[place][2] + draw.choice((-1, 1, 2)), states[place][3]]
        case _ if states[place][3]:
            values = list(states[place][3])
            values[draw.randrange(len(values))] += draw.choice((-1, 1))
            states[place] = [*states[place][:3], values]


def mutate_groups(found: dict[str, Any], draw: Random) -> None:
    groups = found["groups"]
    match draw.randrange(4):
        case 0:
            groups.append(draw.sample(found["atoms"], min(len(found["atoms"]), draw.randint(2, 4))))
        case 1 if groups and found["atoms"]:
            draw.choice(groups).append(draw.choice(found["atoms"]))
        case 2 if groups:
            group = draw.choice(groups)
            del group[: draw.randint(0, len(group))]
        case _ if groups:
            groups[0] = groups[0] + groups[-1]


def mutate_atoms(found: dict[str, Any], draw: Random) -> None:
    if not found["atoms"]:
        return
    gone = draw.choice(found["atoms"])
    found["atoms"].remove(gone)
    if draw.random() < 0.5:
        for atoms in (*found["groups"], *found["variables"]):
            if gone in atoms:
                atoms.remove(gone)


def mutate_variables(found: dict[str, Any], draw: Random) -> None:
    variables, weights = found["variables"], found["weights"]
    if not variables:
        return
    place, other = draw.randrange(len(variables)), draw.randrange(len(variables))
    match draw.randrange(5):
        case 0:
            del variables[place], weights[place]
        case 1 if place != other:  # one variable of two, perhaps of one group
            variables[place] += variables[other]
            found["groups"] += [list(variables[place])] * draw.randint(0, 1)
            weights[place] = [[n, [*row[:-1], *row[-1:] * len(variables[other]), row[-1]]] for n, row in weights[place]]
            del variables[other], weights[other]
        case 2:
            draw.shuffle(variables[place])
        case 3:
            variables[place].append(variables[other][0] if variables[other] else "(none)")
        case _ if variables[place]:
            variables[place].pop()


def mutate_claim(found: dict[str, Any], draw: Random) -> None:
    match draw.randrange(4):
        case 0 | 1:
            found["bound"] += draw.choice((-1, 1, 1, 2))
        case 2:
            found["claim"] = draw.choice(("nearest", "optimal", "unsolvable", "unsolvable", "nothing"))
        case _:
            found["quality"] = draw.choice(("sound", "valid", "optimal", None))


KINDS: Sequence[Callable[[dict[str, Any], Random], None]] = (
    mutate_weights,
    mutate_weights,
    mutate_states,
    mutate_groups,
    mutate_atoms,
    mutate_variables,
    mutate_claim,
    mutate_claim,
)
