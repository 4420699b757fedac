"""The command: exit codes, formats, standard input, and what happens to a broken pipe."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.depth import deep
from tests.support.models import BOTH_STEPS, TWO_STEPS
from tests.support.places import ROOT
from validator.cli import main
from validator.model.bundled import bundle, bundles


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a model and some plans; the working directory of the test."""
    files = {
        "d.pddl": TWO_STEPS,
        "p.pddl": BOTH_STEPS,
        "good.plan": "(a)\n(b)\n",
        "long.plan": "(a)\n(a)\n(b)\n",
        "bad.plan": "(b)\n",
        "odd.plan": "(fly)\n(a)\n(b)\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "")
    return tmp_path


def run(*arguments: str) -> int:
    return main(arguments)


def check(*arguments: str) -> int:
    return run("check", "d.pddl", "p.pddl", *arguments)


# --- exit codes ----------------------------------------------------------------------------------


@pytest.mark.planner
@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("good.plan", 0),
        ("good.plan --quality sound", 0),
        ("bad.plan --no-repair", 1),
        ("odd.plan --no-repair --quality sound", 1),
        ("good.plan --quality optimal", 0),
        ("long.plan --quality optimal", 1),
        ("bad.plan", 1),
        ("bad.plan --nearest keep", 1),
        ("bad.plan --memory-limit 2G --time-limit 20", 1),
        ("good.plan --quality optimal --time-limit 0.001", 3),
    ],
)
def test_the_exit_code_says_whether_the_plan_has_the_quality(
    folder: Path, capsys: pytest.CaptureFixture[str], words: str, code: int
) -> None:
    assert check(*words.split()) == code
    assert capsys.readouterr().err == ""


def test_a_plan_that_is_not_utf8_is_read_with_a_warning(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bytes.plan").write_bytes(b"; caf\xe9\n" + (folder / "good.plan").read_bytes())
    assert check("bytes.plan") == 0
    assert "bytes.plan:1:6: the text is not UTF-8, and is read as Windows-1252" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [("check", "d.pddl", "p.pddl", "long.plan"), deep(("redundant", "d.pddl", "p.pddl", "long.plan"))],
)
def test_a_plan_over_a_limit_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    (folder / "long.plan").write_text("(a)\n" * 100_001)
    assert run(*arguments) == 2
    assert "plan-validator: long.plan:100001:" in capsys.readouterr().err


# --- what is printed -----------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["\x1b[31m(b)\x1b[0m\n", "(b\x1b]0;title\x07)\n", "(b\u202e)\n"])
def test_nothing_in_a_plan_drives_the_terminal(folder: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    (folder / "evil.plan").write_text(text)
    check("evil.plan", "--no-repair")
    assert all(character.isprintable() or character == "\n" for character in capsys.readouterr().out)


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("no_color", "term", "colored"), [("", "xterm", True), ("1", "xterm", False), ("", "dumb", False)]
)
def test_colours_are_for_terminals_that_want_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch, no_color: str, term: str, colored: bool
) -> None:
    terminal = _Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("TERM", term)
    check("good.plan")
    assert ("\033[" in terminal.getvalue()) is colored


# --- standard input ------------------------------------------------------------------------------


def command(*arguments: str, text: bytes = b"", **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", "import sys; from validator.cli import main; sys.exit(main())", *arguments],
        input=text,
        capture_output=True,
        check=False,
        **options,  # type: ignore[call-overload]
    )


@pytest.mark.parametrize(("text", "code"), [(b"(a)\n(b)\n", 0), (b"(b)\n", 1), (b"", 1), (b"\xff", 3)])
def test_a_dash_is_standard_input(folder: Path, text: bytes, code: int) -> None:
    assert command("check", "d.pddl", "p.pddl", "-", "--no-repair", text=text).returncode == code


@pytest.mark.planner
def test_a_diff_from_standard_input_is_applied(folder: Path) -> None:
    shown = command("check", "d.pddl", "p.pddl", "bad.plan")
    applied = command("apply", "-", "bad.plan", text=shown.stdout)
    assert (applied.returncode, applied.stdout) == (0, b"(a)\n(b)\n")


