"""The pages of ``docs/`` are run, and print what they show.

A block ``LANGUAGE title="NAME"`` is a file. A block of ``sh`` holds one command a line, and ``< NAME`` is its input;
what they print is the next block without a language, or of ``diff``. A block of ``python`` prints its comments that
begin a line. Every other block is run by a test that ``ELSEWHERE`` names, or stands in ``NOT_RUN`` with the reason.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shlex
import shutil
import string
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType

import pytest
import yaml

from tests.support.places import ROOT
from validator import cli
from validator.foils.language.forms import FORMS
from validator.metrics import METRICS
from validator.service.http.examples import over_time_example

PAGES = sorted(path.name for path in (ROOT / "docs").glob("*.md"))
TEXTS = {**{page: ROOT / "docs" / page for page in PAGES}, "README.md": ROOT / "README.md"}

ELSEWHERE = {
    "README.md": ("docs/test_readme.py", ("sh", "", "python")),
    "batch.md": ("grading/test_batch.py", ("jsonl", "")),
    "foils.md": ("docs/test_docs.py", ("console", "python")),
    "mcp.md": ("mcp/test_mcp.py", ("python",)),
    "monitoring.md": ("docs/test_docs.py", ("console",)),
    "service.md": ("service/test_service_page.py", ("python",)),
    "unified-planning.md": ("docs/test_readme.py", ("python", "sh", "pddl", "")),
}
"""page -> the test that runs its blocks, and the languages of these"""

OTHERS = frozenset(("foils.md", "mcp.md", "service.md", "unified-planning.md"))
"""pages whose blocks are all run there"""

_PLACEHOLDERS = "a synopsis: what the words in capitals stand for is the user's"
_IN_CI = "tests/docs/test_release.py builds, installs and runs the package"
_DOCKER = "needs docker; docker/test-image.sh runs the same in the image"
NOT_RUN = {
    ("README.md", "pip install . &&"): f"{_IN_CI}; the second command is run",
    ("batch.md", "plan-validator summary RESULTS..."): _PLACEHOLDERS,
    (
        "cluster.md",
        "pip install 'plan-validator[cluster]'",
    ): "tests/grading/test_batch_cluster.py runs a batch on one",
    ("cluster.md", "from dask_jobqueue import"): "needs Slurm",
    ("cluster.md", "#!/bin/bash"): "needs Slurm",
    ("container.md", "docker build"): _DOCKER,
    ("container.md", "docker run"): _DOCKER,
    ("container.md", "docker compose"): _DOCKER,
    ("conformance.md", "$ python -m"): "takes minutes; tests/execution/test_conformance.py runs its commands in small",
    ("editors.md", "vim.filetype"): "the configuration of another program",
    (
        "editors.md",
        "$ cd docs/editors/vscode",
    ): "needs npm and VS Code; tests/lsp/test_vscode.py packages the extension",
    ("editors.md", "$ mkdir"): "changes the user's home; tests/commands/test_val_compat.py calls such links",
    ("eai.md", "pip install plan-validator"): "needs the network and a model",
    ("flows.md", "from nl2flow.debug"): "needs NL2Flow; tests/integrations/test_nl2flow.py does the same",
    ("index.md", "pip install . &&"): f"{_IN_CI}; tests/docs/test_readme.py runs the second command",
    ("guard.md", "def test_the_agent"): "a test; tests/integrations/test_pytest_plugin.py runs its like",
    ("guard.md", "plan-validator guard"): "servers of others; tests/integrations/test_guard_mcp.py starts both",
    ("mcp.md", "pip install 'plan-validator[mcp]'"): "servers without an end; tests/mcp/test_mcp.py starts both",
    ("mcp.md", '{"mcpServers"'): "the configuration of another program",
    ("outputs.md", "jobs:"): "needs GitHub; tests/docs/test_project.py runs the action",
    ("outputs.md", "repos:"): "needs pre-commit; tests/docs/test_project.py runs the hook",
    (
        "performance.md",
        "python -m benchmarks",
    ): "takes half an hour; tests/benchmarks/test_benchmarks.py runs it in small",
    ("planbench.md", "plan-validator eval planbench ANSWERS..."): _PLACEHOLDERS,
    ("planbench.md", "git clone"): "needs the public repository",
    ("evidence.md", "python -m benchmarks evidence"): "needs the public repository",
    ("evidence.md", "python -m benchmarks audit"): "needs the public data",
    (
        "service.md",
        "pip install 'plan-validator[service]'",
    ): "a server without an end; tests/service/test_service.py starts it",
    ("service.md", "pip install schemathesis"): "takes minutes; tests/service/test_service_hostile.py does it in small",
    ("start.md", "python3 -m venv"): _IN_CI,
    ("transition-modeling.md", "plan-validator eval transition-modeling"): "needs the published data",
}
"""(page, how a block begins) -> why it is not run"""

VARYING = {"scaffolds.md": r"\b\d[\d.e-]* s\b"}
"""page -> what is another at each run: seconds"""

pytestmark = pytest.mark.planner


_BLOCK = re.compile(r'^```(\w*)(?: title="([^"]+)")?\n(.*?)^```$', re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    language: str
    file: str
    text: str


def blocks(page: str) -> Iterator[Block]:
    for language, file, body in _BLOCK.findall(TEXTS[page].read_text(encoding="utf-8")):
        yield Block("" if language == "diff" else language, file, body)  # what is printed, in colours


def reason(page: str, block: Block) -> tuple[str, str] | None:
    """Return the entry of ``NOT_RUN`` for a block."""
    return next((entry for entry in NOT_RUN if entry[0] == page and block.text.startswith(entry[1])), None)


def prints_its_comments(code: str, page: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Run a block of Python, which prints its comments that begin a line."""
    exec(compile(code, page, "exec"), {})
    shown = [line.removeprefix("# ") for line in code.splitlines() if line.startswith("# ")]
    assert capsys.readouterr().out.splitlines() == shown


