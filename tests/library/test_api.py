"""The library over HTTP."""

import json
import uuid

import pytest
from asgiref.sync import sync_to_async
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import AsyncClient, Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from apps.library.models import Resource, StoredFile
from apps.vaults.models import AuditRecord
from tests.support.cast import Cast, build_cast, client_of
from tests.support.factories import (
    attach,
    resource_with_file,
    resource_with_link,
)

PROBLEM = "application/problem+json"
PDF = b"%PDF-1.7\n" + bytes(range(256)) * 10
JSON = "application/json"


@pytest.fixture
def clara(cast: Cast) -> Client:
    return client_of(cast.clara)


def _upload(client, content=b"words", name="note.txt", **fields):
    return client.post(
        "/api/library/uploads", {"file": SimpleUploadedFile(name, content), **fields}
    )


def _is_problem(response, status, code=None) -> bool:
    body = response.json()
    assert response["Content-Type"] == PROBLEM
    assert set(body) == {"type", "title", "detail", "code", "fields", "status"}
    assert body["detail"].endswith(".")
    return (response.status_code, body["code"]) == (status, code or body["code"])


# --- uploads -----------------------------------------------------------------------------------


def test_an_upload_gives_the_record_and_the_attachment(clara):
    response = _upload(clara, PDF, "Annual report.pdf")
    assert response.status_code == 201
    body = response.json()
    assert body["resource"]["title"] == "Annual report"
    assert body["attachment"]["media_type"] == "application/pdf"
    assert body["attachment"]["size"] == len(PDF)
    assert b"".join(clara.get(body["attachment"]["href"]).streaming_content) == PDF


def test_an_upload_can_name_the_record_it_goes_to(cast, clara):
    resource = resource_with_link(cast.enric, "There")
    body = _upload(clara, resource=str(resource.id)).json()
    assert body["resource"]["id"] == str(resource.id)
    assert Resource.objects.count() == 1


@pytest.mark.parametrize("target", ["absent", "ottos"])
def test_an_upload_to_a_record_out_of_sight_keeps_nothing(cast, clara, target):
    ottos = resource_with_file(cast.otto)
    kept = StoredFile.objects.count()
    wanted = ottos.id if target == "ottos" else uuid.uuid4()
    response = _upload(clara, resource=str(wanted))
    assert _is_problem(response, 404, "not_found")
    assert StoredFile.objects.count() == kept


def test_an_empty_file_is_refused_with_a_sentence_and_makes_no_record(clara):
    response = _upload(clara, b"")
    assert _is_problem(response, 400, "empty_file")
    assert response.json()["detail"] == "The file is empty."
    assert Resource.objects.count() == 0


def test_a_request_without_a_file_or_with_two_is_refused(clara):
    assert _is_problem(clara.post("/api/library/uploads", {}), 400)
    two = [SimpleUploadedFile("a.txt", b"a"), SimpleUploadedFile("b.txt", b"b")]
    assert _is_problem(clara.post("/api/library/uploads", {"file": two}), 400)
    assert Resource.objects.count() == 0


def test_json_is_not_an_upload(clara):
    assert _is_problem(clara.post("/api/library/uploads", {"file": "x"}, JSON), 400, "media_type")


def test_a_broken_multipart_body_is_a_problem(clara):
    response = clara.generic(
        "POST", "/api/library/uploads", b"--x\r\nnonsense", "multipart/form-data; boundary=x"
    )
    assert response.status_code == 400
    no_boundary = clara.generic("POST", "/api/library/uploads", b"x", "multipart/form-data")
    assert no_boundary.status_code == 400


def test_a_file_above_the_limit_is_refused_while_it_arrives(clara, settings, tmp_path):
    settings.MAX_UPLOAD_MB = 1
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    for size in (1024 * 1024 + 1, 3 * 1024 * 1024):
        response = _upload(clara, b"x" * size)
        assert _is_problem(response, 413, "too_large")
    assert (Resource.objects.count(), list(tmp_path.iterdir())) == (0, [])
    assert _upload(clara, b"x" * 1024 * 1024).status_code == 201


def test_a_limit_that_the_client_lies_about_holds_all_the_same(clara, settings):
    settings.MAX_UPLOAD_MB = 1
    request = {"CONTENT_LENGTH": "1000"}
    response = clara.post(
        "/api/library/uploads",
        {"file": SimpleUploadedFile("a.txt", b"x" * 3 * 1024 * 1024)},
        **request,
    )
    assert response.status_code in {400, 413}
    assert Resource.objects.count() == 0


