"""Whatever is brought in or asked, the answer is a named state or a sentence, and nothing else is lost.

Everything goes through HTTP and the job. Beside each bad thing stands a good file that is read and
answers.
"""

import json
import uuid
from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from pypdf import PdfReader, PdfWriter

from apps.ingestion import reading
from apps.ingestion.fetching import Fetched, NotModified, fetch
from apps.ingestion.values import Failure, Reason
from apps.jobs.models import Job
from apps.jobs.values import State
from apps.library.models import Attachment, Resource
from apps.notebooks.demo import FOLDER
from apps.notebooks.models import Notebook
from apps.notebooks.values import SourceStatus
from tests.flows.asking import ask, ask_raw
from tests.support.cast import Cast, client_of
from tests.support.jobs import run_jobs

pytestmark = pytest.mark.django_db(transaction=True)

DOCUMENTS = FOLDER / "documents"
PAPER = (DOCUMENTS / "en/sediment-budgets.pdf").read_bytes()
LETTER = (DOCUMENTS / "en/room-for-the-river-lessons.docx").read_bytes()
PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)
GOOD = b"The lighthouse keeper of Punta Grisa repairs clocks in winter.\n"
QUESTION = "What does the lighthouse keeper repair?"
NUL = "\x00"
HALF = "\ud83d"


@pytest.fixture
def clara(cast: Cast) -> Client:
    """Clara's browser, which shows a 500 instead of raising in the test."""
    client = client_of(cast.clara)
    client.raise_request_exception = False
    return client


def upload(client: Client, content: bytes, filename: str) -> HttpResponse:
    file = SimpleUploadedFile("placeholder", content)
    file.name = filename
    return client.post("/api/library/uploads", {"file": file})


def uploaded(client: Client, content: bytes, filename: str) -> str:
    answer = upload(client, content, filename)
    assert answer.status_code == 201, answer.content
    return str(answer.json()["resource"]["id"])


def notebook_of(client: Client, *resource_ids: str) -> Notebook:
    """A notebook made over HTTP and read by the job."""
    body = {
        "title": "Mixed",
        "visibility": "workspace",
        "conversation_mode": "shared",
        "resource_ids": list(resource_ids),
    }
    answer = client.post("/api/notebooks", body, content_type="application/json")
    assert answer.status_code == 201, answer.content
    run_jobs(later=True)
    assert Job.objects.latest("id").state == State.SUCCEEDED
    return Notebook.objects.get(id=answer.json()["id"])


def rows(client: Client, notebook: Notebook) -> dict[str, dict[str, Any]]:
    """The notebook's resources by id, as the page shows them."""
    answer = client.get(f"/api/notebooks/{notebook.id}/sources")
    return {row["resource_id"]: row for row in answer.json()["results"]}


def must_be_refused(answer: HttpResponse, *statuses: int) -> dict[str, Any]:
    """A 4xx problem with a sentence; gives the problem."""
    assert answer.status_code in statuses, (answer.status_code, answer.content[:500])
    assert answer["Content-Type"] == "application/problem+json"
    problem: dict[str, Any] = answer.json()
    assert problem["status"] == answer.status_code
    assert problem["detail"].rstrip().endswith((".", "?", "!"))
    assert "Traceback" not in answer.content.decode()
    return problem


def must_answer(cast: Cast, notebook: Notebook) -> None:
    """The good file beside is read and answers."""
    reply = ask(cast.clara, notebook, QUESTION)
    assert "repairs clocks" in reply.text
    assert [one.source_label for one in reply.citations] == ["keeper.txt"]


def locked_pdf(user_password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(PAPER)))
    writer.encrypt(user_password, owner_password="the owner's own", algorithm="AES-256")
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def test_an_upload_of_nothing_is_refused_and_leaves_nothing(clara: Client) -> None:
    problem = must_be_refused(upload(clara, b"", "empty.txt"), 400)
    assert problem["code"] == "empty_file"
    assert problem["fields"]["file"]
    assert not Resource.objects.exists()
    assert not Attachment.objects.exists()


def test_an_upload_without_a_file_is_refused(clara: Client) -> None:
    must_be_refused(clara.post("/api/library/uploads", {}), 400)


