"""Chromium against a running install. Screenshots of every test lie in the test's folder."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.e2e.steps import OWNER, ask, found, make_notebook, upload, write_pdf
from tests.support.web_server import Site, site

__all__ = ["site"]

CHROMIUM = os.environ.get("QUADERN_CHROMIUM", "/usr/bin/chromium")
_QUIET = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
_ON_PHONE = {"width": 390, "height": 844}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here drives a browser."""
    for item in items:
        if "tests/e2e" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    return {"executable_path": CHROMIUM, "args": _QUIET}


class Visits:
    """Opens pages for people, each in a browser context of their own."""

    def __init__(self, browser: Browser, site: Site, folder: Path) -> None:
        self._browser = browser
        self._site = site
        self._folder = folder
        self._contexts: list[BrowserContext] = []
        self.faults: list[str] = []

    def page(self, *, phone: bool = False, dark: bool = False, **facts: Any) -> Page:
        """A page; `phone` is 390 px wide, `dark` is the device's wish."""
        context = self._browser.new_context(
            base_url=self._site.url,
            viewport=_ON_PHONE if phone else {"width": 1440, "height": 900},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
            **{"locale": "en-GB", **facts},
        )
        self._contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", self._listen)
        return page

    def _listen(self, message: Any) -> None:
        # A refused request is told on the page; anything else in the console is a fault.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.faults.append(message.text)

    def close(self) -> None:
        for number, context in enumerate(self._contexts):
            for page in context.pages:
                page.screenshot(path=self._folder / f"end-{number}.png")
            context.close()


@pytest.fixture
def visits(browser: Browser, site: Site, tmp_path: Path) -> Iterator[Visits]:
    """Pages for people; the test fails when a script failed or the page's policy was broken."""
    visits = Visits(browser, site, tmp_path)
    yield visits
    visits.close()
    assert visits.faults == []


@pytest.fixture(scope="session")
def owner(browser: Browser, site: Site) -> Any:
    """Clara, who has opened the link of the fresh install: her cookies."""
    context = browser.new_context(base_url=site.url, locale="en-GB")
    found(context.new_page(), site.welcome_path())
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture(scope="session")
def sign_in(browser: Browser, site: Site, owner: Any) -> Callable[..., Any]:
    """Lets somebody more in and gives their cookies."""
    known: dict[str, Any] = {OWNER: owner}

    def state_of(name: str, **facts: str) -> Any:
        if name not in known:
            address = site.add_person(name, **facts)
            context = browser.new_context(base_url=site.url)
            page = context.new_page()
            page.goto("/sign-in")
            page.locator("#id_username").fill(address)
            page.locator("#id_password").fill("quiet desk, white pages")
            page.locator("main button[type=submit]").click()
            page.wait_for_url(f"{site.url}/")
            known[name] = context.storage_state()
            context.close()
        return known[name]

    return state_of


@pytest.fixture(scope="session")
def river(
    browser: Browser, site: Site, owner: Any, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """The path of a notebook of the workspace that has been read and holds one answer."""
    context = browser.new_context(base_url=site.url, locale="en-GB", storage_state=owner)
    page = context.new_page()
    upload(page, write_pdf(tmp_path_factory.mktemp("river") / "Delta of the Laar.pdf"))
    make_notebook(page, "Rivers of sediment", "Delta of the Laar", shared=True)
    ask(page)
    context.close()
    return page.url.removeprefix(site.url)