def test_a_full_disk_is_a_507_and_keeps_nothing(clara, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("apps.library.storage._put", fail)
    assert _is_problem(_upload(clara), 507, "storage_full")
    assert (Resource.objects.count(), StoredFile.objects.count()) == (0, 0)


def test_without_a_csrf_token_nothing_is_taken(cast):
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.clara)
    assert _is_problem(_upload(client), 403)
    assert Resource.objects.count() == 0


@pytest.mark.parametrize(
    "name, shown",
    [
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("a\u202egpj.exe", "agpj.exe"),
        ("línia\u200b nova.pdf", "línia nova.pdf"),
        ("é" * 200 + ".pdf", "é" * 125 + ".pdf"),
        ('quote";semi.txt', 'quote";semi.txt'),
        ("...", "file"),
        ("日本語.txt", "日本語.txt"),
    ],
)
def test_odd_names_are_cleaned_and_survive_the_way_back(clara, name, shown):
    boundary, line = "b0undary", b"\r\n"
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    body = line.join(
        [
            f"--{boundary}".encode(),
            f'Content-Disposition: form-data; name="file"; filename="{quoted}"'.encode(),
            b"Content-Type: application/octet-stream",
            b"",
            b"words",
            f"--{boundary}--".encode(),
            b"",
        ]
    )
    response = clara.generic(
        "POST", "/api/library/uploads", body, f"multipart/form-data; boundary={boundary}"
    )
    assert response.status_code == 201, response.content
    attachment = response.json()["attachment"]
    assert attachment["filename"] == shown
    header = _peek(clara, attachment["href"])["Content-Disposition"]
    assert header.startswith("attachment; filename")
    assert header.isascii()
    assert "\n" not in header


def test_files_land_only_inside_the_blob_folder(cast, clara, settings, tmp_path):
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(tmp_path / "files")},
        },
    }
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    for name in ("../up.txt", "/abs.txt", "a/b/c.txt", "blobs/x.txt"):
        assert _upload(clara, name.encode(), name).status_code == 201
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    inside = tmp_path / "files" / "blobs" / str(cast.vault.id)
    assert len(files) == 4
    assert all(path.is_relative_to(inside) for path in files)


# --- files -------------------------------------------------------------------------------------


@pytest.fixture
def href(cast) -> str:
    resource = resource_with_file(cast.clara, "Report", PDF, "informe «final».pdf")
    return f"/api/library/attachments/{resource.attachments.get().id}"


def _peek(client, href, headers=None):
    """The answer, read to its end so that its file is closed."""
    response = client.get(href, headers=headers)
    for _block in response:
        pass
    return response


def test_a_file_is_a_download_in_a_sandbox(clara, href):
    response = _peek(clara, href)
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"] == (
        "attachment; filename*=utf-8''informe%20%C2%ABfinal%C2%BB.pdf"
    )
    assert response["Content-Security-Policy"].endswith("sandbox")
    assert "default-src 'none'" in response["Content-Security-Policy"]
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Cache-Control"] == "private, no-store"
    assert response["Content-Length"] == str(len(PDF))


def test_a_pdf_is_shown_in_place_only_when_wished(clara, href):
    response = _peek(clara, f"{href}?inline=1")
    assert response["Content-Type"] == "application/pdf"
    assert response["Content-Disposition"].startswith("inline; ")


@pytest.mark.parametrize(
    "content, name",
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "a.svg"),
        (b"<!doctype html><script>alert(1)</script>", "page.html"),
        (b"<!doctype html><script>alert(1)</script>", "page.html.pdf"),
        (b"\x7fELF program", "program.pdf.png"),
        (b"plain", "a.txt"),
    ],
)
def test_active_and_disguised_files_are_never_shown_in_place(cast, clara, content, name):
    attachment = resource_with_file(cast.clara, "Odd", content, name).attachments.get()
    response = _peek(clara, f"/api/library/attachments/{attachment.id}?inline=1")
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"].startswith("attachment; ")
    assert response["Content-Security-Policy"].endswith("sandbox")


