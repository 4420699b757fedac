"""The workbench, driven as a person drives it with Debian's Chromium; what is no request; reports that stand alone."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")

from tests.docs.test_docs import blocks, prints_its_comments
from tests.support.axe import PATIENCE, answered, chromium, faults
from tests.support.pages import report_body
from tests.support.serving import serving
from validator import check
from validator.model.bundled import bundle
from validator.render.html.elements import element, html, page

MODEL = bundle("blocks")
DOMAIN, PROBLEM = (path.read_text(encoding="utf-8") for path in (MODEL.domain, MODEL.problem))
BROKEN = next(path for path in MODEL.plans if path.stem == "broken-order").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a service listens that runs as the command starts it."""
    folder = tmp_path_factory.mktemp("service")
    with serving(folder) as where:
        yield where
    assert list(folder.glob("*")) == []


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium("--host-resolver-rules=MAP evil.example 127.0.0.1") as found:
        yield found


@pytest.fixture
def workbench(address: str, browser: Any) -> Iterator[Any]:
    """The workbench; nothing of it may come from elsewhere, fail, or be refused by its policy."""
    context = browser.new_context(base_url=address, accept_downloads=True)
    context.set_default_timeout(PATIENCE)
    found = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    found.on("console", lambda message: said.append(message.text))
    found.on("pageerror", lambda error: said.append(str(error)))
    found.on("request", lambda request: asked.append(request.url))
    yield found
    context.close()
    assert [text for text in said if not re.search("status of (409|422)", text)] == []
    assert all(url.startswith((address, "blob:", "data:")) for url in asked)


def ask(page: Any, **texts: str) -> str:
    page.wait_for_selector("#pages a[aria-current]")
    for name, text in texts.items():
        page.evaluate("name => { document.getElementById(name).open = true; }", "model")
        page.fill(f"#field-{name}", text)
    return answered(page, lambda: page.click("#ask"))


@pytest.mark.deep
@pytest.mark.planner
def test_each_line_of_the_diff_is_taken_or_refused(workbench: Any) -> None:
    workbench.goto("/")
    workbench.wait_for_selector("#result[data-verdict=no]")
    assert workbench.locator("#example option:checked").inner_text() == "blocks: broken order"
    assert workbench.title() == "NOT VALID: blocks · plan-validator"
    report = check(DOMAIN, PROBLEM, BROKEN, time_limit=120)
    changed = [(line.diff_type, str(line.step)) for line in report.plan_diff_obj if line.diff_type]
    assert workbench.locator("tr.add ins").all_inner_texts() == [step for sign, step in changed if sign == "+"]
    assert workbench.locator(".editor .wrong").all_inner_texts() == ["(lift b)\n", "(place b c)\n"]
    workbench.get_by_label(f"take {' '.join(changed[-1])}").uncheck()
    assert workbench.locator(".choice .why").inner_text() == f"{len(changed) - 1} of {len(changed)} changes taken"
    assert answered(workbench, lambda: workbench.click("text=Use this plan")) == "no"
    assert workbench.locator(".editor .wrong").count() == 0  # it ends too early, and each of its steps is right
    assert answered(workbench, lambda: workbench.click("text=Use this plan")) == "yes"
    steps = workbench.input_value("#field-plan")
    assert check(DOMAIN, PROBLEM, steps).determination is True


@pytest.mark.deep
@pytest.mark.planner
def test_a_fault_leads_to_its_step_and_a_link_holds_the_case(workbench: Any, address: str) -> None:
    workbench.goto("/")
    assert ask(workbench, plan=BROKEN) == "no"
    workbench.click("text=Step 7 (lift b)")
    assert workbench.locator("#step-7.target").get_attribute("open") is not None
    workbench.click("#share")
    workbench.wait_for_selector('#status:has-text("The link is in")')
    link = workbench.url
    assert "#check=" in link
    workbench.goto("about:blank")
    workbench.goto(link)
    workbench.wait_for_selector("#result[data-verdict=no]")
    assert workbench.input_value("#field-plan") == BROKEN
    workbench.click("text=See how a text is read")
    assert workbench.input_value("#field-domain") == DOMAIN  # questions about one model share it


@pytest.mark.deep
def test_the_course_of_a_plan_over_time_is_shown(workbench: Any) -> None:
    workbench.goto("/")
    oven = "oven: a plan over time"
    assert answered(workbench, lambda: workbench.select_option("#example", label=oven)) == "no"
    course = workbench.locator("section", has=workbench.get_by_role("heading", name="Timeline"))
    assert course.locator("svg").bounding_box()["height"] > 100
    assert "(bake rye)" in course.locator("table.lines").inner_text()
    course.locator("a.bar text").nth(1).click()
    assert workbench.locator("#step-2.target").count() == 1
    assert workbench.input_value("#field-epsilon") == "0.01"
    assert ask(workbench, epsilon=" 0.005 ") == "yes"


