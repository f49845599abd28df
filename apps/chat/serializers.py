"""The shapes of requests."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from apps.chat.values import MAX_MESSAGE
from apps.common.errors import Invalid, TooLarge

MAX_SOURCES = 5000


class Strict(serializers.Serializer[None]):
    """A shape that refuses unknown fields instead of ignoring them."""

    def to_internal_value(self, data: Any) -> Any:
        """Raises Invalid for what this address does not take."""
        unknown = set(data) - set(self.fields) if isinstance(data, dict) else set()
        if unknown:
            raise Invalid(
                _("This question carries something that is not taken here."),
                fields={str(name): [_("Not taken here.")] for name in sorted(map(str, unknown))},
            )
        return super().to_internal_value(data)


class NewContext(Strict):
    """What a question may see; without `source_ids` all sources of the notebook."""

    source_ids = serializers.ListField(
        child=serializers.UUIDField(), required=False, max_length=MAX_SOURCES
    )


class NewQuestion(Strict):
    """The body of `POST /api/chat`."""

    notebook_id = serializers.UUIDField()
    message = serializers.CharField()
    client_turn_id = serializers.UUIDField()
    # The metaclass takes fields out of the class, so that `Field.context` stays what it is.
    context = NewContext(required=False)  # type: ignore[assignment]

    def validate_message(self, message: str) -> str:
        """Raises TooLarge above 16,000 characters: nothing is cut in silence."""
        if len(message) > MAX_MESSAGE:
            raise TooLarge(
                _("A question may have at most 16,000 characters."),
                fields={"message": [_("Shorten it, or split it into several questions.")]},
            )
        return message