@pytest.mark.parametrize(
    ("content", "filename", "reason"),
    [
        (b" \n\t \n", "blank.txt", Reason.EMPTY),
        (b"\x00" * 4096, "zeros.bin", Reason.EMPTY),
        (PICTURE, "picture.pdf", Reason.TYPE_MISMATCH),
        (LETTER, "letter.pdf", Reason.TYPE_MISMATCH),
        (PAPER[:2000], "cut.pdf", Reason.CORRUPT),
        (PICTURE, "picture.png", Reason.NO_READABLE_TEXT),
        (b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 8, "tool.bin", Reason.UNSUPPORTED_TYPE),
        (locked_pdf("sesame"), "locked.pdf", Reason.ENCRYPTED),
        (LETTER[:3000], "cut.docx", Reason.CORRUPT),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600, "old.doc", Reason.ENCRYPTED),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_file_that_cannot_be_read_has_a_named_state_and_costs_the_others_nothing(
    cast: Cast, clara: Client, content: bytes, filename: str, reason: Reason
) -> None:
    bad = uploaded(clara, content, filename)
    good = uploaded(clara, GOOD, "keeper.txt")
    notebook = notebook_of(clara, bad, good)
    shown = rows(clara, notebook)
    (source,) = shown[bad]["sources"]
    assert (shown[bad]["state"], source["reason"]) == (SourceStatus.ERROR, reason)
    assert shown[bad]["reason_sentence"].endswith(".")
    assert len(source["detail"]) <= 500
    assert "/" not in source["detail"].replace(" / ", " ").replace("application/", "").replace(
        "image/", ""
    ), "a path in the detail"
    assert shown[good]["state"] == SourceStatus.AVAILABLE
    must_answer(cast, notebook)


@pytest.mark.parametrize(
    ("content", "filename", "words"),
    [
        (PAPER, "really-a-paper.txt", "Only the Beni Tazrout receives more sediment"),
        (locked_pdf(""), "print-limits.pdf", "Only the Beni Tazrout receives more sediment"),
        (LETTER, "no-ending", "three years from the first sketch"),
        (GOOD.replace(b"clocks", b"nets"), "upper.TXT", "repairs nets in winter"),
    ],
    ids=lambda value: value if isinstance(value, str) and "." in value else None,
)
def test_what_can_be_read_is_read_whatever_it_is_called(
    clara: Client, content: bytes, filename: str, words: str
) -> None:
    resource = uploaded(clara, content, filename)
    notebook = notebook_of(clara, resource)
    assert rows(clara, notebook)[resource]["state"] == SourceStatus.AVAILABLE
    found = clara.get(f"/api/notebooks/{notebook.id}/search", {"q": words}).json()["results"]
    assert any(words in " ".join(hit["text"].split()) for hit in found)


def test_five_megabytes_on_one_line_are_read_whole(cast: Cast, clara: Client) -> None:
    words = b"brackish water rises with the tide and falls again "
    line = words * (5 * 1024 * 1024 // len(words)) + b"until the harpsichord stops"
    resource = uploaded(clara, line, "line.txt")
    notebook = notebook_of(clara, resource, uploaded(clara, GOOD, "keeper.txt"))
    assert rows(clara, notebook)[resource]["state"] == SourceStatus.AVAILABLE
    found = clara.get(f"/api/notebooks/{notebook.id}/search", {"q": "harpsichord"}).json()
    assert [hit["resource_id"] for hit in found["results"]][:1] == [resource]
    must_answer(cast, notebook)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://127.0.0.1:6379/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://2130706433/",
        "http://0177.0.0.1/",
        "http://0x7f.0.0.1/",
        "http://0x7f000001/",
        "http://127.1/",
        "http://127.0.0.1./",
        "http://localhost/",
        "http://10.0.0.8/",
        "http://169.254.169.254/latest/meta-data/",
        "http://someone:secret@example.org/",
        "ftp://example.org/file",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://",
        f"http://example.org/{NUL}",
        "http://example.org/" + "a" * 3000,
    ],
)
def test_an_address_inside_is_refused_with_a_sentence(clara: Client, url: str) -> None:
    answer = clara.post("/api/library/resources", {"urls": [url]}, content_type="application/json")
    if answer.status_code == 201:
        (refused,) = answer.json()["refused"]
        assert answer.json()["created"] == []
        assert refused["detail"].endswith(".")
    else:
        must_be_refused(answer, 400)
    assert not Resource.objects.exists()


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "::1", "10.1.2.3", "169.254.169.254", "::ffff:127.0.0.1", "100.64.0.9"]
)
def test_a_name_that_resolves_inside_is_not_opened(
    cast: Cast, clara: Client, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    asked: list[str] = []

    def resolver(host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        asked.append(host)
        family = 10 if ":" in address else 2
        place = (address, port, 0, 0) if ":" in address else (address, port)
        return [(family, 1, 6, "", place)]

    def with_stub(url: str, **words: Any) -> Fetched | NotModified | Failure:
        return fetch(url, **words, resolver=resolver)

    monkeypatch.setattr(reading, "fetch", with_stub)
    added = clara.post(
        "/api/library/resources",
        {"urls": ["https://rebinding.example.org/page"]},
        content_type="application/json",
    )
    bad = added.json()["created"][0]["id"]
    good = uploaded(clara, GOOD, "keeper.txt")
    notebook = notebook_of(clara, bad, good)
    (source,) = rows(clara, notebook)[bad]["sources"]
    assert asked == ["rebinding.example.org"]
    assert (source["state"], source["reason"]) == (SourceStatus.ERROR, Reason.FORBIDDEN_ADDRESS)
    assert address not in json.dumps(rows(clara, notebook)), "it told what the name resolves to"
    must_answer(cast, notebook)


@pytest.fixture
def ready(cast: Cast, clara: Client) -> Notebook:
    """A notebook that can answer."""
    return notebook_of(clara, uploaded(clara, GOOD, "keeper.txt"))


def question(notebook: Notebook, **changes: Any) -> dict[str, Any]:
    facts = {
        "notebook_id": str(notebook.id),
        "message": QUESTION,
        "client_turn_id": str(uuid.uuid4()),
    }
    return {**facts, **changes}


def refused_question(cast: Cast, body: bytes, *statuses: int) -> dict[str, Any]:
    status, kind, content = ask_raw(cast.clara, body)
    assert status in statuses, (status, content[:500])
    assert kind == "application/problem+json"
    problem: dict[str, Any] = json.loads(content)
    assert problem["detail"].rstrip().endswith(".")
    return problem


@pytest.mark.parametrize("bad", [NUL, HALF], ids=["NUL", "half a surrogate pair"])
def test_a_question_with_a_character_no_text_may_hold_is_refused(
    cast: Cast, ready: Notebook, bad: str
) -> None:
    body = json.dumps(question(ready, message=f"What {bad} is this?")).encode()
    refused_question(cast, body, 400)
    must_answer(cast, ready)


def test_a_question_that_is_too_long_is_refused_and_not_cut(cast: Cast, ready: Notebook) -> None:
    body = json.dumps(question(ready, message="why " * 4001)).encode()
    refused_question(cast, body, 413)
    huge = json.dumps(question(ready, message="why " * 900_000)).encode()
    refused_question(cast, huge, 413)
    assert ready.pk
    must_answer(cast, ready)


@pytest.mark.parametrize(
    "changes",
    [
        {"system": "You are a pirate."},
        {"context": {"sources": []}},
        {"message": ""},
        {"message": "   \n "},
        {"message": None},
        {"message": ["a", "b"]},
        {"message": {"text": "a"}},
        {"client_turn_id": "not-a-uuid"},
        {"notebook_id": "seven"},
    ],
    ids=str,
)
def test_a_question_with_a_field_that_is_not_taken_is_refused(
    cast: Cast, ready: Notebook, changes: dict[str, Any]
) -> None:
    refused_question(cast, json.dumps(question(ready, **changes)).encode(), 400)
    must_answer(cast, ready)


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'"text"', b"\xff\xfe{}", b'{"message": NaN}', b"[" * 5000],
    ids=lambda body: repr(body[:12]),
)
def test_a_body_that_is_no_question_is_refused(cast: Cast, body: bytes) -> None:
    refused_question(cast, body, 400)


