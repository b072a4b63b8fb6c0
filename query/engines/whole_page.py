"""Prompts over a whole page, as text or rewritten by the model as pseudo-code.

Published ones are given the right page, ours take that of the nearest chunk.
"""

from __future__ import annotations

from dataclasses import replace

from clausegraph.core.errors import UnusableReply
from clausegraph.core.inquiry import Inquiry
from clausegraph.query.engines.preset import Sources, preset
from clausegraph.query.engines.prompt import PromptContext, of_page
from clausegraph.query.steps.model import inputs_of

PAGE_CHARACTERS = 60_000  # of a page that is put into one prompt


def find_page(sources: Sources, inquiry: Inquiry) -> PromptContext:
    """The page of the most similar chunk."""
    nearest = sources.chunks(inquiry, 1)
    if not nearest:
        return PromptContext("", ())
    whole = of_page(sources.view.reading, nearest[0].page)
    return replace(whole, text=whole.text[:PAGE_CHARACTERS])


def _as_code(sources: Sources, inquiry: Inquiry) -> PromptContext:
    """The page, scenario and question rewritten by the model as commented pseudo-code."""
    whole = find_page(sources, inquiry)
    if not whole.shown:
        return whole
    inputs = inputs_of(inquiry, context=whole.text)
    return replace(whole, text=sources.model.ask("code-prompt", inputs, _text, pages=whole.pages).value)


def _text(reply: str) -> str:
    if not reply.strip():
        raise UnusableReply("the reply is empty")
    return reply


text_prompt = preset("text-prompt", find_page)
code_prompt = preset("code-prompt", _as_code)
