"""Recognition problems in the format of the public data sets: five files, in a folder or an archive.

``domain.pddl``; ``template.pddl``, a problem with ``<HYPOTHESIS>`` in its goal; ``hyps.dat``, a candidate goal a line;
``obs.dat``, an observed action a line; ``real_hyp.dat``, the goal that was pursued (optional). Archives (tar, also
compressed with bzip2, gzip or xz) hold them at the root or in one folder. Nothing is unpacked to disk.
"""

from __future__ import annotations

import lzma
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from validator.errors import InputError
from validator.model.pddl.frame import read_text
from validator.model.values import Model
from validator.reading.lexicon import Lexicon, Templates
from validator.recognize.problem import RecognitionProblem
from validator.recognize.reading import (
    PLACEHOLDER,
    goal_key,
    read_goals,
    read_observations,
    read_template,
    read_text_domain,
)
from validator.records import replace
from validator.texts import MAX_CHARACTERS, decode
from validator.texts import read_text as read_file

_NEEDED = ("domain.pddl", "template.pddl", "hyps.dat", "obs.dat")
_TRUE = "real_hyp.dat"


def read_problem_set(path: Path) -> RecognitionProblem:
    """Read a folder or an archive of the data set's format. Raises InputError for what is not, OSError for a file."""
    texts = _folder(path) if path.is_dir() else _archive(path)
    missing = [name for name in _NEEDED if name not in texts]
    if missing:
        raise InputError(
            f"{', '.join(missing)} not found; a recognition problem has {', '.join(_NEEDED)}", source=str(path)
        )
    named = {file: (text, f"{path}/{file}") for file, text in texts.items()}
    text, name = named["template.pddl"]
    if PLACEHOLDER not in text.upper():
        raise InputError(f"no {PLACEHOLDER} in the goal", source=name)
    domain, template, goals, observations = (named[file] for file in _NEEDED)
    found = _read(domain, template, goals, observations, None)
    if _TRUE not in named:
        return found
    real = {goal_key(one.goal) for one in read_goals(*named[_TRUE], found.model, found.model.problem.goal)}
    true_goals = frozenset(number for number, one in enumerate(found.hypotheses) if goal_key(one.goal) in real)
    strange = () if true_goals else (f"the goal of {_TRUE} is not one of the candidates",)
    return replace(found, true_goals=true_goals, warnings=(*found.warnings, *strange))


def read_files(
    domain: Path,
    problem: Path,
    goals: Path | None,
    observations: tuple[str, str] | None,
    templates: Templates | None = None,
) -> RecognitionProblem:
    """Read a domain, a problem or template, candidate goals, and observations: their text and its name for errors.

    Without a file of goals the problem's own goal is the only candidate; with one, it takes the place of
    ``<HYPOTHESIS>``, or of the whole goal where there is no placeholder. ``templates`` are how observations say the
    model in words. Raises InputError, OSError for a file.
    """
    seen = ("", "<observations>") if observations is None else observations
    wanted = None if goals is None else (read_file(goals), str(goals))
    return _read(read_text(domain, "domain"), read_text(problem, "problem"), wanted, seen, templates)


def read_texts(
    domain: str, problem: str, goals: str | None, observations: str, templates: Templates | None = None
) -> RecognitionProblem:
    """Read the same from texts, which errors name <domain>, <problem>, <goals>, <observations>. Raises InputError."""
    wanted = None if goals is None else (goals, "<goals>")
    return _read((domain, "<domain>"), (problem, "<problem>"), wanted, (observations, "<observations>"), templates)


def _read(
    domain: tuple[str, str],
    problem: tuple[str, str],
    goals: tuple[str, str] | None,
    observations: tuple[str, str],
    templates: Templates | None,
) -> RecognitionProblem:
    """Read texts, each with its name."""
    read, action_names = read_text_domain(*domain)
    shown, has_placeholder = read_template(*problem, read)
    model = Model(domain=read, problem=shown)
    if goals is None and has_placeholder:
        needed = f"the goal is {PLACEHOLDER}; the candidates for it are needed as 'goals' (--goals FILE)"
        raise InputError(needed, source=problem[1])
    if goals is None:
        from validator.model.pddl.write import readable_text

        hypotheses = read_goals(readable_text(shown.goal), problem[1], model)
    else:
        hypotheses = read_goals(*goals, model, *((shown.goal,) if has_placeholder else ()))
    warnings = list(model.warnings)
    if action_names:
        names = ", ".join(sorted(set(action_names.values())))
        warnings.append(f"several actions have one name; an observation of it means any of them: {names}")
    return RecognitionProblem(
        model=model,
        hypotheses=hypotheses,
        observations=read_observations(*observations, model, action_names, Lexicon.of(model, templates)),
        action_names=action_names,
        warnings=tuple(warnings),
    )


def _folder(path: Path) -> dict[str, str]:
    files = [path / name for name in (*_NEEDED, _TRUE)]
    return {file.name: read_file(file) for file in files if file.is_file()}


def _archive(path: Path) -> dict[str, str]:
    """Return the five files' texts. Links and paths that leave the archive are refused, and nothing is written."""
    try:
        with tarfile.open(path, "r:*") as archive:
            return dict(_members(archive, path))
    except (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError) as error:
        said = str(error).partition(":\n")[0]  # what follows is the complaint of each compression that was tried
        raise InputError(f"neither a folder nor a tar archive that can be read: {said}", source=str(path)) from None


def _members(archive: tarfile.TarFile, path: Path) -> Iterator[tuple[str, str]]:
    found: dict[str, str] = {}
    left = MAX_CHARACTERS
    for member in archive:
        left -= tarfile.BLOCKSIZE + member.size
        if left < 0:
            raise InputError(f"more than {MAX_CHARACTERS} bytes in the archive", source=str(path))
        place = PurePosixPath(member.name)
        if place.name not in (*_NEEDED, _TRUE):
            continue  # such as macOS's ._obs.dat
        if place.is_absolute() or ".." in place.parts or not member.isreg():
            raise InputError(f"'{member.name}' is not a regular file in the archive", source=str(path))
        if place.name in found:
            raise InputError(f"two files {place.name}: '{found[place.name]}' and '{member.name}'", source=str(path))
        found[place.name] = member.name
        content = archive.extractfile(member)
        assert content is not None
        yield place.name, decode(content.read(), f"{path}/{member.name}")
