"""Typical mistakes at the command line: what is said, of which file, what was expected, what is nearest."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.places import ROOT
from validator.cli import main

FLOW = "{flow: stay, operators: [{name: find, inputs: [city], outputs: [hotel]}], goals: [{known: hotel}]}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with models and plans; the working directory of the test."""
    blocks = ROOT / "domains" / "blocks"
    files = {
        "domain.pddl": (blocks / "domain.pddl").read_text(encoding="utf-8"),
        "problem.pddl": (blocks / "problem.pddl").read_text(encoding="utf-8"),
        "kitchen.pddl": (ROOT / "domains" / "kitchen" / "problem.pddl").read_text(encoding="utf-8"),
        "good.plan": (blocks / "good.plan").read_text(encoding="utf-8"),
        "stay.yaml": FLOW,
        "tools.yaml": "[{name: find, input_parameters: [], output_parameters: []}]\n",
        "empty": "",
        "small_outputs.jsonl": '{"identifier": "problm", "llm_output": "(take b d)"}\n',
        "moved.model": "; a domain\n(define (domain d))\n",
        "wrong.pddl": "(define (domain d) (:foo))",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("check domain.pddl", "check takes DOMAIN PROBLEM PLAN, or FLOW PLAN; got 1 of them"),
        ("check domain.pddl problem.pddl", "domain.pddl is PDDL by its ending, and one file is missing"),
        ("check stay.yaml problem.pddl good.plan", "stay.yaml is a flow by its ending, and problem.pddl would be a"),
        ("check stay.yaml good.plan --unified 0", "--unified is for PDDL models"),
        ("check stay.yaml good.plan --epsilon 1", "--epsilon is for PDDL models"),
        ("check stay.yaml good.plan --timeline", "--timeline is for PDDL models"),
        ("check stay.yaml good.plan --executed 1", "--executed is for PDDL models"),
        ("plan domain.pddl", "plan takes DOMAIN PROBLEM, or FLOW; domain.pddl is PDDL by its ending"),
        ("plan stay.yaml problem.pddl", "stay.yaml is a flow by its ending"),
        ("plan moved.model", "moved.model:2:1: JSON or YAML was expected, and this is PDDL"),
        ("check problem.pddl domain.pddl good.plan", "did you mean: check domain.pddl problem.pddl good.plan?"),
        ("check good.plan domain.pddl problem.pddl", "did you mean: check domain.pddl problem.pddl good.plan?"),
        (
            "check domain.pddl good.plan problem.pddl",
            "check takes DOMAIN PROBLEM PLAN; did you mean: check domain",
        ),
        ("plan problem.pddl domain.pddl", "did you mean: plan domain.pddl problem.pddl?"),
        ("adhere good.plan domain.pddl problem.pddl good.plan", "did you mean: adhere domain.pddl problem.pddl good"),
        ("read domain.pddl problem.pddl", "read takes DOMAIN PROBLEM TEXT, or TEXT; got 2 of them"),
        ("plan a b c", "plan takes DOMAIN PROBLEM, or FLOW; got 3 of them"),
        ("check domain.pddl problm.pddl good.plan", "No such file or directory (did you mean 'problem.pddl'?)"),
        ("check domain problem.pddl good.plan", "domain: No such file or directory (did you mean 'domain.pddl'?)"),
        ("check domain.pddl problem.pddl gone.plan", "gone.plan: No such file or directory\n"),
        ("check domain.pddl problem.pddl folder", "folder: a file was expected, and this is a directory"),
        ("check wrong.pddl problem.pddl good.plan", "wrong.pddl:1:20: ':foo' is not a section of a domain"),
        ("check https://x.example/d.pddl problem.pddl good.plan", "addresses are not read; download the file"),
        ("domains kichen", "no bundled model is called 'kichen' (did you mean 'kitchen'?)"),
        ("check domain.pddl kitchen.pddl good.plan", "; the problem is for domain 'kitchen', the domain given is 'b"),
        ("apply good.plan good.plan", "good.plan: the diff has no hunk"),
        ("calls stay.yaml tools.yaml", "stay.yaml: tools: a list was expected, not {"),
        ("recognize domain.pddl problem.pddl", "recognize takes DOMAIN PROBLEM OBSERVATIONS, FOLDER or ARCHIVE; got 2"),
        ("repair-model domain.pddl problem.pddl", "takes DOMAIN PROBLEM PLAN [PLAN ...]; no plan is given"),
        ("adhere good.plan", "good.plan:1:1: not JSON, and no call was found; a trace is JSON, JSON lines, or a text"),
        ("compare good.plan", "a comparison takes two plans or more, not 1"),
        ("compare problem.pddl domain.pddl good.plan good.plan", "this is a problem"),
        ("compare good.plan good.plan --metrics states", "the metric 'states' needs a model"),
        ("compare good.plan good.plan --metrics ,", "--metrics names no metric"),
        ("compare good.plan good.plan --domain d.pddl", "a model is a domain and a problem; one of them is given"),
        ("check - - good.plan", "one file only"),
        ("compare - -", "standard input ('-') can be one file only"),
        ("summary empty", "there is no result in empty"),
        ("serve --store folder", "folder: no file of kept results"),
        ("serve --store good.plan", "good.plan: no file of kept results: file is not a database"),
        ("generate-prompts action-sequencing --dataset behavior --data nowhere", "nowhere: No such file or directory"),
        ("generate-prompts action-sequencing --dataset behavior --data .", "no prompts of the benchmark here"),
        ("eval transition-modeling --data nowhere --answers small_outputs.jsonl", "nowhere: No such file or directory"),
        ("eval action-sequencing --dataset pddl --data . --answers empty", "empty: there is no answer in it"),
        (
            "eval action-sequencing --dataset pddl --data . --answers small_outputs.jsonl",
            "small_outputs.jsonl: line 1: 'problm' is not a task in this data (did you mean 'problem'?)",
        ),
        (
            "eval action-sequencing --dataset behavior --data . --answers small_outputs.jsonl",
            "the package behavior_eval was expected: all_objects.json",
        ),
    ],
)
def test_a_mistake_is_told(folder: Path, capsys: pytest.CaptureFixture[str], words: str, said: str) -> None:
    assert main(words.split()) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("plan-validator: ")
    assert said in shown.err


