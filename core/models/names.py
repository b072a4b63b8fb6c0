"""Names of models that a server runs, as settings give them: ``provider:model``."""

from __future__ import annotations

from typing import Literal, get_args

Provider = Literal["mistral", "openai"]
_PROVIDERS: tuple[Provider, ...] = get_args(Provider)
SERVED_MODEL = rf"^({'|'.join(_PROVIDERS)}):\S+$"
"""What such a name must look like."""


def served_model(name: str) -> tuple[Provider, str] | None:
    """Provider and model of a name; none where it names no server's model, but a folder or a model of the hub."""
    start, _, model = name.partition(":")
    provider = next((known for known in _PROVIDERS if known == start), None)
    return (provider, model) if provider and model else None
