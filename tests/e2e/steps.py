"""What people do on the pages, one function a deed."""

import json
from pathlib import Path
from typing import Any

from fpdf import FPDF
from playwright.sync_api import Locator, Page, expect

from tests.support.cast import PASSWORD
from tests.support.web_server import ROOT

OWNER = "Clara"
SENTENCE = "A flushing flow of 900 cubic metres per second moves 118,000 tonnes of sediment."
QUESTION = "How many tonnes of sediment does a flushing flow move?"
_AXE = (ROOT / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_READING_MS = 60_000
_ANSWER_MS = 30_000


def found(page: Page, welcome: str) -> None:
    """Opens the one-time link and makes the owner with an empty vault."""
    page.goto(welcome)
    page.get_by_label("What to call you").fill(OWNER)
    page.get_by_label("E-mail").fill("clara@example.org")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("Name of your vault").fill("Riu Obert")
    page.get_by_role("button", name="Create my vault").click()
    expect(page.get_by_role("heading", name="Three steps to the first answer")).to_be_visible()


def write_pdf(path: Path) -> Path:
    """A PDF of three pages about a river; the sentence of the answer is on the second."""
    pdf = FPDF()
    pdf.set_font("Times", size=13)
    filler = "The delta loses height because its soil settles and the sea rises. "
    for text in (filler * 6, f"{filler * 3}{SENTENCE} {filler * 2}", "Appendix with addresses."):
        pdf.add_page()
        pdf.multi_cell(0, 7, text)
    pdf.output(str(path))
    return path


def upload(page: Page, *paths: Path) -> None:
    """Uploads files to the library and waits until their records are listed."""
    page.goto("/library")
    page.locator("[data-files]").set_input_files(list(paths))
    for path in paths:
        expect(page.get_by_role("link", name=path.stem)).to_be_visible(timeout=_READING_MS)


def make_notebook(page: Page, title: str, *records: str, shared: bool = False) -> None:
    """Makes a notebook from records in the dialog, and waits until it can be asked."""
    page.goto("/notebooks")
    page.locator("[data-new-notebook]").first.click()
    dialog = page.locator("#create-dialog")
    dialog.locator("[name=title]").fill(title)
    if shared:
        dialog.locator("[name=visibility][value=workspace]").check()
    for record in records:
        dialog.locator("[data-query]").fill(record)
        dialog.locator(".pickrow", has_text=record).first.locator("input").check()
    dialog.locator("button[type=submit]").click()
    page.wait_for_url("**/notebooks/*-*")
    wait_until_ready(page)


def wait_until_ready(page: Page) -> None:
    """Waits for the first source to have been read, as the page itself tells."""
    expect(page.locator("main[data-ready=true]")).to_be_attached(timeout=_READING_MS)
    expect(page.locator("[data-progress] .strip")).to_have_count(0, timeout=_READING_MS)


def ask(page: Page, question: str = QUESTION) -> Locator:
    """Asks and waits for the end of the answer; gives its turn."""
    before = page.locator(".turn").count()
    page.locator("[data-composer] textarea").fill(question)
    page.keyboard.press("Enter")
    turn = page.locator(".turn").nth(before)
    expect(turn).not_to_have_attribute("aria-busy", "true", timeout=_ANSWER_MS)
    return turn


def violations(page: Page) -> list[str]:
    """What axe finds on the page as it stands (WCAG 2.2 A and AA, best practice)."""
    page.evaluate(f"{_AXE}; 0")
    report: dict[str, Any] = page.evaluate("rules => axe.run(document, {runOnly: rules})", _RULES)
    return [
        f"{found['id']}: {node['html'][:200]}"
        for found in report["violations"]
        for node in found["nodes"]
    ]


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than its window."""
    wide: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return max(0, wide)


def told(*frames: tuple[str, dict[str, Any]]) -> str:
    """Frames as a stream of server-sent events."""
    return "".join(
        f"id: {seq}\nevent: {name}\ndata: {json.dumps(data)}\n\n"
        for seq, (name, data) in enumerate(frames, start=1)
    )
