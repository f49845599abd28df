"""Who gets what from the addresses of accounts and vaults."""

from tests.contracts.access_table import Row, Thing


def _preferences(_: Thing) -> dict[str, str]:
    return {"name": "Somebody", "language": "ca", "theme": "dark"}


def _wrong_pair(_: Thing) -> dict[str, str]:
    return {"username": "nobody@example.org", "password": "wrong"}


def _workspace(thing: Thing) -> dict[str, str]:
    return {"workspace": str(thing.facts["workspace"])}


ROWS = (
    #                               neus clar enri lola vict ona  otto nobody
    Row("sign_in", "GET", {"": "    302  302  302  302  302  302  302  200"}),
    Row("sign_in", "POST", {"": "   302  302  302  302  302  302  302  400"}, form=_wrong_pair),
    Row("sign_out", "POST", {"": "  302  302  302  302  302  302  302  302"}),
    Row("profile", "GET", {"": "    200  200  200  200  200  200  200  302"}),
    Row("profile", "POST", {"": "   302  302  302  302  302  302  302  302"}, form=_preferences),
    Row("welcome", "GET", {"": "    302  302  302  302  302  302  302  410"}),
    Row("welcome", "POST", {"": "   302  302  302  302  302  302  302  410"}),
    Row(
        "choose_workspace",
        "POST",
        {
            "workspace.ours": "     302  302  302  302  404  404  404  302",
            "workspace.victors": "  404  404  404  404  302  404  404  302",
            "workspace.ottos": "    404  404  404  404  404  404  302  302",
            "workspace.absent": "   404  404  404  404  404  404  404  302",
        },
        form=_workspace,
    ),
)
