"""The first story: from the one-time link to a citation that opens the right page."""

from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tests.e2e.conftest import Visits
from tests.e2e.steps import QUESTION, SENTENCE, ask, make_notebook, upload, violations, write_pdf

_INSIDE = """() => {
  const page = document.querySelector('.pdfpage').getBoundingClientRect();
  const boxes = [...document.querySelectorAll('.marks rect')].map(r => r.getBoundingClientRect());
  return boxes.length > 0 && boxes.every(b => b.width > 2 && b.height > 2
    && b.left >= page.left && b.right <= page.right && b.top >= page.top && b.bottom <= page.bottom);
}"""
_SHIFTS = """() => new Promise(done => new PerformanceObserver((list, observer) => {
  observer.disconnect();
  done(list.getEntries().filter(e => !e.hadRecentInput).reduce((sum, e) => sum + e.value, 0));
}).observe({ type: 'layout-shift', buffered: true }) || setTimeout(() => done(0), 500))"""


def test_a_pdf_is_brought_read_asked_and_cited(visits: Visits, owner: Any, tmp_path: Path) -> None:
    page = visits.page(storage_state=owner)
    upload(page, write_pdf(tmp_path / "river report.pdf"))
    make_notebook(page, "The river", "river report")
    turn = ask(page)

    expect(turn).to_contain_text("118,000 tonnes")
    cite = turn.locator("a.cite").first
    cite.hover()
    expect(turn.locator(".said").first).to_be_visible()
    expect(turn.locator(".src[data-on]")).to_have_count(1)
    page.screenshot(path=tmp_path / "answer.png")
    assert violations(page) == []

    turn.locator(".src__do a").first.click()
    page.wait_for_url("**/evidence/**")
    expect(page.locator(".pdfpage canvas")).to_be_visible(timeout=20_000)
    expect(page.locator("[data-page-number]")).to_have_value("2")
    assert page.evaluate(_INSIDE)
    expect(page.locator("[data-answer]")).to_contain_text(QUESTION)
    page.screenshot(path=tmp_path / "evidence.png")
    assert violations(page) == []


def test_the_evidence_is_readable_without_any_script(
    visits: Visits, owner: Any, tmp_path: Path
) -> None:
    page = visits.page(storage_state=owner)
    upload(page, write_pdf(tmp_path / "scriptless.pdf"))
    make_notebook(page, "Without script", "scriptless")
    href = ask(page).locator(".src__do a").first.get_attribute("href")
    plain = visits.page(storage_state=owner, java_script_enabled=False)
    plain.goto(page.url)
    expect(plain.locator(".turn")).to_contain_text("118,000 tonnes")
    plain.goto(str(href))
    expect(plain.locator("mark")).to_contain_text(SENTENCE)


def test_a_question_that_the_sources_do_not_answer_says_so(
    visits: Visits, owner: Any, tmp_path: Path
) -> None:
    page = visits.page(storage_state=owner)
    upload(page, write_pdf(tmp_path / "only rivers.pdf"))
    make_notebook(page, "Only rivers", "only rivers")
    turn = ask(page, "Which violin concerto did the orchestra rehearse?")
    expect(turn.locator(".alert[data-tone=advisory]")).to_be_visible()
    assert violations(page) == []


def test_an_answer_moves_nothing_while_it_streams(
    visits: Visits, owner: Any, tmp_path: Path
) -> None:
    page = visits.page(storage_state=owner)
    upload(page, write_pdf(tmp_path / "still page.pdf"))
    make_notebook(page, "Still page", "still page")
    ask(page)
    page.evaluate("performance.clearResourceTimings()")
    page.reload()
    ask(page, "What makes the delta lose height?")
    assert page.evaluate(_SHIFTS) < 0.02


def test_a_refresh_in_mid_answer_joins_it_and_asks_once(
    visits: Visits, owner: Any, tmp_path: Path
) -> None:
    page = visits.page(storage_state=owner)
    upload(page, write_pdf(tmp_path / "refreshed.pdf"))
    make_notebook(page, "Refreshed", "refreshed")
    page.locator("[data-composer] textarea").fill(QUESTION)
    with page.expect_response("**/api/chat"):
        page.keyboard.press("Enter")
    page.reload()
    turn = page.locator(".turn")
    expect(turn).to_have_count(1)
    expect(turn).not_to_have_attribute("aria-busy", "true", timeout=30_000)
    expect(turn).to_contain_text("118,000 tonnes")
    other = visits.page(storage_state=owner)
    other.goto(page.url)
    expect(other.locator(".prose")).to_have_text(turn.locator(".prose").inner_text())
