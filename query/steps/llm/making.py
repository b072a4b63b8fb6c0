"""What makes each step that asks a language model, for one question; nothing of it is loaded without one."""

from __future__ import annotations

from clausegraph.query.steps.bank import StepParts
from clausegraph.query.steps.llm.comment import LlmCommentor
from clausegraph.query.steps.llm.route import LlmRouter
from clausegraph.query.steps.llm.validate import LlmValidator
from clausegraph.query.steps.making import rule_commentor
from clausegraph.query.steps.model import StepModel


def llm_router(parts: StepParts) -> LlmRouter:
    """A router that asks a model."""
    return LlmRouter(_model(parts))


def llm_validator(parts: StepParts) -> LlmValidator:
    """A validator that asks a model."""
    return LlmValidator(_model(parts), parts.view.reading)


def llm_validator_without_paths(parts: StepParts) -> LlmValidator:
    """One that is not shown how things were found: for the ablation."""
    return LlmValidator(_model(parts), parts.view.reading, with_paths=False)


def llm_commentor(parts: StepParts) -> LlmCommentor:
    """A commentor that asks a model."""
    return LlmCommentor(_model(parts), rule_commentor(parts))


def _model(parts: StepParts) -> StepModel:
    assert parts.model is not None  # the bank has told of one that is missing
    return parts.model
