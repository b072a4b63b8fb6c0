"""The reader's fitted models, whether anything found is about the question, and which pages others replace.

The models are numbers per named feature in ``weights.json``, fitted by regression. ``value`` and ``verdict`` give the
probability that a candidate is right, from the checks that it fails and from the probability that the pages answer the
question, which ``answerable`` gives. ``order`` is of ``ranking.py``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import PageKey, Reading
from clausegraph.query.read.protocol import Pages
from clausegraph.query.read.statements import Candidate
from clausegraph.query.read.word_match import content_terms, coverage, missing_terms, terms
from clausegraph.query.retrieve.bank import Hit

ASSERTED = 0.7
"""An answer is asserted from this probability of being right; below it the pages are quoted."""
UNFITTED = 0.3  # of a span, which is right less often than not
NONE_FAILED, ANSWERABLE = "no check failed", "answerable"
COUNTS = (NONE_FAILED, ANSWERABLE)
"""Features that are no checks."""

Features = dict[str, float]
REFUSED = 0.02  # probability below which nothing is shown: so lie 23 of 31 off-topic questions, 2 of 562 answerable
MAY_SAY = 0.2  # below it the pages may not say: all 31, 3% of the 562, 75% of 390 with the deciding page taken out
_FAR = 0.45  # similarity
_BEST = 3  # hits whose words count
_MEASURED = "minilm"  # in the name of the model whose similarities were fitted: others have a scale of their own
_REPLACES = re.compile(
    r"\b(?P<by>(?:has|have|been|was|were|is|are) (?:now )?(?:replaced|superseded) by)\b"
    r"|\b(?:replaces?|supersedes?|replaced|superseded)\b",
    re.IGNORECASE,
)
_HEAD = re.compile(r"\s*[:–—|]\s+|\s+-\s+")


@cache
def _models() -> Mapping[str, Mapping[str, float]]:
    models: dict[str, dict[str, float]] = json.loads(
        files("clausegraph.query.read").joinpath("weights.json").read_text(encoding="utf-8")
    )
    return models


def weights(model: str) -> Mapping[str, float]:
    """The weights of a fitted model by the names of its features."""
    return _models()[model]


def probability(kind: str, features: Mapping[str, float]) -> float:
    """The probability that a candidate is right, or that the pages answer.

    Args:
        kind: "verdict", "value" or "answerable".
        features: one that the model does not know counts nothing.
    """
    known = weights(kind)
    total = known["bias"] + sum(known.get(feature, 0.0) * value for feature, value in features.items())
    return 1.0 / (1.0 + math.exp(-total))


def with_counts(checks: Mapping[str, float], answerable: float) -> Features:
    """The checks, whether none failed, and the probability that the pages answer the question."""
    return {**checks, NONE_FAILED: float(not any(checks.values())), ANSWERABLE: answerable}


def answerable(question: str, hits: Sequence[Hit], embedder: Embedder | None, pages: Pages) -> float:
    """The probability that the pages answer a question.

    Fitted for the packaged model. Of any other one no more is known than that it is 0 where the best hits are far from
    the question and say none of its words; where the search compared no vectors it is 1.
    """
    found = reach(question, hits, pages)
    if "nearest passage" in found and is_measured(embedder):
        return probability("answerable", found)
    near = [hit.parts[name] for hit in hits for name in ("element", "chunk") if name in hit.parts]
    return float(not near or max(near) >= _FAR or found["words said"] > 0.0)


def is_measured(embedder: Embedder | None) -> bool:
    """Whether similarities are those of the packaged model, for which the weights were fitted."""
    return embedder is not None and _MEASURED in embedder.fingerprint.lower()


def reach(question: str, hits: Sequence[Hit], pages: Pages) -> Features:
    """The similarity of the nearest passage, where vectors were compared; the share of words that the best hits say."""
    best = sorted(hits, key=lambda hit: -hit.score)[:_BEST]
    said = coverage(content_terms(question), " ".join(_around(hit, pages) for hit in best))
    near = [hit.parts["chunk"] for hit in hits if "chunk" in hit.parts]
    return {"words said": said} | ({"nearest passage": max(near)} if near else {})


def _around(hit: Hit, pages: Pages) -> str:
    """A hit as it is read: with its page's title, its headings and what introduces it."""
    page = pages(hit.page)
    own = filter(None, map(page.element, hit.anchors))
    leads = filter(None, (page.element(one.lead_in) for one in own))
    return " ".join((page.title, *hit.headings, *(lead.text for lead in leads), hit.text))


def replaced_pages(ranked: Sequence[Candidate], pages: Pages) -> dict[PageKey, Candidate]:
    """Those pages of the candidates that one of the others says it replaces, each with the place that says so."""
    keys = list(dict.fromkeys(candidate.page for candidate in ranked))
    places = [(key, element) for key in keys for element in pages(key).elements if not element.is_heading]
    found: dict[PageKey, Candidate] = {}
    for key, element in places:
        for start, end in sentence_spans(element.text) if _REPLACES.search(element.text) else ():
            said = _REPLACES.search(element.text, start, end)
            for other in keys if said is not None and not said["by"] else ():
                is_meant = other != key and is_called(pages(other), element.text[start:end])
                if is_meant and _is_older(pages(other), pages(key)):
                    found.setdefault(other, Candidate(key, element, 0.0, None))
    return found


def is_called(reading: Reading, text: str) -> bool:
    """Whether a text calls a page by the first part of its title, of two words at least."""
    words = terms(_HEAD.split(reading.title or "")[0])
    return len(words) > 1 and not missing_terms(words, text)


def _is_older(page: Reading, than: Reading) -> bool:
    return page.updated is None or than.updated is None or page.updated <= than.updated
