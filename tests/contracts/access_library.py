"""Who gets what from the addresses of the library.

Víctor's workspace has no References table: he finds nothing and can put nothing anywhere.
"""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from tests.contracts.access_table import ABSENT, ABSENT_PAGE, Row, Thing


def _file(_: Thing) -> dict[str, Any]:
    return {"file": SimpleUploadedFile("a.txt", b"words")}


def _file_for(thing: Thing) -> dict[str, Any]:
    return {**_file(thing), "resource": str(thing.facts["resource"])}


def _urls(_: Thing) -> dict[str, Any]:
    return {"urls": ["https://example.org/new"]}


def _url(_: Thing) -> dict[str, Any]:
    return {"url": "https://example.org/new"}


def _title(_: Thing) -> dict[str, Any]:
    return {"title": "Another title"}


ROWS = (
    #                              neus clar enri lola vict ona  otto nobody
    Row("library", "GET", {"": "   200  200  200  200  200  404  200  302"}),
    Row(
        "resource",
        "GET",
        {
            "resource.ours": "     200  200  200  200  404  404  404  302",
            "resource.ottos": "    404  404  404  404  404  404  200  302",
            "resource.template": " 404  404  404  404  404  404  404  302",
            "resource.absent": ABSENT_PAGE,
        },
    ),
    Row(
        "api_uploads",
        "POST",
        {"": "                     201  201  201  403  404  404  201  401"},
        form=_file,
    ),
    Row(
        "api_uploads",
        "POST",
        {
            "upload.ours": "       201  201  201  403  404  404  404  401",
            "upload.ottos": "      404  404  404  403  404  404  201  401",
            "upload.absent": "     404  404  404  403  404  404  404  401",
        },
        form=_file_for,
    ),
    Row("api_resources", "GET", {"": "200  200  200  200  200  404  200  401"}),
    Row(
        "api_resources",
        "POST",
        {"": "                     201  201  201  403  404  404  201  401"},
        body=_urls,
    ),
    Row(
        "api_resource",
        "GET",
        {
            "resource.ours": "     200  200  200  200  404  404  404  401",
            "resource.ottos": "    404  404  404  404  404  404  200  401",
            "resource.template": ABSENT,
            "resource.absent": ABSENT,
        },
    ),
    Row(
        "api_resource",
        "PATCH",
        {
            "resource.ours": "     200  200  200  403  404  404  404  401",
            "resource.ottos": "    404  404  404  404  404  404  200  401",
            "resource.template": ABSENT,
            "resource.absent": ABSENT,
        },
        body=_title,
    ),
    Row(
        "api_resource",
        "DELETE",
        {
            "resource.ours": "     204  204  204  403  404  404  404  401",
            "resource.ottos": "    404  404  404  404  404  404  204  401",
            "resource.template": ABSENT,
            "resource.absent": ABSENT,
        },
    ),
    Row(
        "api_links",
        "POST",
        {
            "resource.ours": "     201  201  201  403  404  404  404  401",
            "resource.ottos": "    404  404  404  404  404  404  201  401",
            "resource.absent": ABSENT,
        },
        body=_url,
    ),
    Row(
        "api_link",
        "DELETE",
        {
            "link.ours": "         204  204  204  403  404  404  404  401",
            "link.ottos": "        404  404  404  404  404  404  204  401",
            "link.absent": ABSENT,
        },
    ),
    Row(
        "api_attachment",
        "GET",
        {
            "attachment.ours": "   200  200  200  200  404  404  404  401",
            "attachment.ottos": "  404  404  404  404  404  404  200  401",
            "attachment.absent": ABSENT,
        },
    ),
    Row(
        "api_attachment",
        "PUT",
        {
            "attachment.ours": "   200  200  200  403  404  404  404  401",
            "attachment.ottos": "  404  404  404  404  404  404  200  401",
            "attachment.absent": ABSENT,
        },
        form=_file,
    ),
    Row(
        "api_attachment",
        "DELETE",
        {
            "attachment.ours": "   204  204  204  403  404  404  404  401",
            "attachment.ottos": "  404  404  404  404  404  404  204  401",
            "attachment.absent": ABSENT,
        },
    ),
)
