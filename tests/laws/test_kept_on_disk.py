"""Answers kept on disk: of models that differ in one small thing, in a directory that fails, by several processes."""

from __future__ import annotations

import json
import multiprocessing
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from tests.laws.test_classical import solved
from tests.support.edit_oracle import Oracle
from tests.support.laws import Case, case_of, command, judged, law, scale_of, text_of
from tests.support.naive_reference import parse
from tests.support.random_worlds import Texts, states_of
from validator import ModelError, Quality, check
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


def ask(models: list[Case], cache: Path, draw: Random) -> None:
    """Ask about a model as a process that has just begun, and compare; the plan may be one of a model like it."""
    texts, oracle, *_ = draw.choice(models)
    plan, prepared = draw.choice(models).walk(3, (0, 1), 1.0), prepare(read_model(*texts))
    if draw.random() < 0.3:
        solved(prepared, oracle, cache=cache)
        return
    quality, policy = draw.choice((*Quality, Quality.OPTIMAL)), draw.choice(("edits", "keep"))
    report = check(prepared, None, text_of(plan), quality=quality, policy=policy, cache=cache)
    judged(report, oracle, plan, policy, scale_of(prepared))


@law(2)
def test_no_answer_is_that_of_a_model_like_it_and_no_damage_is_believed(seed: int) -> None:
    models = alike(seed)
    draw = models[0].draw
    with TemporaryDirectory() as name:
        folder, damages = Path(name) / "kept", draw.random() < 0.5
        for _ in range(8):
            ask(models, folder, draw)
            if damages:
                damage(folder, draw)


@law(1)
def test_several_processes_that_share_a_directory_which_another_one_damages_answer_right(seed: int) -> None:
    models, context = alike(seed), multiprocessing.get_context("fork")
    with TemporaryDirectory() as name:
        folder, answers, done = Path(name) / "kept", context.SimpleQueue(), context.Event()

        def answer(number: int) -> None:
            try:
                for _ in range(4):
                    ask(models, folder, Random(f"{seed} {number}"))
                answers.put("right")
            except BaseException as error:
                answers.put(f"{type(error).__name__}: {error}")

        def damage_on() -> None:
            draw = Random(seed)
            while not done.wait(draw.uniform(0.001, 0.05)):
                with suppress(OSError):  # who writes is in the way
                    damage(folder, draw)

        running = [context.Process(target=damage_on), *(context.Process(target=answer, args=(n,)) for n in range(3))]
        for process in running:
            process.start()
        found = [answers.get() for _ in running[1:]]
        done.set()
        for process in running:
            process.join()
    assert found == ["right"] * 3


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
        words += ["--cache", folder / "kept"] if draw.random() < 0.5 else []
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


# --- damage ----------------------------------------------------------------------------------------


def damage(folder: Path, draw: Random) -> None:
    """Alter, cut, exchange or delete what is kept, or put something else in its place."""
    if draw.random() < 0.1:
        shutil.rmtree(folder, ignore_errors=True)
        if draw.random() < 0.3:
            folder.write_bytes(b"")  # a file where a directory was
    elif folder.is_file():
        folder.unlink()
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    way = draw.choice(("exchange", "exchange", "exchange", "flip", "flip", "cut", "garble", "replace"))
    for path in (path for path in files if path.is_file() and not path.is_symlink()):
        content = path.read_bytes()
        match way:
            case "exchange":  # most often of one sort, so that each is a whole answer about another model
                like = [each for each in files if each.name[:8] == path.name[:8] and each.is_file()]
                other = draw.choice(like or [path])
                path.write_bytes(other.read_bytes())
                other.write_bytes(content)
            case "flip" if content:
                place = draw.choice((draw.randrange(len(content)), -draw.randint(1, min(60, len(content)))))
                path.write_bytes(
                    bytes(b ^ (at == place % len(content)) << draw.randrange(8) for at, b in enumerate(content))
                )
            case "cut":
                path.write_bytes(content[: draw.choice((0, 1, 31, 32, 33, -1))])
            case "garble":
                path.write_bytes(draw.choice((b"{}", b"[" * 100_000, b"null", draw.randbytes(100), b"\xff" * 40)))
            case "replace":  # a directory, or a link to nowhere or to itself
                path.unlink()
                target = draw.choice((None, path.parent / "nowhere", path))
                path.mkdir() if target is None else path.symlink_to(target)


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


def shown(tree: Any) -> str:
    return tree if isinstance(tree, str) else f"({' '.join(map(shown, tree))})"


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
