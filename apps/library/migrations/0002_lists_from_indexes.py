"""Lets lists be read and counted from indexes alone."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import OuterRef, Subquery


def offer(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Gives the facets of present records their flag."""
    facets = apps.get_model("library", "Facet").objects
    resources = apps.get_model("library", "Resource").objects
    owner = resources.filter(id=OuterRef("resource_id"))
    facets.update(is_offered=Subquery(owner.values("has_sources")[:1]))


def sort_by_bytes(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """The key is folded already; PostgreSQL must not sort it once more by its own locale."""
    if editor.connection.vendor == "postgresql":
        editor.execute(
            'ALTER TABLE library_resource ALTER COLUMN sort_key TYPE varchar(200) COLLATE "C"'
        )


class Migration(migrations.Migration):
    dependencies = [("library", "0001_initial")]

    operations = [
        migrations.RemoveIndex("resource", "resources_in_order"),
        migrations.RunPython(sort_by_bytes, migrations.RunPython.noop),
        migrations.AddIndex(
            "resource",
            models.Index(
                fields=["table", "sort_key", "id", "has_sources", "is_template", "deleted_at"],
                name="resources_in_order",
            ),
        ),
        migrations.AddField("facet", "is_offered", models.BooleanField(default=False)),
        migrations.RunPython(offer, migrations.RunPython.noop),
        migrations.AddIndex(
            "facet",
            models.Index(fields=["table", "name", "value", "is_offered"], name="facet_counts"),
        ),
    ]
