"""What is left of a statement that may not stand: its place, its condition and its names."""

from __future__ import annotations

from clausegraph.core.types import Mention, Passage, PassageKind, Statement


def left_of(made: Statement) -> Passage:
    """A passage that is found where the statement stood, and claims nothing."""
    names = tuple(one for one in (made.subject, made.object) if isinstance(one, Mention))
    kind = PassageKind.NAMES if made.condition is None else PassageKind.RULE
    return Passage(kind, made.spans, made.condition, names)