def same(page: str, text: str) -> str:
    return re.sub(VARYING[page], "N s", text) if page in VARYING else text


@pytest.mark.parametrize("page", [page for page in PAGES if page not in OTHERS])
def test_a_page_prints_what_it_shows(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("domains", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path))
    elsewhere = ELSEWHERE.get(page, ("", ()))[1]
    printed = ""
    for block in blocks(page):
        if block.file:
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
        elif reason(page, block) or (block.language in elsewhere and (block.language or block.text.startswith("$ "))):
            printed = ""
        elif block.language == "sh":
            for line in block.text.splitlines():
                assert line.startswith("plan-validator "), f"{page}: {line} is not run"
                line, _, written = line.partition(" > ")
                command, _, file = line.partition(" < ")
                words = shlex.split(string.Template(command).safe_substitute(PWD=tmp_path))
                with monkeypatch.context() as patch, open(file or os.devnull, encoding="utf-8") as stdin:
                    patch.setattr("sys.stdin", stdin)
                    cli.main(words[1:])
                if written:
                    Path(written).write_text(capsys.readouterr().out, encoding="utf-8")
            printed = Path(written).read_text(encoding="utf-8") if written else capsys.readouterr().out
            assert printed
        elif block.language == "python":
            prints_its_comments(block.text, page, capsys)
        else:
            assert not block.language, f"{page}: {block.text[:60]} is neither run nor named"
            assert same(page, printed) == same(page, block.text)
            printed = ""


# --- examples in a folder of its own -----------------------------------------------------------------

STATE = "(at van1 depot) (at bike1 pier) (in box1 van1)   ; the van did not leave\n(at letter1 market)\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the commands of the pages run: one for all, so that the model is read once."""
    made = tmp_path_factory.mktemp("pages")
    shutil.copytree(ROOT / "domains" / "delivery", made, dirs_exist_ok=True)
    (made / "state").write_text(STATE)
    oven = over_time_example()
    for name, part in (("oven.pddl", "domain"), ("morning.pddl", "problem"), ("baked.plan", "plan")):
        (made / name).write_text(oven[part])
    return made


