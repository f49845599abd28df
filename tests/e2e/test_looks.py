"""Every page at both widths and in both themes: no violation, nothing wider than the window."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Visits
from tests.e2e.steps import overflow, violations

LOOKS = [
    pytest.param(phone, dark, id=f"{'phone' if phone else 'desk'}-{'dark' if dark else 'light'}")
    for phone in (False, True)
    for dark in (False, True)
]


def _in_order(page: Page, picture: Path) -> None:
    page.screenshot(path=picture)
    assert violations(page) == []
    assert overflow(page) == 0


@pytest.mark.parametrize("phone, dark", LOOKS)
def test_pages_are_in_order(
    visits: Visits, owner: Any, river: str, tmp_path: Path, phone: bool, dark: bool
) -> None:
    page = visits.page(storage_state=owner, phone=phone, dark=dark)
    for name, path in {
        "home": "/",
        "library": "/library",
        "library-nothing": "/library?q=nothing-has-this-word",
        "notebooks": "/notebooks",
        "notebooks-nothing": "/notebooks?q=nothing-has-this-word",
        "notebook": river,
        "profile": "/profile",
        "missing": "/notebooks/00000000-0000-4000-8000-000000000000",
    }.items():
        page.goto(path)
        page.wait_for_load_state("networkidle")
        _in_order(page, tmp_path / f"{name}.png")


@pytest.mark.parametrize("phone, dark", LOOKS)
def test_dialogs_records_and_evidence_are_in_order(
    visits: Visits, owner: Any, river: str, tmp_path: Path, phone: bool, dark: bool
) -> None:
    page = visits.page(storage_state=owner, phone=phone, dark=dark)
    page.goto("/notebooks?new")
    expect(page.locator("#create-dialog .pickrow").first).to_be_visible()
    _in_order(page, tmp_path / "create.png")
    page.goto("/library")
    page.locator("[data-open-links]").click()
    _in_order(page, tmp_path / "links.png")
    page.goto(str(page.locator("table a.t").first.get_attribute("href")))
    _in_order(page, tmp_path / "record.png")
    page.goto(river)
    page.goto(str(page.locator(".src a.src__t").first.get_attribute("href")))
    expect(page.locator(".pdfpage canvas")).to_be_visible(timeout=20_000)
    _in_order(page, tmp_path / "evidence.png")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_strangers_see_pages_in_order(
    visits: Visits, site: Any, tmp_path: Path, dark: bool
) -> None:
    page = visits.page(phone=dark, dark=dark)
    page.goto("/sign-in")
    page.get_by_label("E-mail").fill("nobody@example.org")
    page.get_by_label("Password").fill("not the password")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    _in_order(page, tmp_path / "refused.png")
    page.goto("/welcome?token=made-up")
    _in_order(page, tmp_path / "closed.png")


def test_the_parts_of_a_notebook_are_tabs_on_a_phone(
    visits: Visits, owner: Any, river: str, tmp_path: Path
) -> None:
    page = visits.page(storage_state=owner, phone=True)
    page.goto(river)
    tabs = page.get_by_role("tab")
    tabs.nth(1).focus()
    for key, pane in {"ArrowRight": "#p-set", "ArrowLeft": "#p-talk", "Home": "#p-src"}.items():
        page.keyboard.press(key)
        expect(page.locator(pane)).to_be_visible()
        _in_order(page, tmp_path / f"{pane[3:]}.png")
    page.keyboard.press("End")
    expect(page.locator("#p-set")).to_be_visible()
    expect(page.locator("#p-src")).to_be_hidden()


def test_a_citation_opens_its_card_over_a_narrow_page(
    visits: Visits, owner: Any, river: str, tmp_path: Path
) -> None:
    page = visits.page(storage_state=owner, phone=True)
    page.goto(river)
    page.locator("a.cite").first.click()
    card = page.locator(".pop--cite")
    expect(card).to_be_visible()
    box, tab = card.bounding_box(), page.locator("a.cite").first.bounding_box()
    assert box
    assert tab
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert box["y"] >= tab["y"] + tab["height"] or box["y"] + box["height"] <= tab["y"]
    _in_order(page, tmp_path / "card.png")
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    expect(page.locator("a.cite").first).to_be_focused()


def test_the_first_page_is_light(visits: Visits, owner: Any, river: str) -> None:
    page = visits.page(storage_state=owner)
    page.goto(river)
    page.wait_for_load_state("networkidle")
    size = page.evaluate(
        "performance.getEntriesByType('resource').filter(e => /\\.(js|css)|jsi18n/.test(e.name))"
        ".reduce((sum, e) => sum + e.encodedBodySize, 0)"
    )
    assert 20_000 < size <= 150_000
