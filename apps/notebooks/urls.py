"""The addresses of notebooks."""

from django.urls import path

from apps.notebooks import api, pages

api_patterns = [
    path("notebooks", api.NotebooksView.as_view(), name="api_notebooks"),
    path("notebooks/resources", api.SelectorView.as_view(), name="api_selector"),
    path("notebooks/<uuid:notebook_id>", api.NotebookView.as_view(), name="api_notebook"),
    path("notebooks/<uuid:notebook_id>/sources", api.SourcesView.as_view(), name="api_sources"),
    path(
        "notebooks/<uuid:notebook_id>/sources/<uuid:resource_id>",
        api.SourceView.as_view(),
        name="api_source",
    ),
    path(
        "notebooks/<uuid:notebook_id>/sources/<uuid:resource_id>/refresh",
        api.SourceRefreshView.as_view(),
        name="api_source_refresh",
    ),
    path("notebooks/<uuid:notebook_id>/refresh", api.RefreshView.as_view(), name="api_refresh"),
    path(
        "notebooks/<uuid:notebook_id>/refresh/cancel",
        api.CancelRefreshView.as_view(),
        name="api_refresh_cancel",
    ),
    path("notebooks/<uuid:notebook_id>/search", api.SearchView.as_view(), name="api_search"),
    path(
        "notebooks/<uuid:notebook_id>/evidence/<int:chunk_id>",
        api.EvidenceView.as_view(),
        name="api_evidence",
    ),
    path(
        "notebooks/<uuid:notebook_id>/revisions", api.RevisionsView.as_view(), name="api_revisions"
    ),
]

page_patterns = [
    path("notebooks", pages.notebooks, name="notebooks"),
    path("notebooks/<uuid:notebook_id>/evidence/<int:chunk_id>", pages.evidence, name="evidence"),
    path(
        "notebooks/<uuid:notebook_id>/files/<int:version_id>",
        pages.source_file,
        name="source_file",
    ),
]
