"""What people set about themselves."""

import pytest

from apps.accounts.actions import change_preferences
from apps.accounts.models import User
from apps.common.errors import Invalid
from tests.support.cast import person


def test_name_language_and_theme_are_kept(db):
    clara = person("Clara")
    change_preferences(clara, name=" Clara\tPuig ", language="ca", theme="dark")
    kept = User.objects.get()
    assert (kept.name, kept.language, kept.theme, kept.initials) == (
        "Clara Puig",
        "ca",
        "dark",
        "CP",
    )


@pytest.mark.parametrize(
    "wrong", [{"name": ""}, {"language": "xx"}, {"theme": "violet"}, {"name": "\u200b"}]
)
def test_what_cannot_be_is_named_and_nothing_is_changed(db, wrong):
    clara = person("Clara")
    with pytest.raises(Invalid) as caught:
        change_preferences(clara, **{"name": "C", "language": "ca", "theme": "dark", **wrong})
    assert set(caught.value.fields) == set(wrong)
    assert User.objects.get().name == "Clara"
