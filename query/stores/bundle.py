"""A LlamaIndex question with the scenario of the person who asks."""

from __future__ import annotations

from dataclasses import dataclass

from llama_index.core.schema import QueryBundle

from clausegraph.core.inquiry import Inquiry


@dataclass
class ScenarioBundle(QueryBundle):
    """What ``retrieve`` and ``query`` take in place of a text: ``ScenarioBundle(question, scenario="I rent.")``."""

    scenario: str = ""


def inquiry_of(bundle: QueryBundle) -> Inquiry:
    """Question and scenario of a bundle; a plain one has no scenario.

    Raises:
        QuestionError: the question is empty, or question and scenario are too long.
    """
    return Inquiry(bundle.query_str, bundle.scenario if isinstance(bundle, ScenarioBundle) else "")