@pytest.mark.deep
@pytest.mark.parametrize(
    "text", [each.text for page in ("foils.md", "monitoring.md") for each in blocks(page) if each.language == "console"]
)
def test_an_example_prints_what_it_shows(
    text: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    for part in re.split(r"^\$ ", text.replace("\\\n", ""), flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        if command.startswith("plan-validator"):
            limit = ["--time-limit", "300"] if "why-not" in command else []
            cli.main([*shlex.split(command)[1:], *limit])
            printed = capsys.readouterr().out
            assert [piece for piece in output.split("...\n") if piece not in printed] == [], command


def test_the_python_of_the_page_on_foils_prints_its_comments(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    (code,) = (block.text for block in blocks("foils.md") if block.language == "python")
    prints_its_comments(code, "foils.md", capsys)


def test_every_kind_of_question_is_on_the_page_on_foils() -> None:
    text = TEXTS["foils.md"].read_text(encoding="utf-8")
    words = {"directly": "directly after", "solvable": "why unsolvable", "begin": "from", "only-from": "only from"}
    assert [kind for kind in FORMS if words.get(kind, kind.replace("-", " ")) not in text and kind not in text] == []


# --- pages as a whole --------------------------------------------------------------------------------


def test_no_block_is_left_out_in_silence() -> None:
    """A block is a file, run here or elsewhere, or has a reason; a reason has a block, and a test its page."""
    named = {entry for page in TEXTS for block in blocks(page) if not block.file and (entry := reason(page, block))}
    assert named == set(NOT_RUN)
    for page, (test, languages) in ELSEWHERE.items():
        source = (ROOT / "tests" / test).read_text(encoding="utf-8")
        assert page in source or page.removesuffix(".md") in source, f"{test} does not read {page}"
        if page in OTHERS or page == "README.md":
            left = [each for each in blocks(page) if each.language not in languages and not each.file]
            assert all(reason(page, block) for block in left), page


def test_the_commands_of_blocks_that_are_not_run_are_understood() -> None:
    for page, begins in NOT_RUN:
        (text,) = (block.text for block in blocks(page) if reason(page, block) == (page, begins))
        for command in _commands(text.replace("\\\n", "")):
            assert isinstance(_parsed(command), argparse.Namespace), command


def _commands(text: str) -> Iterator[list[str]]:
    """Yield the arguments of the program, with a value for each placeholder; a synopsis has none that can be read."""
    for found in re.findall(r"plan-validator ((?:check|batch|eval|guard|mcp|serve|test|repair-loop) [^\n]*)", text):
        if "..." not in found and "[--" not in found:
            yield shlex.split(re.sub(r"\$\w+", "4", found), comments=True)


def _parsed(words: list[str]) -> argparse.Namespace:
    redirected = words[: words.index(">")] if ">" in words else words
    return cli._parser(redirected).known(redirected)


def test_the_jobs_and_manifests_can_be_read() -> None:
    for page in ("cluster.md", "outputs.md"):
        for block in blocks(page):
            if block.language == "yaml" and not block.file:
                assert isinstance(yaml.safe_load(block.text), dict)
            elif block.language == "python":
                compile(block.text, page, "exec")


def test_no_command_stands_outside_of_a_fence() -> None:
    """Four blanks make a block as well, which nothing here would see."""
    for page, path in TEXTS.items():
        text = _BLOCK.sub("", path.read_text(encoding="utf-8"))
        assert not re.findall(r"^ {4}(?:plan-validator|python|pip|docker) ", text, re.MULTILINE), page


def test_every_link_leads_to_a_file() -> None:
    for page, path in TEXTS.items():
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{page}: {target}"


def test_every_block_begins_as_the_site_can_show_it() -> None:
    """A fence with anything else behind its language is shown as running text, without a word from mkdocs."""
    for page in PAGES:
        lines = (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines()
        fences = [line for line in lines if line.startswith("```")]
        assert all(re.fullmatch(r'```(\w+( title="[^"]+")?)?', line) for line in fences), page
        assert len(fences) % 2 == 0, page


def test_no_paragraph_is_a_row_of_the_table_above_it() -> None:
    rows = re.compile(r"^\|.*\n(?!\||\n|<!--|\Z).*", re.MULTILINE)
    for page, path in TEXTS.items():
        assert rows.findall(path.read_text(encoding="utf-8")) == [], page


def test_every_metric_is_on_its_page() -> None:
    text = TEXTS["metrics.md"].read_text(encoding="utf-8")
    assert [name for name in METRICS if f"`{name}`" not in text] == []


def test_pages_are_short() -> None:
    """A page that grows is parted, or loses what nobody needs. Tables that a command writes are data."""
    written = re.compile(r"<!-- conformance: .*?<!-- end -->", re.DOTALL)
    lines = {page: len(written.sub("", TEXTS[page].read_text(encoding="utf-8")).splitlines()) for page in PAGES}
    assert {page: number for page, number in lines.items() if number > 250} == {}
    assert sum(lines.values()) <= 5000
    assert len(TEXTS["README.md"].read_text(encoding="utf-8").splitlines()) <= 80


def test_every_page_is_in_the_navigation() -> None:
    """What else is wrong with the site is found by ``mkdocs build --strict -f docs/mkdocs.yml``."""
    navigation = (ROOT / "docs" / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    assert sorted(re.findall(r"[\w-]+\.md", navigation)) == PAGES


def test_the_reference_names_what_is_there() -> None:
    names = reference()
    assert len(set(names)) == len(names)
    for name in names:
        found = resolve_name(name)
        assert found is not None
        home = sys.modules[name.rpartition(".")[0]]
        if not isinstance(found, ModuleType):  # what a module only finds when asked, the site's builder does not find
            assert name.rpartition(".")[2] in _bound(str(home.__file__)), name


def reference() -> list[str]:
    """Return the names of the reference: each that stands alone, and the members that are listed of a module."""
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    found = re.findall(r"^::: (\S+)$(?:\n    options: \{members: \[(.*)\]\}$)?", text, re.MULTILINE)
    return [f"{home}.{each}" if members else home for home, members in found for each in (members or home).split(", ")]


@cache
def _bound(file: str) -> set[str | None]:
    """Return the names of which a module says what they are: it defines, imports or assigns them."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    return {getattr(node, kind, None) for node in ast.walk(tree) for kind in ("asname", "name", "id")}


def test_the_modules_and_files_that_a_page_names_are_there() -> None:
    for page, file in TEXTS.items():
        text = file.read_text(encoding="utf-8")
        for path in re.findall(r"`((?:validator|grammars|domains|benchmarks)/[a-z0-9_./-]*)`", text):
            assert (ROOT / path).exists(), (page, path)
        for name in re.findall(r"(?<![\w./-])validator(?:\.[A-Za-z_]\w*)+", text):
            assert resolve_name(name) is not None, (page, name)
