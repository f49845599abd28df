"""Office packages: parts and the relations between them (ECMA-376 part 2, chapter 6)."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from posixpath import dirname, join, normpath
from typing import IO, NamedTuple

from apps.ingestion.archives import SafeArchive
from apps.ingestion.values import Reason, Unreadable
from apps.ingestion.xml import Element, parse_xml

_SLICE = 64 * 1024
_LONGEST_TAG = 1 << 20
_STRICT = b"purl.oclc.org/ooxml"
# The strict variant (ISO 29500-1) has the same elements under other names of namespaces.
_STRICT_NAMESPACE = re.compile(
    rb"""(xmlns(?::[\w.-]+)?\s*=\s*["'])http://purl\.oclc\.org/ooxml/([A-Za-z]+)/"""
)
_DUBLIN_CORE_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_RELATIONS = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"


class Relation(NamedTuple):
    """An arrow from one part to another; `kind` is the last word of its type."""

    id: str
    kind: str
    target: str


class Package:
    """The parts of an Office file, read under their transitional names."""

    def __init__(self, archive: SafeArchive, usual_main: str) -> None:
        """Finds the main part, else takes `usual_main`; `Unreadable` when there is neither."""
        self._archive = archive
        named = (r.target for r in self.relations("") if r.kind == "officeDocument")
        self.main = next((part for part in (*named, usual_main) if part in archive), "")
        if not self.main:
            raise Unreadable(Reason.CORRUPT, "The document has no main part.")

    def relations(self, part: str) -> list[Relation]:
        """The relations of a part inside the package, in their order."""
        folder, _, name = part.rpartition("/")
        rels = f"{folder}/_rels/{name}.rels" if folder else f"_rels/{name}.rels"
        if rels not in self._archive:
            return []
        return [
            Relation(
                node.get("Id", ""),
                node.get("Type", "").rpartition("/")[2],
                _target(dirname(part), node.get("Target", "")),
            )
            for node in self.root(rels)
            if node.get("TargetMode") != "External"
        ]

    def related(self, part: str, kind: str) -> Iterator[str]:
        """The names of the parts that hang on `part` by a relation of this kind."""
        for relation in self.relations(part):
            if relation.kind == kind and relation.target in self._archive:
                yield relation.target

    def targets(self, part: str) -> dict[str, str]:
        """The parts that hang on `part`, by the id of their relation."""
        return {r.id: r.target for r in self.relations(part) if r.target in self._archive}

    def root(self, part: str) -> Element:
        """A small part as a tree."""
        return parse_xml(_transitional(self._archive.read(part)))

    @contextmanager
    def open(self, part: str) -> Iterator[IO[bytes]]:
        """A large part as a stream."""
        with self._archive.open(part) as stream:
            yield io.BufferedReader(_Transitional(stream), _SLICE)

    def title(self) -> str:
        """The title in the document's properties, or nothing."""
        if "docProps/core.xml" not in self._archive:
            return ""
        return (self.root("docProps/core.xml").findtext(_DUBLIN_CORE_TITLE) or "").strip()


def relation_id(node: Element, name: str = "id") -> str:
    """The id of the relation that an element names in an attribute such as `r:id`."""
    return node.get(f"{_RELATIONS}{name}", "")


def _target(folder: str, target: str) -> str:
    return target.lstrip("/") if target.startswith("/") else normpath(join(folder, target))


def _transitional(data: bytes) -> bytes:
    if _STRICT not in data:
        return data
    return _STRICT_NAMESPACE.sub(rb"\1http://schemas.openxmlformats.org/\2/2006/", data)


class _Transitional(io.RawIOBase):
    """A stream over XML with the strict names of namespaces replaced, tag by tag."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self._rest = b""
        self._ready = b""
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while not self._ready and not self._ended:
            self._fill()
        data, self._ready = self._ready[: len(buffer)], self._ready[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)

    def _fill(self) -> None:
        """Make ready what ends with a tag: a name is never cut in two."""
        data = self._raw.read(_SLICE)
        self._ended = not data
        data = self._rest + data
        cut = len(data) if self._ended or len(data) > _LONGEST_TAG else data.rfind(b">") + 1
        self._ready, self._rest = _transitional(data[:cut]), data[cut:]
