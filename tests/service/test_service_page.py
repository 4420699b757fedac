"""The page, driven as a person drives it: with Debian's Chromium, without JavaScript, and by plain requests."""

from __future__ import annotations

import json
import re
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.places import ROOT

pytest.importorskip("fastapi")

from tests.support.output_schemas import read_sarif
from tests.support.serving import serving
from validator import check
from validator.model.bundled import bundle
from validator.render.html.page import page as document
from validator.render.html.page import parts
from validator.render.html.report import report_page
from validator.service.http.examples import over_time_example

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
MODEL = bundle("blocks")
DOMAIN, PROBLEM = (path.read_text(encoding="utf-8") for path in (MODEL.domain, MODEL.problem))


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a service listens that runs as the command starts it."""
    folder = tmp_path_factory.mktemp("service")
    with serving(folder) as where:
        yield where
    assert list(folder.glob("*")) == []


_REBOUND = "--host-resolver-rules=MAP evil.example 127.0.0.1"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("needs Chromium")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", _REBOUND])
        yield found
        found.close()


@pytest.fixture
def page(address: str, browser: Any) -> Iterator[Any]:
    """A page without JavaScript; nothing of it may come from elsewhere or be refused by its policy."""
    context = browser.new_context(java_script_enabled=False, base_url=address, accept_downloads=True)
    found = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    found.on("console", lambda message: said.append(message.text))
    found.on("request", lambda request: asked.append(request.url))
    yield found
    context.close()
    assert said == []
    assert all(url.startswith(address) for url in asked)


def _press(page: Any, name: str) -> None:
    """Press a button and wait for the page that it leads to, as what is counted on a page does not wait by itself."""
    with page.expect_navigation():
        page.get_by_role("button", name=re.compile(f"^{name}$")).click()


@pytest.mark.deep
@pytest.mark.planner
def test_a_person_checks_a_bundled_plan_and_applies_the_repair(page: Any, tmp_path: Path) -> None:
    page.goto("/")
    page.select_option("#model", "blocks")
    _press(page, "Fill in")
    page.select_option("#pick", "broken-order")
    _press(page, "Fill in")
    _press(page, "Check")
    assert page.locator(".verdict").inner_text().startswith("✗ NOT VALID")
    page.screenshot(path=tmp_path / "not-valid.png", full_page=True)
    assert page.locator("tr.add ins").all_inner_texts() == ["(lift b)", "(place b c)"]
    assert page.locator("tr.del del").all_inner_texts() == ["(lift b)", "(place b c)"]
    page.get_by_role("link", name="step 6", exact=True).first.click()
    assert page.url.endswith("#step-6")
    with page.expect_download() as download:
        page.get_by_role("link", name="repaired.plan").click()
    assert check(DOMAIN, PROBLEM, Path(download.value.path()).read_text()).determination is True
    link = page.get_by_role("link", name="Link to this result").get_attribute("href")
    _press(page, "Apply the repair.*")
    assert page.locator(".verdict").inner_text().startswith("✓ VALID")
    page.goto(link)  # the link still shows what it showed
    assert page.locator(".verdict").inner_text().startswith("✗ NOT VALID")
    _press(page, "Edit and (check|ask) again")
    assert "(take b d)" in page.locator("textarea#plan").input_value()


@pytest.mark.deep
def test_the_course_of_a_plan_over_time_is_shown(page: Any, tmp_path: Path) -> None:
    asked = over_time_example()
    page.goto("/")
    page.click("text=Options")
    for name in ("domain", "problem", "plan", "epsilon"):
        page.fill(f"#{name}", asked[name])
    page.select_option("#repair", "no")
    _press(page, "Check")
    assert page.locator(".verdict").inner_text().startswith("✗ NOT VALID")
    course = page.locator("section", has=page.get_by_role("heading", name="Course"))
    assert course.locator("svg").bounding_box()["height"] > 100
    assert "(bake rye)" in course.locator("table.course").inner_text()
    page.screenshot(path=tmp_path / "course.png", full_page=True)
    _press(page, "Edit and (check|ask) again")
    assert page.locator("#epsilon").input_value() == "0.01"
    page.fill("#epsilon", " 0.005 ")
    _press(page, "Check")
    assert page.locator(".verdict").inner_text().startswith("✓ VALID")
    refused = page.request.post("/check", form={**asked, "epsilon": "-1", "timeline": "yes", "repair": "no"})
    assert (refused.status, "epsilon is a number above 0" in refused.text()) == (422, True)


@pytest.mark.deep
def test_the_table_of_a_classical_plan_is_shown_where_it_is_asked_for(page: Any) -> None:
    page.goto("/?model=blocks")
    _press(page, "Check")
    page.locator(".verdict").wait_for()
    assert page.locator("table.course").count() == 0
    _press(page, "Edit and (check|ask) again")
    page.click("text=Options")
    page.check("#trace")
    _press(page, "Check")
    assert "(take b d)" in page.locator("table.course").inner_text()
    _press(page, "Edit and (check|ask) again")
    assert page.locator("#trace").is_checked()


@pytest.mark.deep
@pytest.mark.planner
def test_the_keyboard_is_enough(page: Any) -> None:
    page.goto("/?model=blocks&plan=broken-missing-step")
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the content"
    for _ in range(30):
        if page.locator(":focus").inner_text() == "Check" and page.locator("button:focus").count():
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/results/*")
    assert "NOT VALID" in page.locator(".verdict").inner_text()


@pytest.mark.deep
@pytest.mark.planner
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_it_without_a_sideways_scroll(page: Any, tmp_path: Path, scheme: str) -> None:
    page.set_viewport_size({"width": 360, "height": 700})
    page.emulate_media(color_scheme=scheme)
    page.goto("/?model=blocks&plan=broken-order")
    _press(page, "Check")
    page.screenshot(path=tmp_path / f"{scheme}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.deep
@pytest.mark.planner
def test_the_other_pages_answer(page: Any, tmp_path: Path) -> None:
    page.goto("/recognition")
    _press(page, "Recognize")
    page.get_by_text("Best of 2 goals (proven): (on a b), (on b c)").first.wait_for()
    assert page.get_by_role("heading", name="Goal recognition").is_visible()
    assert page.locator("svg polyline").count() == 2
    assert page.locator("svg").first.bounding_box()["height"] > 200
    assert page.locator("table.ranking svg.bar").count() == 2 and page.locator("pre.changes .add").count() > 0
    observed = page.locator("section", has_text="After each observation").locator("code")
    assert observed.all_inner_texts() == ["", "(take b d)", "(lift a)"]
    page.screenshot(path=tmp_path / "recognition.png", full_page=True)
    page.goto("/adherence")
    page.fill("#plan", "(a)\n(b)\n")
    page.fill("#trace", '[{"name": "a", "arguments": {}}]')
    _press(page, "Compare")
    page.get_by_text("missing").first.wait_for()
    page.goto("/batch")
    page.fill("#records", '{"domain": "(define", "problem": "(define", "plan": "(a)"}')
    _press(page, "Check all")
    page.wait_for_selector("th:text-is('errors')")
    assert page.locator("td").last.inner_text() == "1"
    page.goto("/docs")
    assert "/v1/validations" in page.content()


FLOW = """flow: stay
operators:
  - {name: find, inputs: [city], outputs: [hotel]}
  - {name: book, inputs: [hotel], outputs: [booking]}
