"""The values that lists are narrowed down by, kept in step with their record."""

from apps.library.models import Facet, Resource


def sync_facets(resource: Resource) -> None:
    """Makes the facet rows of a record say what its columns say. Call with the row locked."""
    wanted = _values(resource)
    present = {(facet.name, facet.value): facet.pk for facet in resource.facets.all()}
    stale = [pk for pair, pk in present.items() if pair not in wanted]
    if stale:
        Facet.objects.filter(pk__in=stale).delete()
    Facet.objects.bulk_create(
        Facet(table_id=resource.table_id, resource=resource, name=name, value=value)
        for name, value in sorted(wanted - present.keys())
    )
    Facet.objects.filter(resource=resource).exclude(is_offered=resource.has_sources).update(
        is_offered=resource.has_sources
    )


def _values(resource: Resource) -> set[tuple[str, str]]:
    names = Facet.Name
    return (
        {(str(names.KIND), str(resource.kind))}
        | {(str(names.AUTHOR), author) for author in resource.authors}
        | {(str(names.TAG), tag) for tag in resource.tags}
    )