@pytest.mark.deep
@pytest.mark.planner
def test_a_new_model_begins_without_the_options_and_the_pictures_of_the_last_one(workbench: Any) -> None:
    workbench.goto("/")
    workbench.wait_for_selector("#result[data-verdict=no]")
    assert workbench.input_value("#field-animation")
    small = {
        "d.pddl": "; small\n(define (domain small) (:predicates (p)) (:action a :effect (p)))",
        "p.pddl": "(define (problem x) (:domain small) (:init) (:goal (p)))",
        "steps.txt": "1. a\n",
    }
    files = [{"name": name, "mimeType": "text/plain", "buffer": text.encode()} for name, text in small.items()]
    answered(workbench, lambda: workbench.select_option("#example", label="oven: a plan over time"))
    assert workbench.locator("h2", has_text="nearest valid plan").count() == 1
    assert answered(workbench, lambda: workbench.set_input_files("#files", files)) == "yes"
    assert workbench.title() == "VALID: small · plan-validator"
    assert workbench.input_value("#field-epsilon") == workbench.input_value("#field-animation") == ""
    assert not workbench.is_checked("#field-timeline")
    other = small["d.pddl"].replace("small", "other").encode()
    workbench.set_input_files("#files", [{"name": "d.pddl", "mimeType": "text/plain", "buffer": other}])
    workbench.wait_for_selector("#status:has-text('Plan: nothing is there yet.')")
    assert workbench.input_value("#field-plan") == "", "that of another model"
    workbench.set_input_files("#files", [{"name": "x.png", "mimeType": "image/png", "buffer": b"\x89PNG\0"}])
    workbench.wait_for_selector("#status:has-text('x.png is not UTF-8 text.')")
    assert workbench.input_value("#field-plan") == ""


@pytest.mark.deep
def test_a_trace_and_its_plan_are_dropped_together(workbench: Any) -> None:
    workbench.goto("/#follow")
    workbench.wait_for_selector("#field-trace")
    told = {"run.json": '[{"name": "ask", "arguments": {}}]', "todo.txt": "1. ask()\n"}
    files = [{"name": name, "mimeType": "text/plain", "buffer": text.encode()} for name, text in told.items()]
    answered(workbench, lambda: workbench.set_input_files("#files", files))
    assert [workbench.input_value(f"#field-{name}") for name in ("trace", "plan")] == list(told.values())
    assert "1 of 1 planned step executed as planned" in workbench.locator("#result").inner_text()


@pytest.mark.deep
@pytest.mark.planner
def test_on_a_phone_what_is_asked_for_comes_into_view(workbench: Any) -> None:
    workbench.set_viewport_size({"width": 390, "height": 800})
    workbench.goto("/")
    workbench.wait_for_selector("#result[data-verdict=no]")
    assert workbench.evaluate("document.querySelector('header').offsetHeight") < 100
    answered(workbench, lambda: workbench.click("#ask"))
    workbench.wait_for_function("document.querySelector('.verdict').getBoundingClientRect().bottom < innerHeight")


@pytest.mark.deep
@pytest.mark.planner
def test_the_text_is_read_as_one_types(workbench: Any) -> None:
    workbench.goto("/")
    assert ask(workbench, plan=MODEL.plans[0].read_text(encoding="utf-8")) == "yes"
    workbench.focus("#field-plan")
    workbench.keyboard.press("Control+End")
    assert answered(workbench, lambda: workbench.keyboard.insert_text("(lower b <b>now</b>")) == "unknown"
    assert workbench.locator("#reading span.missed").count() > 0
    assert workbench.locator("#reading b:text-is('now')").count() == 0
    assert workbench.locator(".editor .line.missed").count() == 1


@pytest.mark.deep
@pytest.mark.planner
def test_the_keyboard_is_enough(workbench: Any) -> None:
    workbench.goto("/")
    workbench.wait_for_selector("#result[data-verdict=no]")
    workbench.keyboard.press("Tab")
    assert workbench.locator(":focus").inner_text() == "Skip to the result"
    for _ in range(30):
        if workbench.locator("#ask:focus").count():
            break
        workbench.keyboard.press("Tab")
    assert answered(workbench, lambda: workbench.keyboard.press("Enter")) == "no"


@pytest.mark.deep
@pytest.mark.planner
@pytest.mark.parametrize("name", ["check", "read", "why-not", "follow", "recognize", "repair-model"])
def test_every_question_fits_every_screen_and_axe_finds_nothing(workbench: Any, name: str) -> None:
    workbench.goto(f"/#{name}")
    workbench.wait_for_selector("#pages a[aria-current]")
    answered(workbench, lambda: workbench.click("#ask"))
    assert faults(workbench) == []
    workbench.set_viewport_size({"width": 360, "height": 800})
    assert workbench.evaluate("document.documentElement.scrollWidth") <= 360
    assert workbench.locator("h1").count() == 1
    ids = "[...document.querySelectorAll('[id]')].map(one => one.id)"
    assert len(workbench.evaluate(ids)) == len(set(workbench.evaluate(ids)))