@pytest.mark.parametrize(
    "wanted, status, part",
    [
        ("bytes=0-4", 206, PDF[:5]),
        ("bytes=100-", 206, PDF[100:]),
        ("bytes=-7", 206, PDF[-7:]),
        ("bytes=0-1,5-6", 200, PDF),
        ("lines=1-2", 200, PDF),
    ],
)
def test_a_range_is_answered_with_just_that(clara, href, wanted, status, part):
    response = clara.get(href, headers={"Range": wanted})
    assert response.status_code == status
    assert b"".join(response.streaming_content) == part
    assert response["Content-Length"] == str(len(part))
    assert response["Accept-Ranges"] == "bytes"
    assert ("Content-Range" in response) == (status == 206)


def test_a_range_behind_the_end_is_a_416_with_the_size(clara, href):
    response = clara.get(href, headers={"Range": f"bytes={len(PDF)}-"})
    assert (response.status_code, response["Content-Range"]) == (416, f"bytes */{len(PDF)}")


def test_a_known_content_is_not_sent_again_and_a_stale_range_gets_the_whole(clara, href):
    etag = _peek(clara, href)["ETag"]
    assert clara.get(href, headers={"If-None-Match": etag}).status_code == 304
    fresh = _peek(clara, href, {"Range": "bytes=0-1", "If-Range": etag})
    stale = _peek(clara, href, {"Range": "bytes=0-1", "If-Range": '"other"'})
    assert (fresh.status_code, stale.status_code) == (206, 200)


def test_head_tells_without_sending(clara, href):
    response = clara.head(href)
    assert (response.status_code, response["Content-Length"]) == (200, str(len(PDF)))
    assert response.content == b""


async def test_under_asgi_a_file_is_streamed_block_by_block(transactional_db):
    content = bytes(range(256)) * 4096
    clara, attachment_id = await sync_to_async(_someone_with_a_file)(content)
    client = AsyncClient()
    await client.aforce_login(clara)
    response = await client.get(f"/api/library/attachments/{attachment_id}")
    blocks = [block async for block in response.streaming_content]
    assert len(blocks) == 4
    assert b"".join(blocks) == content


def _someone_with_a_file(content):
    clara = build_cast().clara
    return clara, resource_with_file(clara, "Big", content, "big.bin").attachments.get().id


# --- records -----------------------------------------------------------------------------------


def test_addresses_become_records_over_http(clara):
    urls = ["https://example.org/a", "http://127.0.0.1/", "nonsense"]
    response = clara.post("/api/library/resources", {"urls": urls}, JSON)
    body = response.json()
    assert response.status_code == 201
    assert [one["sources"][0]["label"] for one in body["created"]] == ["https://example.org/a"]
    assert [one["url"] for one in body["refused"]] == urls[1:]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"urls": []},
        {"urls": "https://example.org"},
        {"urls": [""]},
        {"urls": [None]},
        {"urls": [{"url": "x"}]},
        {"urls": ["https://example.org/"] * 201},
        {"urls": ["https://example.org/\x00"]},
        {"urls": ["x" * 20_001]},
        [],
        None,
    ],
)
def test_lists_of_addresses_that_make_no_sense_are_a_400(clara, body):
    assert _is_problem(clara.post("/api/library/resources", json.dumps(body), JSON), 400)
    assert Resource.objects.count() == 0


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[" * 200_000,
        b'{"urls":' * 65 + b"1" + b"}" * 65,
        b'{"urls": ["\\u0000"]}',
        b'{"urls": ["\\ud800"]}',
        b'{"urls": NaN}',
        b"\xff\xfe",
    ],
)
def test_bodies_that_are_no_sensible_json_are_a_400(clara, body):
    response = clara.generic("POST", "/api/library/resources", body, JSON)
    assert _is_problem(response, 400)


@pytest.mark.parametrize(
    "query",
    [
        {"q": "x" * 20_000},
        {"q": "a\x00b"},
        {"page": "0"},
        {"page": "-1"},
        {"page": "9" * 400},
        {"page": "x"},
        {"kind": ["a"] * 51},
        {"tag": "\x00"},
    ],
)
def test_queries_that_make_no_sense_are_a_400(clara, query):
    assert _is_problem(clara.get("/api/library/resources", query), 400)


def test_a_page_far_behind_the_end_is_empty(cast, clara):
    resource_with_file(cast.clara)
    body = clara.get("/api/library/resources", {"page": "1000000"}).json()
    assert (body["results"], body["total"]) == ([], 1)


def test_a_record_is_changed_by_patch(cast, clara):
    resource = resource_with_file(cast.clara, "Before")
    change = {"title": " After ", "tags": ["a", "A"], "year": 2020, "kind": "report"}
    response = clara.patch(f"/api/library/resources/{resource.id}", change, JSON)
    body = response.json()
    assert (body["title"], body["tags"], body["year"]) == ("After", ["a"], 2020)
    assert body["kind_label"] == "Report"