@pytest.mark.planner
def test_a_diff_is_applied_to_a_plan_in_words_beside_its_model(folder: Path) -> None:
    blocks = bundle("blocks")
    model = [str(blocks.domain), str(blocks.problem)]
    steps = ("Take b from d", "Lower b", "Take c from a", "Lift b and place it on c", "Lift a and place it on b")
    (folder / "words.plan").write_text("".join(f"{step}.\n" for step in steps))
    shown = command("check", *model, "words.plan")
    applied = command("apply", "-", *model, "words.plan", text=shown.stdout)
    assert b"(take c a)\n(place c d)\n(lift b)\n" in applied.stdout
    assert command("check", *model, "-", text=applied.stdout).returncode == 0


def test_a_reader_that_has_seen_enough_is_no_error(folder: Path) -> None:
    (folder / "many.plan").write_text("(b)\n" * 3_000)
    program = "import sys; from validator.cli import main; sys.exit(main())"
    arguments = [sys.executable, "-c", program, "check", "d.pddl", "p.pddl", "many.plan", "--no-repair"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline().startswith(b"NOT VALID")
        process.stdout.close()
        assert process.stderr.read() == b""
        process.wait()


@pytest.mark.parametrize(
    ("words", "closed", "code"),
    [
        ("check d.pddl p.pddl good.plan", ">&-", 0),
        ("check d.pddl p.pddl bad.plan --no-repair", ">&- 2>&-", 1),
        ("check d.pddl p.pddl gone.plan", "2>&-", 2),
        ("check d.pddl p.pddl -", "<&-", 2),
        ("batch -", "<&-", 2),
    ],
)
def test_a_closed_stream_changes_no_exit_code(folder: Path, words: str, closed: str, code: int) -> None:
    program = "import sys; from validator.cli import main; sys.exit(main())"
    shell = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-c", program, *words.split()]
    done = subprocess.run(shell, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (code, b"")
    assert (b"standard input ('-') is closed\n" in done.stderr) is (closed == "<&-")


@pytest.mark.parametrize(
    ("form", "shown"), [("text", "(é ü)".encode()), ("json", "(é ü)".encode()), ("json", rb"\ud800")]
)
def test_no_character_ends_a_run_whatever_the_locale(folder: Path, form: str, shown: bytes) -> None:
    bare = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    text = '[{"action": "\\ud800", "object": ""}]' if b"ud" in shown else "(é ü)\n"
    arguments = ("check", "d.pddl", "p.pddl", "-", "--no-repair", "--format", form)
    done = command(*arguments, text=text.encode(), env=bare)
    # An action of no model's in a list of values is not understood; a step in parentheses is a wrong one.
    assert (done.returncode, done.stderr) == (3 if b"ud" in shown else 1, b"")
    assert shown in done.stdout
    if form == "json":
        json.loads(done.stdout)


# --- the bundled models --------------------------------------------------------------------------


@pytest.mark.up
def test_what_the_modified_problem_is_not_written_for_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    case = ROOT / "tests" / "conformance" / "cases" / "numeric_strict_comparison"
    words = [str(case / name) for name in ("domain.pddl", "problem.pddl", "good.plan")]
    assert main(["check", *words, "--dump-problem", "nowhere"]) == 3
    assert "is written for classical models, not with numeric-fluents" in capsys.readouterr().err


def test_the_bundled_models_are_listed_with_what_they_are_about(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("domains") == 0
    shown = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in shown] == [model.name for model in bundles()]
    assert all(len(line.split()) > 3 for line in shown)


# --- models from standard input, shells ----------------------------------------------------------


@pytest.mark.parametrize("part", ["d.pddl", "p.pddl"])
@pytest.mark.parametrize("command", [("check", "--no-repair"), ("read",)])
def test_a_dash_may_stand_for_a_part_of_the_model(
    folder: Path,
    part: str,
    command: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files = ["-" if name == part else name for name in ("d.pddl", "p.pddl")]
    for text, code, said in (
        ((folder / part).read_bytes(), 0, ""),
        (b"(define (nothing x))", 2, f"<{'domain' if part == 'd.pddl' else 'problem'}>:1:"),
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        assert run(*command, *files, "good.plan") == code
        assert said in capsys.readouterr().err


def test_a_flow_is_read_from_standard_input(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flow = b"{flow: stay, operators: [{name: find, outputs: [hotel]}], goals: [{known: hotel}]}"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(flow)))
    (folder / "x.plan").write_text("hotel = find()\n")
    assert run("check", "-", "x.plan") == 0
