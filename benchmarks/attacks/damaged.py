"""Attacks on what is kept on disk where the disk fails: damaged, exchanged and missing files, several processes."""

from __future__ import annotations

import multiprocessing
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from benchmarks.attacks.kept import Case, ask_kept, cases
from benchmarks.attacks.kind import Kind

__all__ = ["KINDS"]

_QUESTIONS, _TOGETHER = 8, 3


def _attack(seed: int) -> Iterator[str]:
    """Ask about a model and its like in turn, and damage the directory between any two questions."""
    draw = Random(f"damaged {seed}")
    models = cases(seed, draw)
    with TemporaryDirectory() as name:
        folder = Path(name) / "kept"
        for _ in range(_QUESTIONS if models else 0):
            yield ask_kept(draw.choice(models), draw.choice(models).plan, folder, draw)
            _damage(folder, draw)


def _damage(folder: Path, draw: Random) -> None:
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    if draw.random() < 0.1:
        shutil.rmtree(folder, ignore_errors=True)
        if draw.random() < 0.3:
            folder.write_bytes(b"")  # a file where a directory was
    elif folder.is_file():
        folder.unlink()
    damage = draw.choice((_exchange, _exchange, _exchange, _flip, _flip, _cut, _garble, _replace))
    for path in files if folder.is_dir() else ():
        damage(path, files, draw)


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def _cut(path: Path, files: list[Path], draw: Random) -> None:
    if path.is_file():
        path.write_bytes(_content(path)[: draw.choice((0, 1, 31, 32, 33, -1))])


def _flip(path: Path, files: list[Path], draw: Random) -> None:
    content = bytearray(_content(path))
    if content:
        content[draw.choice((draw.randrange(len(content)), -draw.randint(1, min(60, len(content)))))] ^= (
            1 << draw.randrange(8)
        )
        path.write_bytes(content)


def _exchange(path: Path, files: list[Path], draw: Random) -> None:
    """Exchange two files, most often of one sort, so that each is a whole answer about another model."""
    alike = [each for each in files if each.name[:8] == path.name[:8] and each.is_file()]
    other = draw.choice(alike or [path])
    if path.is_file():
        one, two = _content(path), _content(other)
        path.write_bytes(two)
        other.write_bytes(one)


def _garble(path: Path, files: list[Path], draw: Random) -> None:
    if path.is_file():
        path.write_bytes(draw.choice((b"{}", b"[" * 100_000, b"null", draw.randbytes(100), b"\xff" * 40)))


def _replace(path: Path, files: list[Path], draw: Random) -> None:
    """Put what is no file in the place of one: a directory, or a link to nowhere or to itself."""
    if path.is_file() and not path.is_symlink():
        path.unlink()
        match draw.randrange(3):
            case 0:
                path.mkdir()
            case 1:
                path.symlink_to(path.parent / "nowhere")
            case _:
                path.symlink_to(path)


# --- several processes -------------------------------------------------------------------------------


def _together(seed: int) -> Iterator[str]:
    """Ask from several processes at once, while another one damages and deletes what they write."""
    draw = Random(f"damaged together {seed}")
    models = cases(seed, draw)
    if not models:
        return
    context = multiprocessing.get_context("fork")
    with TemporaryDirectory() as name:
        folder, answers = Path(name) / "kept", context.SimpleQueue()
        done = context.Event()
        asking = [
            context.Process(target=_ask, args=(models, folder, f"{seed} {number}", answers))
            for number in range(_TOGETHER)
        ]
        damaging = context.Process(target=_damage_on, args=(folder, f"{seed}", done))
        for process in (damaging, *asking):
            process.start()
        found = [answers.get() for _ in range(_TOGETHER)]
        done.set()
        for process in (damaging, *asking):
            process.join()
    for each in found:
        assert isinstance(each, list), each
        yield from each


def _ask(models: list[Case], folder: Path, seed: str, answers: object) -> None:
    draw, put = Random(f"asked {seed}"), answers.put  # type: ignore[attr-defined]
    try:
        put([ask_kept(draw.choice(models), draw.choice(models).plan, folder, draw) for _ in range(_QUESTIONS // 2)])
    except BaseException as error:
        put(f"{type(error).__name__}: {error}")


def _damage_on(folder: Path, seed: str, done: object) -> None:
    draw = Random(f"damage {seed}")
    while not done.wait(draw.uniform(0.001, 0.05)):  # type: ignore[attr-defined]
        with suppress(OSError):  # who writes is in the way
            _damage(folder, draw)


KINDS = (
    Kind(
        name="answers kept on disk: damaged",
        against="Dijkstra, of models that differ a little",
        attack=_attack,
        share=8,
    ),
    Kind(
        name="answers kept on disk: by several processes",
        against="Dijkstra, of models that differ a little",
        attack=_together,
        share=4,
    ),
)
