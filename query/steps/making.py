"""What makes each step for one question."""

from __future__ import annotations

from clausegraph.query.read.model.verify import Critic
from clausegraph.query.steps.bank import StepParts
from clausegraph.query.steps.comment import RuleCommentor
from clausegraph.query.steps.route import RuleRouter
from clausegraph.query.steps.validate import RuleValidator


def rule_router(parts: StepParts) -> RuleRouter:
    """A router that asks nobody."""
    return RuleRouter()


def rule_validator(parts: StepParts) -> RuleValidator:
    """A validator that asks nobody."""
    return RuleValidator(parts.view.reading)


def rule_commentor(parts: StepParts) -> RuleCommentor:
    """A commentor that asks nobody."""
    return RuleCommentor(parts.view)


def model_verifier(parts: StepParts) -> Critic:
    """A verifier that asks a language model."""
    assert parts.model is not None  # ``_made`` has looked
    return Critic(parts.embedder, parts.model)