@pytest.mark.deep
def test_an_error_marks_its_line_and_nothing_a_user_writes_is_markup(workbench: Any) -> None:
    workbench.goto("/")
    problem = "(define (problem x) (:domain d) (:init) (:goal (p)))"
    assert ask(workbench, domain="(define (domain d)\n (:foo))", problem=problem) == "error"
    assert "domain, line 2, column 2" in workbench.inner_text("#result")
    assert workbench.locator(".editor .line.wrong").inner_text() == " (:foo))\n"
    assert workbench.locator("#field-domain-words.no").inner_text().casefold().startswith("line 2: ")
    domain = "(define (domain <script>alert(1)</script>) (:predicates (p)) (:action a :effect (p)))"
    ask(
        workbench,
        domain=domain,
        problem=problem,
        plan="(<img src=x onerror=alert(1)>)\n(a \u202e\u0007</code><b>x</b>)",
    )
    assert workbench.locator("main img, main script").count() == 0
    assert workbench.locator("code b").count() == 0


@pytest.mark.deep
@pytest.mark.planner
def test_a_report_can_be_taken_home(workbench: Any) -> None:
    workbench.goto("/")
    ask(workbench, plan=BROKEN)
    files = {}
    for name in ("report.json", "report.html", "plan.diff"):
        with workbench.expect_download() as download:
            workbench.get_by_role("link", name=name).click()
        files[name] = Path(download.value.path()).read_text(encoding="utf-8")
    report = json.loads(files["report.json"])
    assert files["plan.diff"] == report["plan_diff_str"]
    assert "NOT VALID" in files["report.html"] and "<input" not in files["report.html"]


# --- what is no request --------------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.parametrize(
    "sent",
    [b"\x00\xff\r\n\r\n", b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"GET / HTTP/1.1\r\nX: " + b"a" * 200_000],
)
def test_what_is_no_http_is_a_problem_too(address: str, sent: bytes) -> None:
    host, _, port = address.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), 20) as connection:
        connection.sendall(sent)
        answer = connection.recv(10_000)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400") and b"application/problem+json" in head
    assert json.loads(body)["status"] == 400


# --- reports that stand alone --------------------------------------------------------------------


def test_a_report_stands_alone_and_is_well_formed() -> None:
    report = check(DOMAIN, PROBLEM, "(take b d)\n(<i>&'\" x)\n(lower b)\n", repair=False)
    text = page("<i>", report_body(report)[:0], element("p", "a\u202eb", title="'<\">"))
    assert "<title>&lt;i&gt;</title>" in text and "\u202e" not in text and "<i>" not in report_body(report)
    assert not re.search(r"(src|href)=\"?(http|//)", text)
    assert html(element("a", None, ("b", [element("i", "<")]), kind="x", hidden=True, href=None)) == (
        '<a class="x" hidden="">b<i>&lt;</i></a>'
    )


# --- who may ask, and the documented client ----------------------------------------------------------


@pytest.mark.deep
@pytest.mark.planner
def test_the_documented_client_prints_what_it_shows(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = (block.text for block in blocks("service.md") if block.language == "python")
    prints_its_comments(code.replace("http://127.0.0.1:8000", address), "service.md", capsys)


@pytest.mark.deep
def test_a_page_of_another_site_can_neither_send_nor_read(address: str, browser: Any) -> None:
    """It stands on another port of this machine, which to a browser is the same site and another origin."""
    context = browser.new_context()
    page = context.new_page()
    page.route("http://localhost:1/*", lambda route: route.fulfill(body="<p>elsewhere", content_type="text/html"))
    page.goto("http://localhost:1/")
    tried = """async ([url, options]) => {
        try { return [(await fetch(url, options)).status]; } catch { return "refused"; }
    }"""
    text = {"method": "POST", "body": "{}", "headers": {"Content-Type": "text/plain"}}
    assert page.evaluate(tried, [f"{address}/v1/validations", text]) == "refused"
    assert page.evaluate(tried, [f"{address}/v1/domains", {}]) == "refused"
    form = f'<form method="post" action="{address}/solve"><input name="plan" value="x"><button>Go</button></form>'
    page.set_content(form)
    with page.expect_response(f"{address}/solve") as sent:
        page.get_by_role("button", name="Go").click()
    assert sent.value.status == 403
    context.close()


@pytest.mark.deep
def test_a_name_that_its_owner_lets_resolve_to_this_machine_is_refused(address: str, browser: Any) -> None:
    """As with DNS rebinding: the browser takes the service for a part of that site, and sends no other sign of it."""
    context = browser.new_context()
    answer = context.new_page().goto(f"http://evil.example:{address.rpartition(':')[2]}/")
    assert answer.status == 421
    context.close()
