"""The port every provider fits."""

from collections.abc import AsyncGenerator
from typing import Protocol

from apps.llm.values import ModelEvent, Prompt


class ModelClient(Protocol):
    """A provider of answers."""

    name: str
    calls_a_model: bool

    def stream(self, prompt: Prompt) -> AsyncGenerator[ModelEvent, None]:
        """The answer as events, the last one `Finished`.

        Closing the generator closes the provider's stream. Raises `ProviderError`, also in the
        middle of the stream.
        """
