"""Build the documents of the demo vault: ``python -m demo.build [FOLDER]``.

Each file that ``manifest.json`` names is made from ``sources/<language>/<name>.md`` and written
under FOLDER (default: this folder). Building twice gives equal bytes.
"""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from demo.pdf import pdf
from demo.plain import markdown, plain_text, web_page
from demo.values import Source, parse_source
from demo.word import docx

HOME = Path(__file__).resolve().parent

_FORMS: Mapping[str, Callable[[Source], bytes]] = {
    ".pdf": pdf,
    ".docx": docx,
    ".html": web_page,
    ".md": markdown,
    ".txt": plain_text,
}


def read_manifest() -> dict[str, Any]:
    """The manifest as JSON; README.md says what it holds."""
    manifest: dict[str, Any] = json.loads((HOME / "manifest.json").read_text("utf-8"))
    return manifest


def build(folder: Path) -> list[Path]:
    """Write every document under ``folder``; gives the written paths in the manifest's order."""
    return [
        _write(folder / file, _FORMS[Path(file).suffix](_read_source(resource, file)))
        for resource in read_manifest()["resources"]
        for file in resource["files"]
    ]


def _read_source(resource: dict[str, Any], file: str) -> Source:
    path = HOME / "sources" / resource["language"] / f"{Path(file).stem}.md"
    return parse_source(
        path.read_text("utf-8"),
        title=resource["title"],
        authors=tuple(resource["authors"]),
        year=resource["year"],
        language=resource["language"],
    )


def _write(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else HOME)
