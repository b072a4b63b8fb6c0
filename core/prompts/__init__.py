"""Prompts as files: ``<task>.v<N>.jinja`` with a header, cut into messages before they are rendered."""

from clausegraph.core.prompts.library import (
    PromptLibrary,
    library,
    read_examples,
    shipped_examples,
    shipped_folder,
    shipped_prompts,
)
from clausegraph.core.prompts.prompt import Prompt, PromptMessage

__all__ = [
    "Prompt",
    "PromptLibrary",
    "PromptMessage",
    "library",
    "read_examples",
    "shipped_examples",
    "shipped_folder",
    "shipped_prompts",
]
