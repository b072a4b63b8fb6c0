"""What makes each step that asks a language model, for one question; nothing of it is loaded without one."""

from __future__ import annotations

from clausegraph.query.read.model.verify import Critic
from clausegraph.query.steps.bank import StepParts
from clausegraph.query.steps.llm.comment import LlmCommentor
from clausegraph.query.steps.llm.route import LlmRouter
from clausegraph.query.steps.llm.validate import LlmValidator
from clausegraph.query.steps.llm.widen import LlmRelations
from clausegraph.query.steps.making import rule_commentor
from clausegraph.query.steps.model import StepModel


def model_verifier(parts: StepParts) -> Critic:
    """A verifier that asks a language model, as the reader is asked: with the same guide."""
    return Critic(parts.embedder, _model(parts), parts.reading)


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
    told = None if parts.experiences is None else parts.experiences.text
    return LlmCommentor(_model(parts), rule_commentor(parts), told)


def llm_commentor_without_experiences(parts: StepParts) -> LlmCommentor:
    """One that is shown no example: for the ablation."""
    return LlmCommentor(_model(parts), rule_commentor(parts), "")


def llm_relations(model: StepModel) -> LlmRelations:
    """A filter of relations that asks a model."""
    return LlmRelations(model)


def _model(parts: StepParts) -> StepModel:
    assert parts.model is not None  # the bank has told of one that is missing
    return parts.model
