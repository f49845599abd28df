"""What there is to read: tables, records, and the attachments and links that are their evidence."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.common import text


class StoredFile(models.Model):
    """Bytes of a vault, kept once under their SHA-256. Never changed, only added and removed."""

    vault = models.ForeignKey("vaults.Vault", models.CASCADE, related_name="+")
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    media_type = models.CharField(max_length=120)
    path = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["vault", "sha256"], name="each_content_once_per_vault")
        ]

    def __str__(self) -> str:
        return self.sha256


class Table(models.Model):
    """A workspace's table of records."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey("vaults.Workspace", models.CASCADE, related_name="tables")
    name = models.CharField(max_length=120)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class ReferencesTable(models.Model):
    """The one table of a vault whose records are Resources. Known by this row, never by name."""

    vault = models.OneToOneField("vaults.Vault", models.CASCADE, primary_key=True, related_name="+")
    table = models.OneToOneField(Table, models.PROTECT, related_name="references_of")

    def __str__(self) -> str:
        return f"{self.table_id} of {self.vault_id}"


class Field(models.Model):
    """A typed field of a table. Only attachment and URL fields hold evidence."""

    class Kind(models.TextChoices):
        """What a field holds."""

        TEXT = "text", _("Text")
        LONG_TEXT = "long_text", _("Long text")
        NUMBER = "number", _("Number")
        SELECT = "select", _("Select")
        TAGS = "tags", _("Tags")
        AUTHOR = "author", _("Author")
        ATTACHMENT = "attachment", _("Attachment")
        URL = "url", _("URL")

    table = models.ForeignKey(Table, models.CASCADE, related_name="fields")
    key = models.SlugField(max_length=40)
    label = models.CharField(max_length=80)
    kind = models.CharField(max_length=12, choices=Kind.choices)
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering: ClassVar = ["position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["table", "key"], name="field_keys_differ")
        ]

    def __str__(self) -> str:
        return self.label


class ResourceQuerySet(models.QuerySet["Resource"]):
    """Filters on records; who may see which is decided in `apps.library.access`."""

    def live(self) -> "ResourceQuerySet":
        """Those that count as Resources: not deleted and not a template."""
        return self.filter(deleted_at=None, is_template=False)

    def with_sources(self) -> "ResourceQuerySet":
        """Those that hold at least one attachment or link."""
        return self.filter(has_sources=True)


class Resource(models.Model):
    """A record. Its columns serve to find and choose; evidence is only what its
    attachments and links hold.
    """

    class Kind(models.TextChoices):
        """What sort of thing the record stands for."""

        ARTICLE = "article", _("Article")
        REPORT = "report", _("Report")
        PLAN = "plan", _("Plan")
        GUIDE = "guide", _("Guide")
        LAW = "law", _("Law")
        NOTE = "note", _("Note")
        WEB_PAGE = "web_page", _("Web page")
        DOCUMENT = "document", _("Document")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    table = models.ForeignKey(Table, models.CASCADE, related_name="resources")
    title = models.CharField(max_length=300)
    kind = models.CharField(max_length=12, choices=Kind.choices, default=Kind.DOCUMENT)
    authors = models.JSONField(default=list)
    tags = models.JSONField(default=list)
    year = models.PositiveSmallIntegerField(null=True, blank=True)
    body = models.TextField(blank=True)
    is_template = models.BooleanField(default=False)
    has_sources = models.BooleanField(default=False)
    sort_key = models.CharField(max_length=200, editable=False)
    search_text = models.TextField(editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    deleted_at = models.DateTimeField(null=True, blank=True)

    objects = ResourceQuerySet.as_manager()

    class Meta:
        # Lists read these alone until they know which records to show.
        indexes: ClassVar = [
            models.Index(
                fields=["table", "sort_key", "id", "has_sources", "is_template", "deleted_at"],
                name="resources_in_order",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def prepare_lookup(self) -> None:
        """Recomputes the folded columns that lists sort and search by; call before saving."""
        self.sort_key = text.sort_key(self.title)
        words = [self.title, *self.authors, *self.tags, str(self.year or "")]
        self.search_text = text.fold(" ".join(words))


class Facet(models.Model):
    """One value to narrow a list down by, kept in step with its record."""

    class Name(models.TextChoices):
        """The facets of the selector."""

        KIND = "kind", _("Type")
        AUTHOR = "author", _("Author")
        TAG = "tag", _("Tag")

    table = models.ForeignKey(Table, models.CASCADE, related_name="+")
    resource = models.ForeignKey(Resource, models.CASCADE, related_name="facets")
    name = models.CharField(max_length=6, choices=Name.choices)
    value = models.CharField(max_length=200)
    # Like its record's `has_sources`: counts over everything offered need no other table.
    is_offered = models.BooleanField(default=False)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["resource", "name", "value"], name="each_facet_value_once"
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["table", "name", "value", "resource"], name="facet_values"),
            models.Index(fields=["table", "name", "value", "is_offered"], name="facet_counts"),
        ]

    def __str__(self) -> str:
        return f"{self.name}: {self.value}"


class AttachmentQuerySet(models.QuerySet["Attachment"]):
    """Filters on attachments."""

    def live(self) -> "AttachmentQuerySet":
        """Those not removed from their record."""
        return self.filter(deleted_at=None)


class Attachment(models.Model):
    """A file of a record. Its identity outlives a change of the file behind it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    resource = models.ForeignKey(Resource, models.CASCADE, related_name="attachments")
    field = models.ForeignKey(Field, models.PROTECT, related_name="+")
    filename = models.CharField(max_length=255)
    stored_file = models.ForeignKey(StoredFile, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    deleted_at = models.DateTimeField(null=True, blank=True)

    objects = AttachmentQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["created_at", "id"]

    def __str__(self) -> str:
        return self.filename


class LinkQuerySet(models.QuerySet["Link"]):
    """Filters on links."""

    def live(self) -> "LinkQuerySet":
        """Those not removed from their record."""
        return self.filter(deleted_at=None)


class Link(models.Model):
    """A web address of a record."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    resource = models.ForeignKey(Resource, models.CASCADE, related_name="links")
    field = models.ForeignKey(Field, models.PROTECT, related_name="+")
    url = models.URLField(max_length=2000)
    created_at = models.DateTimeField(auto_now_add=True)
    deleted_at = models.DateTimeField(null=True, blank=True)

    objects = LinkQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["created_at", "id"]

    def __str__(self) -> str:
        return self.url
