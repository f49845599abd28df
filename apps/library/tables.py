"""The References table of a vault: which fields it has and which of them hold evidence."""

from django.utils.translation import gettext as _

from apps.library.models import Field, Table

ATTACHMENTS = "attachments"
LINKS = "links"


def reference_fields(table: Table) -> list[Field]:
    """The eight unsaved fields of a References table, in order, labelled in the language now active."""
    kinds = Field.Kind
    facts = (
        ("title", _("Title"), kinds.TEXT),
        ("type", _("Type"), kinds.SELECT),
        ("authors", _("Authors"), kinds.AUTHOR),
        ("year", _("Year"), kinds.NUMBER),
        ("tags", _("Tags"), kinds.TAGS),
        ("notes", _("Notes"), kinds.LONG_TEXT),
        (ATTACHMENTS, _("Attachments"), kinds.ATTACHMENT),
        (LINKS, _("Links"), kinds.URL),
    )
    return [
        Field(table=table, key=key, label=label, kind=kind, position=position)
        for position, (key, label, kind) in enumerate(facts)
    ]


def evidence_field(table: Table, key: str) -> Field:
    """The field of a References table that holds its attachments or its links."""
    return table.fields.get(key=key)
