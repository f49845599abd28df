"""Lock files: hashes for everything, no hosts, and one set of versions."""

import json
import re

import pytest

from tests.architecture.source import ROOT

LOCKS = sorted(path.name for path in ROOT.glob("requirements*.lock"))


def _pins(name: str) -> set[str]:
    text = (ROOT / name).read_text().replace("\\\n", " ")
    return {line.split("--hash")[0].strip() for line in text.splitlines() if line.strip()}


@pytest.mark.parametrize("name", LOCKS)
def test_a_python_lock_names_no_host_and_hashes_everything(name: str) -> None:
    text = (ROOT / name).read_text()
    assert "://" not in text
    assert "--index-url" not in text
    entries = text.replace("\\\n", " ").splitlines()
    assert all(
        re.search(r"==\S+.* --hash=sha256:[0-9a-f]{64}", entry) for entry in entries if entry
    )


def test_the_development_lock_holds_the_plain_one() -> None:
    assert _pins("requirements.lock") <= _pins("requirements-dev.lock")


def test_the_browser_lock_names_no_host_and_hashes_everything() -> None:
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    outside = {name: entry for name, entry in packages.items() if name}
    assert outside
    assert not [name for name, entry in outside.items() if "resolved" in entry]
    assert not [name for name, entry in outside.items() if "integrity" not in entry]


def test_no_package_is_under_the_agpl() -> None:
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    assert not [name for name, entry in packages.items() if "AGPL" in entry.get("license", "")]
