"""The shapes of what people send about notebooks."""

from rest_framework import serializers

from apps.notebooks.actions import MAX_RESOURCES_PER_REQUEST, MAX_TITLE
from apps.notebooks.values import ConversationMode, GroundingPolicy, Visibility


class NewNotebook(serializers.Serializer[None]):
    """A notebook to be made."""

    title = serializers.CharField(max_length=MAX_TITLE)
    visibility = serializers.ChoiceField(list(Visibility), default=Visibility.PRIVATE)
    conversation_mode = serializers.ChoiceField(
        list(ConversationMode), default=ConversationMode.SHARED
    )
    resource_ids = serializers.ListField(
        child=serializers.UUIDField(), min_length=1, max_length=MAX_RESOURCES_PER_REQUEST
    )


class NotebookChanges(serializers.Serializer[None]):
    """What may be changed later; absent fields stay."""

    title = serializers.CharField(max_length=MAX_TITLE, required=False)
    visibility = serializers.ChoiceField(list(Visibility), required=False)
    conversation_mode = serializers.ChoiceField(list(ConversationMode), required=False)
    grounding_policy = serializers.ChoiceField(list(GroundingPolicy), required=False)


class ResourceIds(serializers.Serializer[None]):
    """Records to add."""

    resource_ids = serializers.ListField(
        child=serializers.UUIDField(), min_length=1, max_length=MAX_RESOURCES_PER_REQUEST
    )
