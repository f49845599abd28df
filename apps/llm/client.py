"""The port every provider fits."""

from collections.abc import AsyncIterator
from typing import Protocol

from apps.llm.values import ModelEvent, Prompt


class ModelClient(Protocol):
    """A provider of answers."""

    name: str
    calls_a_model: bool

    def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        """The answer as events, the last one `Finished`.

        Closing the iterator closes the provider's stream. Raises `ProviderError`, also in the
        middle of the stream.
        """