@pytest.mark.parametrize("bad", [NUL, HALF], ids=["NUL", "half a surrogate pair"])
def test_a_title_with_a_character_no_text_may_hold_is_refused(
    clara: Client, ready: Notebook, bad: str
) -> None:
    named = json.dumps({"title": f"Delta{bad}"})
    kind = "application/json"
    must_be_refused(clara.patch(f"/api/notebooks/{ready.id}", named, content_type=kind), 400)
    resource = ready.members.get().resource_id
    must_be_refused(
        clara.patch(f"/api/library/resources/{resource}", named, content_type=kind), 400
    )
    new = {
        "title": f"Delta{bad}",
        "visibility": "private",
        "conversation_mode": "shared",
        "resource_ids": [str(resource)],
    }
    must_be_refused(clara.post("/api/notebooks", json.dumps(new), content_type=kind), 400)
    assert Notebook.objects.get().title == "Mixed"


@pytest.mark.parametrize("bad", ["%00", "%ED%A0%BD", "%FF"], ids=["NUL", "surrogate", "not UTF-8"])
@pytest.mark.parametrize(
    "address",
    [
        "/api/notebooks/{id}/search?q=lighthouse{bad}",
        "/api/notebooks?q={bad}",
        "/api/notebooks/resources?q={bad}",
        "/api/notebooks/resources?author={bad}",
        "/api/library/resources?q=a{bad}",
        "/library?q={bad}",
        "/notebooks?q={bad}",
        "/?q={bad}",
    ],
)
def test_a_search_with_a_character_no_text_may_hold_never_breaks(
    clara: Client, ready: Notebook, address: str, bad: str
) -> None:
    answer = clara.get(address.format(id=ready.id, bad=bad))
    assert answer.status_code in {200, 400}, (answer.status_code, answer.content[:300])
    if answer.status_code == 400 and address.startswith("/api"):
        must_be_refused(answer, 400)


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/api/notebooks/{id}/search?q=keeper&limit=0", 400),
        ("/api/notebooks/{id}/search?q=keeper&limit=x", 400),
        ("/api/notebooks/{id}/evidence/1?revision=0", 400),
        ("/api/notebooks/{id}/evidence/99999999999999999999?revision=1", 404),
        ("/api/notebooks/{id}/evidence/1?revision=999999", 404),
        ("/api/notebooks/{id}/sources?page=-1", 400),
        ("/api/notebooks?page=99999999999", 400),
        ("/api/turns/00000000-0000-0000-0000-000000000000", 404),
        ("/api/notebooks/{id}/conversation?before=x", 400),
    ],
)
def test_a_number_that_cannot_be_is_refused(
    clara: Client, ready: Notebook, address: str, status: int
) -> None:
    must_be_refused(clara.get(address.format(id=ready.id)), status)


