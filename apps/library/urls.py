"""The addresses of the library."""

from django.urls import URLPattern, URLResolver, path

from apps.library import api, pages

api_patterns: list[URLPattern | URLResolver] = [
    path("library/uploads", api.UploadsView.as_view(), name="api_uploads"),
    path("library/resources", api.ResourcesView.as_view(), name="api_resources"),
    path("library/resources/<uuid:resource_id>", api.ResourceView.as_view(), name="api_resource"),
    path("library/resources/<uuid:resource_id>/links", api.LinksView.as_view(), name="api_links"),
    path("library/links/<uuid:link_id>", api.LinkDetailView.as_view(), name="api_link"),
    path(
        "library/attachments/<uuid:attachment_id>",
        api.AttachmentDetailView.as_view(),
        name="api_attachment",
    ),
]

page_patterns: list[URLPattern | URLResolver] = [
    path("library", pages.library, name="library"),
    path("library/<uuid:resource_id>", pages.resource, name="resource"),
]
