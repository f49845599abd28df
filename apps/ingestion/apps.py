"""Registers the app with Django."""

from django.apps import AppConfig

from apps.ingestion.reasons import note_sentence, sentence_for
from apps.notebooks import reasons


class IngestionConfig(AppConfig):
    """The app label is the folder's name, without prefix."""

    name = "apps.ingestion"
    label = "ingestion"

    def ready(self) -> None:
        """Tells the notebooks how to say why a source could not be read, or only in part."""
        reasons.register(reasons.Wording(sentence_for, note_sentence))
