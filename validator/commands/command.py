"""A command that asks a question: its files and options become the question, its answer becomes text and exit code.

``Command`` says how: which files are which fields, what answers, and how that is printed in each format.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from validator.commands.options import (
    HAS,
    HAS_NOT,
    NO_ANSWER,
    add_example,
    add_memory_limit,
    add_time_limit,
    in_time,
    is_flow,
    left,
    model_file,
    one_input,
    read,
    refuse_other_model,
    telling,
    waiting,
)
from validator.errors import InputError, ModelError, PlanError
from validator.questions.arguments import add_options, files_of, question_of_options, spelled
from validator.questions.question import Question, Use, refuse_unused
from validator.records import dataclass, field
from validator.texts import read_text

if TYPE_CHECKING:
    from validator.questions.job import Job


CODES: Mapping[bool | None, int] = {True: HAS, False: HAS_NOT, None: NO_ANSWER}
"""the exit code of a verdict"""
_MODEL = ("domain", "problem", "flow")


def printed(found: Any) -> str:
    return str(found.text)


def as_json(value: Mapping[str, Any]) -> str:
    from validator.render.json import json_text

    return json_text(value)


def _value(found: Any) -> str:
    return as_json(found.to_json())


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """How a command asks a question of a ``kind``.

    ``forms`` are the files that it takes, each by the field that it is; ``readers`` return a field of the name of its
    file, where it is no model and no text. ``said`` is a result in one line, for one that cannot be written in time.
    """

    kind: type[Question]
    forms: tuple[str, ...]
    files: str
    example: str
    answer: Callable[[Any, Any], Any]
    formats: Mapping[str, Callable[[Any], str]] = field(default_factory=lambda: {"text": printed, "json": _value})
    code: Callable[[Any], int] = lambda found: HAS
    readers: Mapping[str, Callable[[str], Any]] = field(default_factory=dict)
    said: Callable[[Any], str] = lambda found: "there is an answer"
    about_formats: str = "default: text"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        lines = [f"%(prog)s [options] {form}" for form in self.forms]
        parser.usage = "\n       ".join(lines)
        parser.add_argument("files", nargs="+", metavar="FILE", help=self.files)
        add_options(parser, self.kind)
        if len(self.formats) > 1:
            parser.add_argument("--format", choices=tuple(self.formats), default="text", help=self.about_formats)
        else:
            parser.set_defaults(format="text")
        add_time_limit(parser)
        add_memory_limit(parser)
        add_example(parser, self.example)
        parser.set_defaults(run=self.run)

    def run(self, options: argparse.Namespace) -> int:
        names = files_by_field(options, self.forms)
        more = {name: str(path) for name, path in files_of(options, self.kind) if name in self.readers}
        one_input(*options.files, *more.values())
        files = {**names, **more}
        with waiting(options, *options.files, *more.values()):
            given = {name: self.readers.get(name, partial(read_field, name))(file) for name, file in files.items()}
        asked = question_of_options(options, self.kind, **given)
        refuse_unused(asked, Use.FLOW if "flow" in names else Use.PDDL, partial(spelled, self.kind))
        with in_time(options), naming(names), ordered(options, names):
            found = self.answer(asked, job_of(options))
        with telling(options, self.said(found)):
            text = self.formats[options.format](found)
        sys.stdout.write(text)
        return self.code(found)


def read_field(name: str, file: str) -> str | Path:
    """Return what a file gives for a field: a model is read where it is needed, any other one is a text."""
    return model_file(file) if name in _MODEL else read(file)


@contextmanager
def naming(names: Mapping[str, str]) -> Iterator[None]:
    """Give the name of its file to an error about a text that was handed on without it."""
    try:
        yield
    except InputError as error:
        name = next((name for name in names if error.message.startswith(name)), "")
        if not name and isinstance(error, PlanError):
            name = next((name for name in ("plan", "text") if name in names), "")
        if name:
            error.source = error.source or ("<stdin>" if names[name] == "-" else names[name])
        raise


def job_of(options: argparse.Namespace) -> Job:
    """Return within which limits a command answers."""
    from validator.questions.job import Bounds, Job

    bounds = Bounds(time_limit=options.time_limit, memory_limit=options.memory_limit, most_steps=sys.maxsize)
    return Job(bounds=bounds, left=lambda: left(options))


# --- files ---------------------------------------------------------------------------------------


def files_by_field(options: argparse.Namespace, forms: Sequence[str]) -> dict[str, str]:
    """Return the files of a command by their fields. Raises ValueError for what is no form."""
    files: Sequence[str] = options.files
    usage = f"{options.parser.prog.rpartition(' ')[2]} takes {', or '.join(forms)}"
    known = [form.lower().split() for form in forms]
    with_flow = any(form[0] == "flow" for form in known)
    fitting = [form for form in known if len(form) == len(files)]
    if with_flow:
        shorter = [form for form in known if form[0] == "flow" and len(form) == len(files)]
        refuse_other_model(files[:1] if shorter else files[:2] if len(files) > 1 else (), usage)
        fitting = [form for form in fitting if (form[0] == "flow") == is_flow(files[0])] or fitting
    if not fitting:
        raise ValueError(f"{usage}; got {len(files)} of them")
    return dict(zip(fitting[0], files, strict=True))


@contextmanager
def ordered(options: argparse.Namespace, names: Mapping[str, str]) -> Iterator[None]:
    """Say of files in the wrong order which order is meant, where a model cannot be read."""
    try:
        yield
    except ModelError as error:
        meant = _meant(names)
        if meant is None:
            raise
        command = options.parser.prog.rpartition(" ")[2]
        form = " ".join(name.upper() for name in names)
        said = f"the files are in another order: {command} takes {form}; did you mean: {command} {' '.join(meant)}?"
        raise ModelError(said, source=error.source) from None


def _meant(names: Mapping[str, str]) -> list[str] | None:
    """Return files in the order in which their beginnings say that they are a model; None where that is no other."""
    if "domain" not in names or "-" in names.values():
        return None
    kinds = {file: kind_of(file) for file in names.values()}
    rest = iter(file for file in names.values() if kinds[file] == "")
    models = {kind: [file for file in names.values() if kinds[file] == kind] for kind in ("domain", "problem")}
    if any(len(found) != 1 for found in models.values()):
        return None
    meant = [models[name][0] if name in models else next(rest) for name in names]
    return meant if meant != list(names.values()) else None


def kind_of(file: str) -> str:
    """Return domain or problem, as the beginning of a file says; an empty text for anything else."""
    from validator.model.pddl.frame import head_of

    try:
        head = head_of(read_text(Path(file)))
    except (OSError, ValueError):
        return ""
    return "" if head is None else head[0]
