"""Reading what the library's API is given."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from apps.library.actions import MAX_URLS
from apps.library.models import Resource

MAX_NAMES = 100


class FileIn(serializers.Serializer[Any]):
    """One file."""

    file = serializers.FileField(allow_empty_file=True)

    def validate_file(self, file: Any) -> Any:
        """Exactly one: a second file in the same request would be lost without a word."""
        if len(self.context["request"].FILES.getlist("file")) != 1:
            raise serializers.ValidationError(_("One file per request."))
        return file


class UploadIn(FileIn):
    """One file, and the record it goes to unless it makes its own."""

    resource = serializers.UUIDField(required=False, allow_null=True, default=None)


class UrlsIn(serializers.Serializer[Any]):
    """Web addresses, each to become a record."""

    urls = serializers.ListField(
        child=serializers.CharField(max_length=20_000), min_length=1, max_length=MAX_URLS
    )


class LinkIn(serializers.Serializer[Any]):
    """One web address."""

    url = serializers.CharField(max_length=20_000)


class ResourceIn(serializers.Serializer[Any]):
    """The columns of a record to change."""

    title = serializers.CharField(max_length=300, required=False)
    kind = serializers.ChoiceField(choices=Resource.Kind.choices, required=False)
    authors = serializers.ListField(
        child=serializers.CharField(max_length=200), max_length=MAX_NAMES, required=False
    )
    tags = serializers.ListField(
        child=serializers.CharField(max_length=200), max_length=MAX_NAMES, required=False
    )
    year = serializers.IntegerField(min_value=1, max_value=9999, required=False, allow_null=True)
    body = serializers.CharField(max_length=100_000, required=False, allow_blank=True)
