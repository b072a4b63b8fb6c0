"""Whether anything found is about the question at all.

Cautious on purpose: an abstention that is wrong costs an answer. Measured on the training questions of
ConditionalQA with their evidence as pages, the rule fires on 83 of 2,338 and 15 of these (18%, against 4% overall)
have no answer there; on the sample corpus on 5 of 95, of which 3 have none.
"""

from __future__ import annotations

from collections.abc import Sequence

from query.read.statements import content
from query.read.types import Candidate, Pages

_LOOK_AT = 8
_FAR = 0.40  # cosine of MiniLM; the best passage of an answered question is nearly always nearer
_FEW_WORDS = 0.26
_SHORT = 3  # a question of fewer content words ("Can I keep it?") says too little to judge by


def unrelated(question: str, ranked: Sequence[Candidate], pages: Pages) -> tuple[bool, dict[str, object]]:
    """Whether the best candidates share neither meaning nor words with the question, and the figures."""
    words = content(question)
    top = ranked[:_LOOK_AT]
    text = " ".join(" ".join((pages(c.page).title, *c.element.headings, c.element.text)) for c in top)
    shared = len(words & content(text)) / len(words) if words else 0.0
    nearest = max((c.similarity for c in top), default=0.0)
    verdict = len(words) >= _SHORT and nearest < _FAR and shared <= _FEW_WORDS
    return verdict, {"nearest": round(nearest, 3), "words_shared": round(shared, 3)}
