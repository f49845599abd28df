"""Frames: one encoder, strict types, and no text that can forge a line of the stream."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.chat.frames import (
    HEARTBEAT,
    AclMeta,
    Delta,
    Frame,
    FrameError,
    Payload,
    encode,
    parse,
    parse_sse,
    payload_json,
)
from tests.chat.frame_samples import CITATION, EVERY_PAYLOAD, META

ALWAYS = {
    "v", "label", "sources", "source_details", "decision", "reason", "confidence",
    "allow_generation", "llm_called", "tokens_used", "grounding_policy", "pinned_active",
    "pinned_display", "pin_chunks_used", "revisions",
}  # fmt: skip


@pytest.mark.parametrize("payload", EVERY_PAYLOAD, ids=lambda one: type(one).__name__)
def test_every_frame_survives_the_wire(payload: Payload) -> None:
    frame = Frame(4, payload)
    assert parse_sse(encode(frame)) == [frame]


def test_a_stream_is_the_list_of_its_frames() -> None:
    frames = [Frame(n, payload) for n, payload in enumerate(EVERY_PAYLOAD, 1)]
    stream = HEARTBEAT.join(encode(frame) for frame in frames)
    assert parse_sse(stream) == frames


def test_acl_meta_holds_every_field_that_is_always_there() -> None:
    assert set(payload_json(META)) == ALWAYS
    assert payload_json(META)["v"] == 3


def test_the_wire_has_id_event_and_one_line_of_data() -> None:
    event = encode(Frame(2, Delta("a\nb"))).decode()
    assert event == 'id: 2\nevent: delta\ndata: {"text":"a\\nb"}\n\n'


@given(st.text())
def test_no_text_can_end_an_event_or_start_another(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    event = encode(Frame(1, Delta(text)))
    assert parse_sse(event) == [Frame(1, Delta(text))]
    assert len(event.decode().splitlines()) == 4


@pytest.mark.parametrize(
    "name, data",
    [
        ("delta", {}),
        ("delta", {"text": "a", "html": "<b>"}),
        ("delta", {"text": 3}),
        ("delta", "a"),
        ("phase", {"phase": "dreaming", "label": "Dreaming"}),
        ("done", {**payload_json(EVERY_PAYLOAD[-1]), "citations": True}),
        ("citation", {**payload_json(CITATION), "quote": [1]}),
        ("citation", {**payload_json(CITATION), "source_id": "seven"}),
        ("acl_meta", {**payload_json(META), "sources": "db:a/b"}),
        ("acl_meta", {**payload_json(META), "revisions": []}),
        ("surprise", {}),
    ],
)
def test_frames_that_are_not_ours_are_refused(name: str, data: Any) -> None:
    with pytest.raises(FrameError):
        parse(name, data)


@pytest.mark.parametrize(
    "stream",
    [
        b"id: 1\nevent: delta\n",
        b"event: delta\ndata: {}\n\n",
        b"id: x\nevent: delta\ndata: {}\n\n",
        b"id: 1\nevent: delta\ndata: {\n\n",
    ],
)
def test_a_broken_stream_is_refused(stream: bytes) -> None:
    with pytest.raises(FrameError):
        parse_sse(stream)


def test_only_done_ends_a_turn() -> None:
    ends = [Frame(1, payload).ends_turn for payload in EVERY_PAYLOAD]
    assert ends == [False] * (len(ends) - 1) + [True]


def test_stored_json_reads_back_as_the_same_meta() -> None:
    stored = json.loads(json.dumps(payload_json(META)))
    assert parse("acl_meta", stored) == META
    assert isinstance(parse("acl_meta", stored), AclMeta)
