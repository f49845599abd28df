"""XML from strangers: no entities, no network, no document type. The only door to lxml's parser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Literal

from lxml import etree

from apps.ingestion.values import Reason, Unreadable

Element = etree._Element


def _refuse_doctype(element: Element) -> None:
    # Office formats never carry one: it is there to define entities (ECMA-376 part 2, 6.2.5).
    if element.getroottree().docinfo.internalDTD is not None:
        raise Unreadable(Reason.UNSAFE_ARCHIVE, "The file declares XML entities.")


def parse_xml(data: bytes) -> Element:
    """The root of a small document; `Unreadable` when damaged or when it has a DOCTYPE."""
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as damage:
        raise Unreadable(Reason.CORRUPT, "A part of the file is not valid XML.") from damage
    _refuse_doctype(root)
    return root


def _events(
    stream: IO[bytes],
    tags: frozenset[str] | None = None,
    kinds: tuple[Literal["start", "end"], ...] = ("start", "end"),
) -> etree.iterparse[tuple[str, Element]]:
    return etree.iterparse(
        stream,
        events=kinds,
        tag=tags,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )


def children_of(stream: IO[bytes], parent_tag: str) -> Iterator[Element]:
    """Each finished child of the first `parent_tag` element, with flat memory.

    An element is only valid until the next one is asked for.
    """
    events = _events(stream)
    parent: Element | None = None
    try:
        for event, element in events:
            if event == "start":
                if element.getparent() is None:
                    _refuse_doctype(element)
                if parent is None and element.tag == parent_tag:
                    parent = element
            elif parent is not None and element.getparent() is parent:
                yield element
                parent.remove(element)
    except etree.XMLSyntaxError as damage:
        raise Unreadable(Reason.CORRUPT, "A part of the file is not valid XML.") from damage


def finished(stream: IO[bytes], tag: str) -> Iterator[Element]:
    """Each finished element of a tag that never holds itself, with flat memory.

    The fastest way through a million of them. An element is only valid until the next one is asked
    for.
    """
    events, is_first = _events(stream, frozenset({tag}), ("end",)), True
    try:
        for _, element in events:
            if is_first:
                _refuse_doctype(element)
                is_first = False
            yield element
            _drop(element)
        if is_first:
            _refuse_doctype(events.root)
    except etree.XMLSyntaxError as damage:
        raise Unreadable(Reason.CORRUPT, "A part of the file is not valid XML.") from damage


def outermost(
    stream: IO[bytes], leaves: frozenset[str], opening: frozenset[str] = frozenset()
) -> Iterator[Element]:
    """Each element of `opening` as soon as it begins, each finished outermost one of `leaves`.

    With flat memory: of an opening element only the attributes are there, a leaf is only valid
    until the next one is asked for.
    """
    inside: Element | None = None
    events, is_first = _events(stream, leaves | opening), True
    try:
        for event, element in events:
            if is_first:
                _refuse_doctype(element)
                is_first = False
            if event == "start" and inside is None:
                inside = element if element.tag in leaves else None
                if element.tag in opening:
                    yield element
            elif inside is not None and element is inside:
                yield element
                _drop(element)
                inside = None
        if is_first:
            _refuse_doctype(events.root)
    except etree.XMLSyntaxError as damage:
        raise Unreadable(Reason.CORRUPT, "A part of the file is not valid XML.") from damage


def _drop(element: Element) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)