goals: [{known: booking}]
"""


@pytest.mark.deep
@pytest.mark.planner
def test_a_flow_is_checked_and_repaired(page: Any) -> None:
    page.goto("/")
    page.get_by_text("Or a flow").click()
    page.fill("#flow", FLOW)
    page.fill("#plan", "hotel = find(city)\nbooking = bok(hotel)\n")
    _press(page, "Check")
    assert page.locator(".verdict").inner_text().startswith("✗ NOT VALID")
    page.get_by_role("link", name="Step 2 booking").click()
    assert page.locator("#step-2").inner_text() == "booking = bok(hotel)"
    _press(page, "Apply the repair.*")
    assert page.locator(".verdict").inner_text().startswith("✓ VALID")
    _press(page, "Edit and (check|ask) again")
    assert page.locator("#flow").input_value() == FLOW


@pytest.mark.deep
@pytest.mark.planner
def test_goals_of_a_flow_are_recognised(page: Any) -> None:
    page.goto("/recognition")
    page.get_by_role("link", name="a flow").click()
    _press(page, "Recognize")
    page.get_by_text("Best of 2 goals (proven): know booking").first.wait_for()
    assert page.get_by_text("Best of 2 goals (proven): know booking").count() == 2
    with page.expect_download() as download:
        page.get_by_role("link", name="page.html").click()
    assert Path(download.value.path()).read_text().startswith("<!DOCTYPE html>")
    page.goto(page.get_by_role("link", name="Link to this result").get_attribute("href"))
    assert page.locator("nav").count() == 1


@pytest.mark.deep
def test_what_cannot_be_read_can_be_edited(page: Any) -> None:
    page.goto("/")
    page.fill("#domain", "(define (domain d)\n (:foo))")
    page.fill("#problem", "(define (problem p) (:domain d))")
    _press(page, "Check")
    assert "domain, line 2, column 2" in page.locator(".verdict").inner_text()
    _press(page, "Edit and (check|ask) again")
    assert ":foo" in page.locator("#domain").input_value()


@pytest.mark.deep
def test_the_findings_can_be_taken_home_as_sarif(page: Any) -> None:
    page.goto("/?model=blocks&plan=broken-order")
    page.select_option("#repair", "no")
    _press(page, "Check")
    files = {}
    for name in ("report.sarif", "report.json", "report.html"):
        with page.expect_download() as download:
            page.get_by_role("link", name=name).click()
        files[name] = Path(download.value.path()).read_text()
    found = read_sarif(files["report.sarif"])
    assert found[0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 8
    assert "sarif" not in json.loads(files["report.json"])


def test_a_part_of_a_page_is_what_it_was_made_of() -> None:
    assert parts(document("A", "b { }", "<p>c</p>\n<p>d</p>")) == ("A", "b { }", "<p>c</p>\n<p>d</p>")


@pytest.mark.parametrize("text", ["", "<title>a</title><style></style><body>b</body>", "<main>\nb\n</main>\n</body>"])
def test_a_page_of_another_make_is_refused_rather_than_shown_empty(text: str) -> None:
    with pytest.raises(ValueError, match="not one of these pages"):
        parts(text)


@pytest.mark.deep
def test_what_a_user_writes_is_never_markup(page: Any) -> None:
    page.goto("/")
    page.fill("#domain", "(define (domain <script>alert(1)</script>) (:predicates (p)) (:action a :effect (p)))")
    page.fill("#problem", "(define (problem x) (:domain d) (:init) (:goal (p)))")
    page.fill("#plan", "(<img src=x onerror=alert(1)>)\n(a \u202e\u0007</code><b>x</b>)")
    page.select_option("#repair", "no")
    _press(page, "Check")
    page.locator(".verdict").wait_for()
    assert page.locator("main img, main script").count() == 0
    assert page.locator("code b").count() == 0


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
    plan = "(take b d)\n(<i>&'\" x)\n(lower b)\n"
    text = report_page(check(DOMAIN, PROBLEM, plan, repair=False).to_json())
    assert not re.search(r"(src|href)=\"?(http|//)", text)
    assert "<i>" not in text
    assert "NOT VALID" in text


def test_a_long_run_of_equal_steps_is_folded() -> None:
    rows = [{"diff_type": None, "step": f"(s{number})"} for number in range(40)]
    value = check(DOMAIN, PROBLEM, "(take b d)", repair=False).to_json()
    value |= {"plan_diff_obj": [*rows, {"diff_type": "+", "step": "(t)"}, *rows], "proven": True}
    text = report_page(value)
    assert text.count("37 unchanged steps") == 2
    assert "<td>44</td><td>45</td>" in text


def test_a_notebook_shows_a_report() -> None:
    shown = check(DOMAIN, PROBLEM, "(take b d)", repair=False)._repr_html_()
    assert shown.startswith("<div")
    assert "NOT VALID" in shown


# --- the page of the documentation -----------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.planner
def test_the_documented_client_prints_what_it_shows(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    exec(compile(code.replace("http://127.0.0.1:8000", address), "service.md", "exec"), {})
    shown = [line.removeprefix("# ") for line in code.splitlines() if line.startswith("# ")]
    assert capsys.readouterr().out.splitlines() == shown


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
    form = f'<form method="post" action="{address}/check"><input name="plan" value="x"><button>Go</button></form>'
    page.set_content(form)
    with page.expect_response(f"{address}/check") as sent:
        _press(page, "Go")
    assert sent.value.status == 403
    context.close()


@pytest.mark.deep
def test_a_name_that_its_owner_lets_resolve_to_this_machine_is_refused(address: str, browser: Any) -> None:
    """As with DNS rebinding: the browser takes the service for a part of that site, and sends no other sign of it."""
    context = browser.new_context()
    answer = context.new_page().goto(f"http://evil.example:{address.rpartition(':')[2]}/")
    assert answer.status == 421
    context.close()


# --- forms as they were, and requests to try ---------------------------------------------------------

WRONG = "(define (domain d)\n (:predicates (p))\n (:action a :precondition (q) :effect (p)))"
EMPTY = "(define (problem p) (:domain d) (:init) (:goal (p)))"
_ASKED = {
    "check": {"plan": "(a)\n"},
    "reading": {"text": "(a)\n"},
    "recognition": {"observations": "(a)\n", "goals": "(p)\n"},
    "adherence": {"plan": "(a)\n", "trace": '[{"name": "a", "arguments": {}}]'},
    "why-not": {"plan": "(a)\n", "questions": "must not (a)\nnever (p)\n"},
    "model-repair": {"plans": "(a)\n---\n(a)\n(a)\n", "must_fail": "", "protect": "a p"},
}


@pytest.mark.deep
@pytest.mark.planner
@pytest.mark.parametrize("name", _ASKED)
def test_what_was_asked_stands_in_the_form_again_and_an_error_marks_its_line(page: Any, name: str) -> None:
    given = {"domain": WRONG, "problem": EMPTY, **_ASKED[name]}
    answer = page.request.post(f"/{name}", form=given)
    page.goto(answer.url)
    page.wait_for_selector("text=/Edit and/", timeout=30_000)
    if name != "model-repair":  # which takes an undeclared predicate for a fault that can be mended
        assert "(q)" in page.locator(".pddl .line.wrong").inner_text()
    _press(page, "Edit and (check|ask) again")
    for field, text in given.items():
        place = page.locator(f"[name={field}]")
        assert place.input_value().strip() == text.strip()


@pytest.mark.deep
@pytest.mark.planner
def test_a_request_of_the_interface_is_tried(page: Any) -> None:
    page.goto("/docs")
    page.get_by_text("POST /v1/validations").click()
    form = page.locator("form", has=page.locator("#body-validations"))
    assert "clear ?top" in form.locator("textarea").input_value()
    form.get_by_role("button", name="Try it").click()
    assert page.get_by_role("status").inner_text() == "200 OK"
    assert '"determination": false' in page.locator("pre").inner_text()
    page.fill("#body", '{"plan": 1}')
    _press(page, "Try it again")
    assert page.get_by_role("status").inner_text() == "422 Unprocessable Entity"
    assert page.locator("#body").input_value() == '{"plan": 1}'
    refused = page.request.post("/docs/try", form={"operation": "check-page", "body": "{}"})
    assert refused.status == 404


@pytest.mark.deep
def test_a_field_has_line_numbers_and_colours_as_one_writes(address: str, browser: Any) -> None:
    context = browser.new_context(base_url=address)
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto("/?model=blocks&plan=good")
    page.focus("#plan")
    page.keyboard.press("Control+End")
    page.keyboard.type("(lift a) ; <b>again</b>\n\n" + "(lift b)" * 100)
    page.keyboard.press("Control+Home")
    page.keyboard.type("; first\n")
    page.fill("#problem", page.input_value("#problem").replace("(on d)", "(on ?x :y)") + "\n" * 40)
    page.evaluate("plan => { plan.scrollTop = 50; plan.scrollLeft = 400; }", page.query_selector("#plan"))
    for _ in range(100):  # the page's policy lets no script wait for it
        if page.evaluate("document.querySelector('#plan').previousSibling.scrollLeft") == 400:
            break
        page.wait_for_timeout(50)
    for name in ("domain", "problem", "plan"):
        copied = page.evaluate("id => document.getElementById(id).previousSibling.textContent", name)
        assert copied == page.input_value(f"#{name}") + "\n"
    lines = page.locator("#plan").evaluate("plan => [...plan.previousSibling.querySelectorAll('.line')].length")
    assert lines == page.input_value("#plan").count("\n") + 1
    assert "; <b>again</b>" in page.locator(".editor .rem").all_text_contents()
    assert page.locator("#plan").evaluate("plan => plan.scrollTop === plan.previousSibling.scrollTop")
    page.fill("#plan", "x" * 200_001)
    assert page.locator("#plan").evaluate("plan => getComputedStyle(plan.previousSibling).display") == "none"
    context.close()
    assert said == []
