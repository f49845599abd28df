"""Who gets what from the addresses of notebooks.

A private notebook is absent for everybody but Clara, who made it: for the owner of the vault,
for its admin and for staff as for a stranger. `foreign` things are a passage, a version and a
record that really exist, asked for under a notebook they do not belong to.
"""

from typing import Any

from tests.contracts.access_table import ABSENT, ABSENT_PAGE, Row, Thing


def _new(thing: Thing) -> dict[str, Any]:
    return {"title": "New", "resource_ids": [str(one) for one in thing.facts["resources"]]}


def _records(thing: Thing) -> dict[str, Any]:
    return {"resource_ids": [str(one) for one in thing.facts["resources"]]}


def _title(_: Thing) -> dict[str, Any]:
    return {"title": "Another title"}


#                            neus clar enri lola vict ona  otto nobody
READ = {
    "notebook.private": "    404  200  404  404  404  404  404  401",
    "notebook.shared": "     200  200  200  200  404  404  404  401",
    "notebook.victors": "    404  404  404  404  200  404  404  401",
    "notebook.ottos": "      404  404  404  404  404  404  200  401",
    "notebook.absent": ABSENT,
}


def _manage(status: int, victors: int | None = None) -> dict[str, str]:
    """Lines of something that only the maker of a notebook may do."""
    return {
        "notebook.private": f"404 {status} 404 404 404 404 404 401",
        "notebook.shared": f" 403 {status} 403 403 404 404 404 401",
        "notebook.victors": f"404 404 404 404 {victors or status} 404 404 401",
        "notebook.ottos": f"  404 404 404 404 404 404 {status} 401",
        "notebook.absent": ABSENT,
    }


def _member(status: int) -> dict[str, str]:
    """Lines of something that the maker may do with one record of a notebook."""
    return {
        "member.private": f"  404 {status} 404 404 404 404 404 401",
        "member.shared": f"   403 {status} 403 403 404 404 404 401",
        "member.ottos": f"    404 404 404 404 404 404 {status} 401",
    }


ROWS = (
    #                                 neus clar enri lola vict ona  otto nobody
    Row("notebooks", "GET", {"": "    200  200  200  200  200  404  200  302"}),
    Row("api_notebooks", "GET", {"": "200  200  200  200  200  404  200  401"}),
    Row(
        "api_notebooks",
        "POST",
        {
            "selection.ours": "       201  201  201  403  404  404  400  401",
            "selection.ottos": "      400  400  400  403  404  404  201  401",
            "selection.mixed": "      400  400  400  403  404  404  400  401",
            "selection.template": "   400  400  400  403  404  404  400  401",
            "selection.absent": "     400  400  400  403  404  404  400  401",
        },
        body=_new,
    ),
    Row("api_selector", "GET", {"": " 200  200  200  200  200  404  200  401"}),
    Row("api_notebook", "GET", READ),
    Row("api_notebook", "PATCH", _manage(200), body=_title),
    Row("api_notebook", "DELETE", _manage(204)),
    Row("api_sources", "GET", READ),
    Row(
        "api_sources",
        "POST",
        {
            "addition.private": "     404  202  404  404  404  404  404  401",
            "addition.shared": "      403  202  403  403  404  404  404  401",
            "addition.foreign": "     403  400  403  403  404  404  404  401",
            "addition.ottos": "       404  404  404  404  404  404  202  401",
            "addition.absent": ABSENT,
        },
        body=_records,
    ),
    Row(
        "api_source",
        "DELETE",
        {
            **_member(204),
            "member.foreign": "       403  400  403  403  404  404  404  401",
            "member.absent": ABSENT,
        },
    ),
    Row(
        "api_source_refresh",
        "POST",
        {
            **_member(202),
            "member.foreign": "       403  400  403  403  404  404  404  401",
            "member.absent": ABSENT,
        },
    ),
    Row("api_refresh", "POST", _manage(202)),
    Row("api_refresh_cancel", "POST", _manage(409)),
    Row(
        "api_search",
        "GET",
        {**READ, "notebook.victors": "404  404  404  404  409  404  404  401"},
        query="q=evidence",
    ),
    Row("api_revisions", "GET", READ),
    Row(
        "api_evidence",
        "GET",
        {
            "chunk.private": "        404  200  404  404  404  404  404  401",
            "chunk.shared": "         200  200  200  200  404  404  404  401",
            "chunk.ottos": "          404  404  404  404  404  404  200  401",
            "chunk.foreign": ABSENT,
            "chunk.absent": ABSENT,
        },
    ),
    Row(
        "evidence",
        "GET",
        {
            "chunk.private": "        404  200  404  404  404  404  404  302",
            "chunk.shared": "         200  200  200  200  404  404  404  302",
            "chunk.ottos": "          404  404  404  404  404  404  200  302",
            "chunk.foreign": ABSENT_PAGE,
            "chunk.absent": ABSENT_PAGE,
        },
    ),
    Row(
        "source_file",
        "GET",
        {
            "version.private": "      404  200  404  404  404  404  404  302",
            "version.shared": "       200  200  200  200  404  404  404  302",
            "version.ottos": "        404  404  404  404  404  404  200  302",
            "version.foreign": ABSENT_PAGE,
            "version.absent": ABSENT_PAGE,
        },
    ),
)