@pytest.mark.parametrize(
    "change",
    [
        {"title": ""},
        {"title": "  "},
        {"title": "\u200b"},
        {"title": "x" * 301},
        {"title": None},
        {"title": "a\x00"},
        {"year": 0},
        {"year": "soon"},
        {"year": 10**30},
        {"kind": "spell"},
        {"authors": "Anna"},
        {"tags": ["x" * 201]},
        {"tags": ["x"] * 101},
        {"body": "x" * 100_001},
    ],
)
def test_changes_that_make_no_sense_name_the_field(cast, clara, change):
    resource = resource_with_file(cast.clara, "Kept")
    response = clara.patch(f"/api/library/resources/{resource.id}", json.dumps(change), JSON)
    assert _is_problem(response, 400)
    assert Resource.objects.get().title == "Kept"


def test_nobody_overwrites_what_they_have_not_seen(cast, clara):
    href = f"/api/library/resources/{resource_with_file(cast.clara, 'First').id}"
    seen = clara.get(href)["ETag"]
    moved = client_of(cast.enric).patch(href, {"title": "Second"}, JSON)
    late = clara.patch(href, {"title": "Lost"}, JSON, headers={"If-Match": seen})
    assert _is_problem(late, 409, "changed_meanwhile")
    again = clara.patch(href, {"title": "Third"}, JSON, headers={"If-Match": moved["ETag"]})
    assert (again.status_code, again.json()["title"]) == (200, "Third")


def test_links_and_files_come_and_go_over_http(cast, clara):
    resource = resource_with_file(cast.clara)
    href = f"/api/library/resources/{resource.id}"
    link = clara.post(f"{href}/links", {"url": "https://example.org/x"}, JSON)
    assert link.status_code == 201
    refused = clara.post(f"{href}/links", {"url": "http://localhost/"}, JSON)
    assert _is_problem(refused, 400, "url_refused")
    assert clara.delete(f"/api/library/links/{link.json()['id']}").status_code == 204
    attachment = attach(cast.clara, resource)
    assert clara.delete(f"/api/library/attachments/{attachment.id}").status_code == 204
    body = clara.get(href).json()
    assert (len(body["links"]), len(body["attachments"])) == (0, 1)
    assert clara.delete(href).status_code == 204
    assert _is_problem(clara.get(href), 404, "not_found")


def test_another_file_can_be_put_behind_an_attachment(cast, clara):
    attachment = attach(cast.clara, resource_with_link(cast.clara), b"old", "old.txt")
    body = ContentFile(b"new words", name="new.txt")
    response = clara.generic(
        "PUT",
        f"/api/library/attachments/{attachment.id}",
        *_multipart(body),
    )
    assert (response.status_code, response.json()["filename"]) == (200, "new.txt")


def _multipart(file) -> tuple[bytes, str]:
    return encode_multipart(BOUNDARY, {"file": file}), MULTIPART_CONTENT


def test_a_removed_file_is_not_served_any_more(cast, clara, href):
    clara.delete(href)
    assert _is_problem(clara.get(href), 404, "not_found")


def test_a_workspace_in_the_header_that_is_not_theirs_is_absent(cast, clara):
    for workspace in (cast.ottos_workspace.id, cast.victors_workspace.id, uuid.uuid4(), "x"):
        response = clara.get("/api/library/resources", headers={"X-Workspace": str(workspace)})
        assert _is_problem(response, 404, "not_found")


def test_the_list_over_http_takes_as_many_queries_for_sixty_records_as_for_three(
    cast, django_assert_num_queries
):
    lola = client_of(cast.lola)
    for number in range(3):
        resource_with_link(cast.clara, f"Record {number}", tags=["t"])
    with django_assert_num_queries(10):
        assert lola.get("/api/library/resources").json()["total"] == 3
    for number in range(57):
        resource_with_link(cast.clara, f"More {number}", tags=["t"])
    with django_assert_num_queries(10):
        assert lola.get("/api/library/resources").json()["total"] == 60


def test_creating_from_many_addresses_writes_one_line_each_in_the_log(cast, clara):
    urls = [f"https://example.org/{number}" for number in range(5)]
    clara.post("/api/library/resources", {"urls": urls}, JSON)
    assert AuditRecord.objects.filter(action="link_added", actor=cast.clara).count() == 5
