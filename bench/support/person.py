"""Somebody who uses Quadern over HTTP as the pages do: claims it, brings files, asks."""

import json
import re
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from typing import Any

import httpx

_FORM_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
_WELCOME_TOKEN = re.compile(r"[?&]token=([^&]+)")
_TIMEOUT = httpx.Timeout(60.0, read=120.0)


@dataclass(slots=True)
class Heard:
    """An answer as it arrived: seconds from the question to each kind of frame, first ones only."""

    first: dict[str, float] = field(default_factory=dict)
    text: str = ""
    citations: list[dict[str, Any]] = field(default_factory=list)
    meta: dict[str, Any] = field(default_factory=dict)
    state: str = ""

    def take(self, name: str, data: dict[str, Any], seconds: float) -> None:
        """Notes one frame."""
        self.first.setdefault(name, seconds)
        match name:
            case "delta":
                self.text += data["text"]
            case "citation":
                self.citations.append(data)
            case "acl_meta":
                self.meta = data
            case "done":
                self.state = data["state"]


class Person:
    """The owner of a fresh install, signed in after `claim`."""

    def __init__(self, origin: str) -> None:
        self._http = httpx.Client(base_url=origin, timeout=_TIMEOUT, follow_redirects=True)

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def claim(self, link: str) -> None:
        """Makes the owner's account through the welcome page."""
        page = _good(self._http.get(link)).text
        token = _WELCOME_TOKEN.search(link)
        form = _FORM_TOKEN.search(page)
        if token is None or form is None:
            raise RuntimeError("the welcome page has no form")
        facts = {
            "csrfmiddlewaretoken": unescape(form.group(1)),
            "token": token.group(1),
            "name": "Clara Vidal",
            "email": "clara@example.org",
            "password": "quiet desk, white pages",
            "vault_name": "Bench",
            "start": "empty",
        }
        _good(self._http.post("/welcome", data=facts))

    def upload(self, filename: str, content: bytes) -> str:
        """Brings in a file; gives the id of its record."""
        answer = self._send("POST", "/api/library/uploads", files={"file": (filename, content)})
        return str(answer.json()["resource"]["id"])

    def make_notebook(self, title: str, resource_ids: list[str]) -> str:
        """A notebook of at most 1,000 records; gives its id."""
        facts = {
            "title": title,
            "visibility": "private",
            "conversation_mode": "shared",
            "resource_ids": resource_ids,
        }
        return str(self._send("POST", "/api/notebooks", json=facts).json()["id"])

    def look(self, notebook_id: str) -> dict[str, Any]:
        """The notebook as it stands."""
        seen: dict[str, Any] = self._send("GET", f"/api/notebooks/{notebook_id}").json()
        return seen

    def wait_until_read(self, notebook_id: str, seconds: float, pause: float = 0.05) -> None:
        """Waits for the end of the reading; RuntimeError when it ends with nothing to answer from."""
        deadline = time.monotonic() + seconds
        while (seen := self.look(notebook_id))["progress"] is not None:
            if time.monotonic() > deadline:
                raise RuntimeError(f"still reading after {seconds} s: {seen['progress']}")
            time.sleep(pause)
        if not seen["chat_ready"] or seen["available_count"] < seen["source_count"]:
            raise RuntimeError(f"not everything could be read: {seen}")

    def ask(self, notebook_id: str, question: str) -> Heard:
        """The whole answer, with the time of each first frame."""
        facts = {
            "notebook_id": notebook_id,
            "message": question,
            "client_turn_id": str(uuid.uuid4()),
        }
        heard = Heard()
        begin = time.perf_counter()
        with self._http.stream("POST", "/api/chat", json=facts, headers=self._headers()) as answer:
            if answer.is_error:
                answer.read()
            _good(answer)
            for name, data in _frames(answer.iter_lines()):
                heard.take(name, data, time.perf_counter() - begin)
        return heard

    def open(self, citation: dict[str, Any]) -> dict[str, Any]:
        """What a citation opens."""
        path = f"/api/notebooks/{citation['notebook_id']}/evidence/{citation['chunk_id']}"
        seen: dict[str, Any] = self._send(
            "GET", path, params={"revision": citation["revision"]}
        ).json()
        return seen

    def _send(self, method: str, path: str, **words: Any) -> httpx.Response:
        return _good(self._http.request(method, path, headers=self._headers(), **words))

    def _headers(self) -> dict[str, str]:
        token = self._http.cookies.get("csrftoken")
        return {"X-CSRFToken": token} if token else {}


def _good(answer: httpx.Response) -> httpx.Response:
    if answer.is_error:
        raise RuntimeError(
            f"{answer.request.method} {answer.request.url.path}: "
            f"{answer.status_code} {answer.text[:500]}"
        )
    return answer


def _frames(lines: Iterator[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    name = ""
    for line in lines:
        kind, _, value = line.partition(": ")
        if kind == "event":
            name = value
        elif kind == "data":
            yield name, json.loads(value)
