"""The kinds of durable work that this app does."""

from apps.ingestion.refresh import refresh_notebook
from apps.jobs.registry import register
from apps.notebooks.values import INGEST

register(INGEST, refresh_notebook)