@pytest.mark.parametrize(
    ("words", "usage", "said"),
    [
        ("chek", "plan-validator [-h]", "(did you mean 'check'?)"),
        ("check a b c --quality soud", "plan-validator check", "(did you mean 'sound'?)"),
        ("check a b c --qualty sound", "plan-validator check", "--qualty (did you mean '--quality'?)"),
        ("domain.pddl problem.pddl good.plan", "plan-validator [-h]", "there is no command 'domain.pddl'"),
        ("validate a b c", "plan-validator [-h]", "(did you mean 'check'?)"),
        ("check a b c --output x", "plan-validator check", "unrecognized arguments: --output"),
        ("eval actoin-sequencing", "plan-validator eval", "(did you mean 'action-sequencing'?)"),
        ("eval planbench a --instancs b", "plan-validator eval planbench", "(did you mean '--instances'?)"),
    ],
)
def test_a_misspelt_word_is_refused_by_its_command(
    capsys: pytest.CaptureFixture[str], words: str, usage: str, said: str
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words.split())
    assert caught.value.code == 2
    shown = capsys.readouterr().err
    assert shown.startswith(f"usage: {usage}")
    assert said in shown


@pytest.mark.parametrize(
    ("words", "values", "said"),
    [
        ("check a b c --time-limit", ("0", "nan", "inf", "soon", "1e300"), "a positive number was expected, not '{}'"),
        ("check a b c --memory-limit", ("4X", "", "1e300G", "0.1"), "a size such as 4G was expected, not '{}'"),
        ("check a b c --epsilon", ("-1", "many"), "a number from 0"),
        ("check a b c --dialect", ("latin",), "invalid choice: '{}'"),
        ("check a b c --unified", ("x",), "a number from 0 was expected, not '{}'"),
        ("batch a --workers", ("0", "²", "4097"), "a number from 1"),
        ("recognize a b c --workers", ("-1", "0"), "a number from 1"),
        (
            "recognize a b c --discard-cost",
            ("-1", "1/0", "1e999999999"),
            "a number from 0 was expected, such as 2",
        ),
        ("recognize a b c --beta", ("0", "1e-320"), "a positive number was expected, from 1e-09"),
        (
            "mcp --http",
            ("8000", "localhost:", "localhost:x", "localhost:0", "localhost:70000"),
            "HOST:PORT was expected",
        ),
        ("serve --port", ("65536", "http"), "a port from 0 to 65535 was expected"),
    ],
)
def test_a_value_that_an_option_does_not_take_is_refused(
    capsys: pytest.CaptureFixture[str], words: str, values: tuple[str, ...], said: str
) -> None:
    *command, option = words.split()
    for value in values:
        with pytest.raises(SystemExit) as caught:
            main([*command, f"{option}={value}"])
        assert caught.value.code == 2
        shown = capsys.readouterr().err
        assert shown.startswith(f"usage: plan-validator {command[0]}") and said.format(value) in shown, shown
        assert "invalid _" not in shown, "the name of a function is no message"


def test_without_a_command_the_commands_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "check a plan, and repair it" in shown.err


@pytest.mark.parametrize(
    "words",
    [
        "eval acpbench answers.jsonl --questions odd.json",
        "serve --port 0 --token-file odd.json",
        "repair-loop odd.json --llm cat",
    ],
)
def test_a_file_that_is_no_text_is_named(folder: Path, capsys: pytest.CaptureFixture[str], words: str) -> None:
    (folder / "answers.jsonl").write_text("", encoding="utf-8")
    (folder / "odd.json").write_bytes(b"[\xff]")
    assert main(words.split()) == 2
    assert "odd.json: not UTF-8 text: byte 1 is 0xff" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("package", "words", "extra"),
    [
        ("fastapi", "serve", "plan-validator[service]"),
        ("uvicorn", "serve", "plan-validator[service]"),
        ("mcp", "mcp", "plan-validator[mcp]"),
        ("mcp", "guard -- server", "plan-validator[mcp]"),
        ("pygls", "lsp", "plan-validator[lsp]"),
        ("distributed", "batch records.jsonl --cluster tcp://127.0.0.1:1", "plan-validator[cluster]"),
    ],
)
def test_a_missing_extra_is_named(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    package: str,
    words: str,
    extra: str,
) -> None:
    (folder / "records.jsonl").write_text("", encoding="utf-8")
    monkeypatch.setitem(sys.modules, package, None)
    assert main(words.split()) == 3
    shown = capsys.readouterr().err
    assert f"'{package}'" in shown
    assert f"pip install '{extra}'" in shown
    monkeypatch.setattr("importlib.metadata.packages_distributions", lambda: {"validator": ["plan-validator-light"]})
    main(words.split())
    assert f"pip install '{extra.replace('[', '-light[')}'" in capsys.readouterr().err
