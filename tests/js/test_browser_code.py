"""Runs the JavaScript tests, each file as one test, with Node's own runner."""

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FILES = sorted(path.name for path in HERE.glob("*.test.mjs"))


@pytest.mark.parametrize("name", FILES)
def test_browser_code(name: str) -> None:
    node = shutil.which("node")
    assert node, "Node 20 or newer must be on the PATH"
    done = subprocess.run(
        [node, "--test", str(HERE / name)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
