"""Batches of plans of models that differ in one small thing, by several processes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from tests.support.edit_oracle import Oracle
from tests.support.laws import Case, case_of, command, law, text_of
from tests.support.naive_reference import parse, shown
from tests.support.random_worlds import Texts, states_of
from validator import ModelError
from validator.checking.prepared import prepare
from validator.model.pddl import read_model

Tree: TypeAlias = list[Any]


def alike(seed: int) -> list[Case]:
    """Return a model and others that differ from it a little, those of them that can be read and have few states."""
    case = case_of(seed, "sw")
    found = [case]
    for texts in [unlike(case.texts, case.draw) for _ in range(3)]:
        oracle = Oracle(*texts)
        with suppress(ModelError):  # a name too many, or a type that has none of what is named
            prepare(read_model(*texts))
            if (states := states_of(oracle, 300)) is not None and oracle.steps:
                found.append(Case(texts, oracle, states, case.draw))
    return found


@law(1)
def test_each_plan_of_a_batch_has_the_result_that_it_has_alone(seed: int) -> None:
    models = alike(seed)
    draw = models[0].draw
    asked = [(draw.choice(models), draw.choice(models).walk(3, (0, 1), 1.0)) for _ in range(8)]
    quality = draw.choice(("sound", "valid"))
    with TemporaryDirectory() as name:
        folder = Path(name)
        records = [
            {"id": number, "domain": case.texts[0], "problem": case.texts[1], "plan": text_of(plan)}
            for number, (case, plan) in enumerate(asked)
        ]
        (folder / "records.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
        words = ["--quality", quality, "--workers", draw.choice((1, 2, 3)), "--nearest", "edits"]
        command("batch", folder / "records.jsonl", "-o", folder / "results.jsonl", *words)
        results = {
            each["id"]: each["report"] for each in map(json.loads, (folder / "results.jsonl").read_text().splitlines())
        }
    assert sorted(results) == list(range(8))
    for number, (case, plan) in enumerate(asked):
        report, nearest = results[number], case.oracle.nearest(plan, quality, "edits", 1)
        changes = sum(diff["diff_type"] in ("+", "-") for diff in report["plan_diff_obj"])
        told = (case.texts, plan, quality, report, nearest)
        assert report["determination"] is (nearest is not None and nearest[0] == 0), told
        if report["determination"]:
            continue
        if report["repaired_plan"] is None:
            assert nearest is None or not report["proven"], told
        else:
            assert nearest is not None and changes >= nearest[0], told
            assert changes == nearest[0] or not report["proven"], told


# --- what is almost the same model -----------------------------------------------------------------


def unlike(texts: Texts, draw: Random) -> Texts:
    """Return a model that differs in one thing, or in what one thing is called."""
    domain, problem = parse(texts[0]), parse(texts[1])
    change = draw.choice(("price", "fact", "name", "type", "literal", "order", "metric", "goal", "begin"))
    both = [domain, problem]
    (begin,) = sections(both, ":init")
    match change:
        case "price":
            found = [each for each in trees(both) if each[:1] in (["increase"], ["="]) and is_number(each[-1])]
            if found:
                draw.choice(found)[-1] = draw.choice(("0", "1", "2", "0.5", "7"))
        case "fact":
            facts = [place for place, fact in enumerate(begin) if isinstance(fact, list) and fact[0] != "="]
            if facts:
                del begin[draw.choice(facts)]
        case "name":
            names = [part[1] for part in sections(both, ":action")]
            names += [fact[0] for part in sections(both, ":predicates") for fact in part[1:]]
            kinds = sections(both, ":objects", ":constants", ":types")
            names += [w for part in kinds for w in part[1:] if isinstance(w, str) and w not in ("-", "object")]
            old = draw.choice(names)
            for tree in trees(both):
                tree[:] = [f"{word}x" if word == old else word for word in tree]
        case "type":
            types = {word for part in sections(both, ":types") for word in part[1:] if isinstance(word, str)}
            declared = [tree for part in sections(both, ":objects", ":constants", ":action") for tree in trees(part)]
            places = [(tree, at + 1) for tree in declared for at, sign in enumerate(tree[:-1]) if sign == "-"]
            if places:
                tree, place = draw.choice(places)
                tree[place] = draw.choice(sorted({*types - {"-"}, "object"}))
        case "literal":
            named = {fact[0] for part in sections(both, ":predicates") for fact in part[1:]}
            inside = [tree for part in sections(both, ":action", ":derived") for tree in trees(part[2:])]
            literals = [
                each for tree in inside for each in tree if isinstance(each, list) and each[:1] and each[0] in named
            ]
            if literals:
                literal = draw.choice(literals)
                literal[:] = ["not", [*literal]]
        case "order":
            places = [place for place, part in enumerate(domain) if part[0] == ":action"]
            if len(places) > 1:
                one, other = draw.sample(places, 2)
                domain[one], domain[other] = domain[other], domain[one]
        case "metric":
            if metrics := sections(both, ":metric"):
                problem.remove(metrics[0])
            else:
                problem.append([":metric", "minimize", ["total-cost"]])
        case "goal":
            (goal,) = sections(both, ":goal")
            goal[1] = ["not", goal[1]]
        case "begin":
            rest = [fact for fact in begin if fact[:2] != ["=", ["total-cost"]]]
            begin[:] = [*rest, ["=", ["total-cost"], "3.5"]]
    return shown(domain), shown(problem)


def trees(tree: Any) -> Iterator[Tree]:
    """Yield every list in a tree."""
    if isinstance(tree, list):
        yield tree
        for part in tree:
            yield from trees(part)


def sections(both: list[Tree], *names: str) -> list[Tree]:
    return [part for tree in both for part in tree if part[0] in names]


def is_number(word: object) -> bool:
    return isinstance(word, str) and word[:1].isdigit()
