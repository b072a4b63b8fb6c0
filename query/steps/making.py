"""What makes each step that asks nobody, for one question."""

from __future__ import annotations

from clausegraph.query.steps.bank import StepParts
from clausegraph.query.steps.comment import BareCommentor, RuleCommentor
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


def bare_commentor(parts: StepParts) -> BareCommentor:
    """One that says no more than that it is wrong: for the ablation."""
    return BareCommentor()
