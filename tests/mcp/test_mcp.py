"""The MCP server: each tool by the SDK's own client, over both transports; limits; what is refused."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.docs.test_docs import blocks, prints_its_comments
from tests.support.depth import deep
from tests.support.processes import running_in, wait_for
from tests.support.serving import free_port, listens
from validator import check
from validator.errors import ValidatorError
from validator.model.bundled import bundle

pytest.importorskip("mcp.server.mcpserver", reason="needs the extra mcp")

from mcp import Client
from mcp.client.stdio import StdioServerParameters
from starlette.testclient import TestClient

from validator.mcp.results import short
from validator.mcp.server import http_app, make_server
from validator.mcp.tools import TOOLS, select_tools
from validator.mcp.workers import Calls, RefusedError
from validator.questions.job import Bounds
from validator.service.http.examples import over_time_example
from validator.service.settings import Settings
from validator.workers.lanes import Unanswered

COMMAND = ["-c", "import sys; from validator.cli import main; raise SystemExit(main(['mcp', *sys.argv[1:]]))"]
BLOCKS = bundle("blocks")
MODEL = {
    "domain": BLOCKS.domain.read_text(encoding="utf-8"),
    "problem": BLOCKS.problem.read_text(encoding="utf-8"),
}
PLANS = {path.stem: path.read_text(encoding="utf-8") for path in BLOCKS.plans}
FLOW = {"flow": "trip", "operators": [{"name": "find", "outputs": ["hotel"]}], "goals": [{"operator": "find"}]}
OVER_TIME = {name: value for name, value in over_time_example().items() if name != "repair"}
CALLED = [
    {"name": "geo", "parameters": {"city": {"type": "string"}}, "output_parameters": {"lat": {"type": "number"}}},
    {"name": "weather", "parameters": {"lat": {"type": "number"}}, "output_parameters": {"text": {"type": "string"}}},
]
CALLS = [{"name": "weather", "arguments": {"lat": "$x.lat$"}, "label": "w"}]


Answer = tuple[bool, str, dict[str, Any]]


async def called(client: Client, tool: str, arguments: dict[str, Any]) -> Answer:
    result = await client.call_tool(tool, arguments)
    return bool(result.is_error), result.content[0].text, result.structured_content or {}  # type: ignore[union-attr]


async def answers(server: Any, calls: list[tuple[str, dict[str, Any]]]) -> list[Answer]:
    async with Client(server) as client:
        return [await called(client, tool, arguments) for tool, arguments in calls]


@pytest.fixture(scope="module")
def ask() -> Iterator[Callable[..., Answer]]:
    """One server with one worker, asked in this process."""
    calls = Calls(1, Bounds(time_limit=20.0, most_characters=100_000))
    server = make_server(calls, TOOLS)
    with asyncio.Runner() as runner:
        yield lambda tool, **arguments: runner.run(answers(server, [(tool, arguments)]))[0]
        runner.run(calls.close())


# --- tools ---------------------------------------------------------------------------------------


async def _offered(tools: Any) -> Any:
    async with Client(make_server(Calls(1, Bounds()), tools)) as client:
        return (await client.list_tools()).tools


def test_every_tool_says_what_it_takes_in_few_characters() -> None:
    found = asyncio.run(_offered(TOOLS))
    assert [tool.name for tool in found] == [*TOOLS]
    for tool in found:
        assert tool.description and tool.annotations.read_only_hint and tool.output_schema is None
        assert tool.input_schema["additionalProperties"] is False
        for value in tool.input_schema["properties"].values():
            assert value["description"] and value["type"] and not value.keys() - _KEYS
    sent = [tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in found]
    assert len(json.dumps(sent, separators=(",", ":"))) <= 12_000


_KEYS = {"type", "enum", "items", "default", "description"}


def test_tools_are_chosen_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    found = asyncio.run(_offered(select_tools(["solve", "check_plan"])))
    assert [tool.name for tool in found] == ["solve", "check_plan"]
    with pytest.raises(ValidatorError, match=r"no tool 'slove' \(did you mean 'solve'\?\); there are check_plan, "):
        select_tools(["slove"])
    monkeypatch.setattr("validator.mcp.tools.find_spec", lambda _: None)
    assert [*select_tools(())] == [name for name in TOOLS if name != "repair_domain"]


@pytest.mark.parametrize(
    ("tool", "given", "name", "text", "items"),
    [
        ("check_plan", MODEL, "plan", PLANS["good"], PLANS["good"].splitlines()),
        ("follow_plan", {**MODEL, "plan": PLANS["good"]}, "changes", "(clear d)\n(not (clear d))", None),
        deep("why_not", MODEL, "questions", "must not (lower b)\nwithin cost 100", None),
        deep("recognize_goal", {**MODEL, "observations": "(take b d)"}, "goals", "(on b c)\n(on a b)", None),
        deep("recognize_goal", {**MODEL, "goals": "(on b c)\n(on a b)"}, "observations", "(take b d)\n(lower b)", None),
        ("compare_plans", {"plans": ["(a)", "(b)"]}, "metrics", "jaccard, lcs", ["jaccard", "lcs"]),
        ("check_tool_calls", {"calls": [], "repair": False}, "tools", json.dumps(CALLED), CALLED),
        ("check_tool_calls", {"tools": CALLED, "repair": False}, "calls", json.dumps(CALLS), CALLS),
        ("check_tool_calls", {"tools": CALLED, "calls": CALLS, "repair": False}, "goals", "geo,weather", None),
        ("check_adherence", {"trace": "[]", "plan": "geo(Oslo)"}, "require", "plan,followed", ["plan", "followed"]),
    ],
)
def test_a_text_and_a_list_mean_the_same(
    ask: Callable[..., Answer], tool: str, given: dict[str, Any], name: str, text: str, items: list[Any] | None
) -> None:
    listed = re.split(r"[,\n]", text) if items is None else items
    assert ask(tool, **given, **{name: text}) == ask(tool, **given, **{name: listed})


SEEN = {"observations": "(take c a)\n(place c d)", "goals": "(on c d)\n(on b a)"}
TRACE = '[{"name": "geo", "arguments": {"city": "Oslo"}}, {"name": "weather", "arguments": {"lat": 60}}]'


@pytest.mark.planner
@pytest.mark.parametrize(
    ("tool", "arguments", "said", "values"),
    [
        ("check_plan", {**MODEL, "plan": PLANS["good"]}, "The plan is valid.\n", {"determination": True}),
        ("check_plan", {"flow": FLOW, "plan": "hotel = find()"}, "is valid", {"determination": True}),
        ("check_plan", OVER_TIME, "0.005 apart, less than 0.01", {"determination": False}),
        ("check_plan", {**OVER_TIME, "epsilon": 0.005}, "is valid", {"determination": True}),
        ("check_plan", {**MODEL, "plan": PLANS["broken-order"]}, "The nearest valid plan:", {"proven": True}),
        ("check_plan", {**MODEL, "plan": "(lower\n"}, "not understood: '(lower'", {"determination": None}),
        ("solve", MODEL, "A plan of cost 8 (proven cheapest):\n", {"proven": True, "cost": 8}),
        ("recognize_goal", {**MODEL, **SEEN}, "(on c d)", {"completion": None}),
        ("why_not", {**MODEL, "questions": ["must not (lower b)"]}, "(lower b) must not happen", {}),
        ("why_not", {**MODEL, "questions": [], "plan": PLANS["good"], "foil": PLANS["broken-order"]}, "", {}),
        ("compare_plans", {"plans": ["(a)", "(a)"], "metrics": ["jaccard"]}, "jaccard  1", {}),
        ("check_tool_calls", {"tools": CALLED, "calls": CALLS}, "weather", {"determination": False}),
        ("check_adherence", {"trace": TRACE, "plan": "geo(Oslo)"}, "adherence", {}),
        ("list_models", {}, "blocks: ", {}),
        ("read", {**MODEL, "text": "Well:\n(take b d)"}, "1 (take b d)\n", {"completeness": "complete"}),
        ("read", {"text": TRACE}, "(geo city=Oslo)", {}),
    ],
)
def test_each_tool_answers(
    ask: Callable[..., Answer], tool: str, arguments: dict[str, Any], said: str, values: dict[str, Any]
) -> None:
    is_error, text, value = ask(tool, **arguments)
    assert not is_error and said in text, text
    assert {name: value[name] for name in values} == values


def test_a_domain_is_repaired(ask: Callable[..., Answer]) -> None:
    pytest.importorskip("pysat")
    flawed = {**MODEL, "domain": MODEL["domain"].replace("(clear ?below)\n", "\n")}
    _, text, value = ask("repair_domain", **flawed, plans=[PLANS["good"]])
    assert value["proven"] and "the effect (clear ?below) is missing" in text


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("check_plan", {**MODEL, "domain": "(define (domain d)\n  (:foo))", "plan": ""}, "<domain>:2:3: ':foo' is not"),
        ("check_plan", {**MODEL, "domain": "/etc/passwd", "plan": ""}, "'(define (domain NAME) ...' was expected"),
        (
            "check_plan",
            {**MODEL, "plam": "", "plan": ""},
            "no argument 'plam' (did you mean 'plan'?); there",
        ),
        ("check_plan", MODEL, "'plan' is missing: a text, or a list of steps"),
        (
            "check_plan",
            {**MODEL, "plan": "", "quality": "good"},
            "/quality: Input should be 'sound', 'valid' or 'optimal'",
        ),
        ("check_plan", {**MODEL, "plan": 3}, "/plan: Input should be a valid string or a valid array or an object"),
        ("check_plan", {**MODEL, "plan": "", "domain": "blocks.pddl"}, "the text of the file, not its name"),
        ("compare_plans", {"plans": "(a)"}, "a comparison takes two plans or more, not 1"),
        ("chek_plan", {}, "there is no tool 'chek_plan' (did you mean 'check_plan'?)"),
        ("check_plan", {**MODEL, "plan": "", "time_limit": 21}, "time_limit must be above 0 and at most 20, not 21"),
        ("check_plan", {**MODEL, "plan": "", "time_limit": -1}, "/time_limit: Input should be greater than 0"),
        ("check_plan", {**MODEL, "plan": "(a)" * 50_000}, "characters; the limit is 100,000"),
        (
            "compare_plans",
            {"plans": ["(a)", "(b)"], "domain": "(x)"},
            "'problem' is missing; a model is a domain and a problem",
        ),
        ("list_models", {"name": "../blocks"}, "no bundled model is called '../blocks'"),
        ("check_adherence", {"trace": "/etc/passwd"}, "<trace>"),
        ("check_plan", {**MODEL, "domain": "(" * 30_000, "plan": ""}, "<domain>"),
    ],
)
def test_what_cannot_be_understood_is_refused_with_its_place(
    ask: Callable[..., Answer], tool: str, arguments: dict[str, Any], message: str
) -> None:
    is_error, text, value = ask(tool, **arguments)
    assert is_error and message in text and not value


def test_a_plan_that_is_a_path_is_a_text(ask: Callable[..., Answer]) -> None:
    is_error, _, value = ask("check_plan", **MODEL, plan=str(BLOCKS.plans[0]))
    assert not is_error and value["determination"] is None and not value["is_understood"]


# --- long answers --------------------------------------------------------------------------------


@pytest.mark.planner
def test_the_answer_to_a_long_plan_is_short_and_says_how_long_the_whole_is(ask: Callable[..., Answer]) -> None:
    plan = PLANS["good"] + "(lift a)\n(place a b)\n(lift d)\n" * 150
    report = check(MODEL["domain"], MODEL["problem"], plan, repair=False)
    is_error, text, value = ask("check_plan", **MODEL, plan=plan, repair=False)
    assert not is_error and len(text.encode()) <= 4000
    assert len(json.dumps(value)) < 12_000
    assert text.splitlines()[1].startswith("Step 9 (lift a): ") and "[Cut: the whole has " in text
    assert value["cut"]["failures"] == len(report.failures)
    assert value["cut"]["feedback"] == len(report.feedback().splitlines())


_SHAPES = st.recursive(
    st.text(max_size=9).map(lambda text: 300 * text) | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=9).map(lambda items: 5 * items) | st.dictionaries(st.text("ab"), inner),
    max_leaves=5,
)


@settings(max_examples=30)
@given(_SHAPES)
@example(5 * ["0\x80" * 300])
@example("\0" * 300)
def test_whatever_is_cut_is_short_and_told(value: Any) -> None:
    text = "".join(f"line {number} {'x' * 50}\n" for number in range(200))
    answer = short({"feedback": text, "field": value})
    assert len(answer["feedback"].encode()) <= 4000 and answer["cut"]["feedback"] == 200
    assert (answer["field"] == value) is (len(answer["cut"]) == 1)


# --- limits --------------------------------------------------------------------------------------

# No execution ends in time: a plan whose every step adds up the numbers of all triples of many objects.
_MANY = [f"o{number}" for number in range(300)]
HEAVY = {
    "domain": "(define (domain d) (:requirements :adl :numeric-fluents) (:predicates (g)) (:functions (v ?x)) "
    "(:action a :parameters () :precondition (forall (?x ?y ?z) (>= (+ (v ?x) (+ (v ?y) (v ?z))) 0)) :effect (g)))",
    "problem": f"(define (problem q) (:domain d) (:objects {' '.join(_MANY)}) "
    f"(:init {' '.join(f'(= (v {name}) 1)' for name in _MANY)}) (:goal (g)))",
    "plan": "(a)\n" * 50,
}


def test_a_call_that_takes_too_long_ends_and_the_next_is_answered(ask: Callable[..., Answer]) -> None:
    start = time.monotonic()
    _, text, _ = ask("check_plan", **HEAVY, time_limit=0.2)
    assert "time limit" in text, text
    assert time.monotonic() - start < 60  # without the limit it would be an hour
    assert ask("check_plan", **MODEL, plan=PLANS["good"])[2]["determination"] is True


def _worker(calls: Calls) -> int:
    """Return the process of the only lane, 0 where none works."""
    (lane,) = calls._lanes.lanes  # type: ignore[union-attr]
    return lane._process.pid if lane.is_ready and lane._process else 0  # type: ignore[return-value]


@pytest.mark.deep
def test_a_cancelled_call_frees_its_process_and_one_that_dies_is_replaced() -> None:
    async def ended() -> Any:
        calls = Calls(1, Bounds())
        await calls.answer("list_models", {})
        before = _worker(calls)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await calls.answer("check_plan", HEAVY)
        answer = await calls.answer("list_models", {})
        task = asyncio.create_task(calls.answer("check_plan", HEAVY))
        while not calls._lanes.running:  # type: ignore[union-attr]
            await asyncio.sleep(0.01)
        for _ in range(2):
            while _worker(calls) in (0, before):
                await asyncio.sleep(0.05)
            before = _worker(calls)
            os.kill(before, signal.SIGKILL)
        with pytest.raises(RefusedError, match="2 processes died of it"):
            await task
        assert await calls.answer("list_models", {}) == answer
        await calls.close()
        return answer

    assert asyncio.run(ended())["models"]


def test_a_call_beyond_those_that_may_wait_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.mcp.workers._MOST_WAITING", 2)

    async def refused() -> Answer:
        calls = Calls(1, Bounds())
        running = [asyncio.create_task(calls.answer("check_plan", HEAVY))]
        while not running[0].done() and not (calls._lanes and calls._lanes.running):
            await asyncio.sleep(0.01)
        running += [asyncio.create_task(calls.answer("check_plan", HEAVY)) for _ in range(2)]
        found = await answers(make_server(calls, TOOLS), [("list_models", {})])
        await calls.close()
        ended = await asyncio.gather(*running, return_exceptions=True)
        assert [str(error) for error in ended] == [f"the call has no answer: {Unanswered.STOPPED}"] * 3
        return found[0]

    is_error, text, _ = asyncio.run(refused())
    assert is_error and text.startswith("too many calls are waiting: try again in ")


# --- transports ----------------------------------------------------------------------------------


def test_calls_over_http_are_those_of_a_token() -> None:
    """Clients take turns, and none takes more than half of what may wait."""
    seen: list[tuple[str, str]] = []

    class Seen(Calls):
        async def answer(self, tool: str, arguments: Any, client: str = "") -> dict[str, Any]:
            seen.append((tool, client))
            return {"feedback": "", "models": []}

    tokens = ("ann", "0123456789abcdef"), ("bob", "fedcba9876543210")
    app = http_app(Seen(1, Bounds()), TOOLS, Settings(tokens=tokens))
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_models", "arguments": {}}}
    with TestClient(app, base_url="http://localhost") as http:
        for _, token in tokens:
            headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
            assert "result" in http.post("/mcp", json=body, headers=headers).json()
    assert seen == [("list_models", "token ann"), ("list_models", "token bob")]


ROUND = [
    ("check_plan", {**MODEL, "plan": PLANS["good"]}),
    ("check_plan", {**MODEL, "plan": PLANS["broken-order"]}),
    ("check_plan", {**MODEL, "domain": "(define (domain d) (:foo))", "plan": ""}),
    ("list_models", {}),
]


def checked(found: list[Answer]) -> None:
    assert [is_error for is_error, _, _ in found] == [False, False, True, False]
    assert [value.get("determination") for _, _, value in found[:2]] == [True, False]


@pytest.mark.parametrize("mode", ["auto", deep("legacy")])
def test_calls_over_standard_input_and_output(mode: str) -> None:
    async def talk() -> list[Answer]:
        server = StdioServerParameters(command=sys.executable, args=[*COMMAND, "--workers", "1"], env=dict(os.environ))
        async with Client(server, mode=mode) as client:
            return [await called(client, tool, arguments) for tool, arguments in ROUND]

    checked(asyncio.run(talk()))


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Start a server over HTTP and return its address; it is ended by SIGTERM, and leaves nothing behind."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str) -> str:
        port = free_port()
        command = [sys.executable, *COMMAND, "--http", f"127.0.0.1:{port}", "--workers", "1", *arguments]
        started.append(subprocess.Popen(command, cwd=tmp_path))
        wait_for(lambda: listens(port))
        return f"http://127.0.0.1:{port}/mcp"

    yield start
    for process in started:
        process.terminate()
        assert process.wait(60) in (0, -15)
    assert running_in(tmp_path) == []


@pytest.mark.deep
@pytest.mark.parametrize("mode", ["auto", deep("legacy")])
def test_calls_over_http(serve: Callable[..., str], mode: str) -> None:
    async def talk(address: str) -> list[Answer]:
        async with Client(address, mode=mode) as client:
            return [await called(client, tool, arguments) for tool, arguments in ROUND]

    checked(asyncio.run(talk(serve())))


@pytest.mark.deep
def test_a_token_and_this_host_are_demanded(serve: Callable[..., str], tmp_path: Path) -> None:
    import httpx2

    (tmp_path / "token").write_text("ann 0123456789abcdef\n")
    address = serve("--token-file", str(tmp_path / "token"))
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    shown = ["", "Bearer wrong", "Bearer 0123456789abcdef"]
    codes = [
        httpx2.post(address, json=body, headers={"Authorization": one} if one else {}).status_code for one in shown
    ]
    assert codes[:2] == [401, 401] and codes[2] != 401
    assert httpx2.post(address, json={}, headers={"Host": "evil.example"}).status_code == 421


@pytest.mark.deep
@pytest.mark.planner
def test_the_page_prints_what_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = (block.text for block in blocks("mcp.md") if block.language == "python")
    started = 'StdioServerParameters(command="plan-validator", args=["mcp"])'
    assert started in code
    here = f"StdioServerParameters(command={sys.executable!r}, args={COMMAND!r}, env={{**__import__('os').environ}})"
    prints_its_comments(code.replace(started, here), "mcp.md", capsys)
