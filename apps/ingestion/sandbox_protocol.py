"""What worker, warm helper and child say to one another.

Everything is one JSON object per packet on Unix SEQPACKET sockets, so that no message is ever half
read. A request carries four file descriptors: the child's channel, the job's control socket, the
file to read and the spool file to write.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from apps.ingestion.pipeline import State
from apps.ingestion.recognition import Recognition
from apps.ingestion.values import Failure, Limits, Reason

MAX_PACKET = 128 * 1024
DESCRIPTORS = 4


@dataclass(frozen=True, slots=True)
class Request:
    """One file to read, from `state` on, starting after page `skip_until`."""

    media_type: str
    charset: str
    is_web_page: bool
    skip_until: int
    state: State
    limits: Limits
    recognition: Recognition

    def encode(self) -> bytes:
        """As a packet."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def decode(cls, packet: bytes) -> Request:
        """From a packet."""
        data = json.loads(packet)
        state, limits = State(**data.pop("state")), Limits(**data.pop("limits"))
        words = {name: _frozen(value) for name, value in data.pop("recognition").items()}
        return cls(**data, state=state, limits=limits, recognition=Recognition(**words))


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def socket_pair() -> tuple[socket.socket, socket.socket]:
    """Two connected packet sockets."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def send(channel: socket.socket, **message: Any) -> None:
    """One packet; OSError when nobody listens."""
    channel.send(json.dumps(message).encode())


def receive(channel: socket.socket) -> dict[str, Any] | None:
    """The next packet, None at the end; ValueError when it is not one of ours."""
    try:
        packet = channel.recv(MAX_PACKET)
    except ConnectionError:
        return None
    if not packet:
        return None
    message = json.loads(packet)
    if not isinstance(message, dict):
        raise ValueError("not a message")
    return message


def failure_from(message: Mapping[str, Any]) -> Failure:
    """The failure a child reports; ValueError for an unknown reason."""
    return Failure(Reason(message["reason"]), str(message.get("detail", "")))


_STATE_FIELDS = {f.name for f in fields(State)}


def state_from(data: Mapping[str, Any]) -> State:
    """The state a child reports; ValueError when it is malformed."""
    if set(data) != _STATE_FIELDS:
        raise ValueError("not a state")
    return State.from_json(data)
