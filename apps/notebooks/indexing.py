"""Making sure that a version is in a notebook's index, the cheapest way there is."""

from apps.notebooks import index, versions
from apps.notebooks.models import Notebook, SourceVersion


def ensure_segment(notebook: Notebook, version: SourceVersion) -> None:
    """Indexes every chunk of a complete version for this notebook, unless that is done already.

    What another notebook of the vault has indexed is copied instead of analysed again.
    """
    space_id = notebook.index_space.pk
    if index.indexed_count(space_id, [version.id]) == version.chunk_count:
        return
    index.drop_segments(space_id, [version.id])
    if index.copy_segment(version.id, to_space=space_id):
        return
    index.write_segment(space_id, version.id, versions.texts_of(version.id), version.language)