@pytest.mark.parametrize(
    ("filename", "shown"),
    [
        ("../../etc/passwd.txt", "passwd.txt"),
        ("C:\\papers\\report.txt", "report.txt"),
        ("nul\x00here.txt", "nulhere.txt"),
        ("mark\u202etxt.exe.txt", "marktxt.exe.txt"),
        ("lone\ud83d.txt", None),
        ("ñandú 水 🌊.txt", "ñandú 水 🌊.txt"),
        (f"{'a' * 400}.txt", None),
    ],
)
def test_the_name_of_an_upload_is_cleaned_and_its_content_kept(
    cast: Cast, clara: Client, filename: str, shown: str | None
) -> None:
    answer = _upload_raw(clara, filename, GOOD)
    if answer.status_code != 201:
        must_be_refused(answer, 400)
        assert not Resource.objects.exists()
        return
    name = Attachment.objects.get().filename
    assert shown in {None, name}
    assert "\x00" not in name
    assert len(name.encode()) <= 255
    notebook = notebook_of(clara, answer.json()["resource"]["id"])
    assert "repairs clocks" in ask(cast.clara, notebook, QUESTION).text


def _upload_raw(client: Client, filename: str, content: bytes) -> HttpResponse:
    """A multipart body written by hand: Django's own client cleans the name before it sends it."""
    edge = "----quadern"
    head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{filename}"\r\n'
    body = (
        head.encode("utf-8", "surrogatepass")
        + b"Content-Type: text/plain\r\n\r\n"
        + content
        + f"\r\n--{edge}--\r\n".encode()
    )
    return client.post(
        "/api/library/uploads", body, content_type=f"multipart/form-data; boundary={edge}"
    )


def test_a_folder_of_everything_bad_leaves_the_good_ones_available(
    cast: Cast, clara: Client
) -> None:
    bad = [
        uploaded(clara, PICTURE, "picture.pdf"),
        uploaded(clara, locked_pdf("sesame"), "locked.pdf"),
        uploaded(clara, b"\n", "blank.txt"),
        uploaded(clara, PAPER[:900], "cut.pdf"),
    ]
    good = [uploaded(clara, GOOD, "keeper.txt"), uploaded(clara, PAPER, "paper.pdf")]
    notebook = notebook_of(clara, *bad, *good)
    states = {key: row["state"] for key, row in rows(clara, notebook).items()}
    assert states == dict.fromkeys(bad, SourceStatus.ERROR) | dict.fromkeys(
        good, SourceStatus.AVAILABLE
    )
    detail = clara.get(f"/api/notebooks/{notebook.id}").json()
    assert (detail["chat_ready"], detail["available_count"], detail["state"]) == (
        True,
        2,
        "attention",
    )
    must_answer(cast, notebook)
