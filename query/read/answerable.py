"""Whether anything found is about the question, and which pages others replace."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.normalise import content
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import PageKey, Reading
from clausegraph.query.read.protocol import Pages
from clausegraph.query.read.statements import Candidate
from clausegraph.query.read.word_match import content_terms, coverage, missing_terms, terms
from clausegraph.query.retrieve.bank import Hit

_LOOK_AT = 8
_FAR = 0.45  # cosine of MiniLM; the best passage of an answered question is nearly always nearer
_NOWHERE = 0.28  # of 60 off-topic questions 57 are below it, of questions about the pages with a scenario none
_HALF = 0.6  # share of the question's words; a meaning that no model has seen may still be said in the same words
_FEW_WORDS = 0.34
_DOUBTFUL, _MOST = 0.5, 0.6  # cosine below which the question's words have to be on the pages found; share that is not
_FARTHER = 0.35  # below it, all of them
LIKELY = 1.485  # nearness from which an answer counts as likely, a feature of its probability
MAY_SAY = 1.3  # nearness below which the pages may not answer the question: 4% of typed questions that they answer are
_SAID, _BEST = 0.5, 3  # what it counts if they say all of it, and how many they are
_TOO_NEAR = 1.5  # of the hybrid's score: of 31 off-topic questions 29 are below it
_MEASURED = "minilm"  # in the name of the model: others have cosines of their own
_OF_THE_HYBRID = {"element", "chunk", "page"}
_SHORT = 3  # a question of fewer content words ("Can I keep it?") says too little to judge by
_REPLACES = re.compile(
    r"\b(?P<by>(?:has|have|been|was|were|is|are) (?:now )?(?:replaced|superseded) by)\b"
    r"|\b(?:replaces?|supersedes?|replaced|superseded)\b",
    re.IGNORECASE,
)
_HEAD = re.compile(r"\s*[:–—|]\s+|\s+-\s+")


def unrelated(question: str, ranked: Sequence[Candidate], pages: Pages) -> tuple[bool, dict[str, object]]:
    """Whether the best candidates share neither meaning nor words with the question, and the figures."""
    words = content(question)
    top = ranked[:_LOOK_AT]
    text = " ".join(" ".join((pages(c.page).title, *c.element.headings, c.element.text)) for c in top)
    shared = len(words & content(text)) / len(words) if words else 0.0
    compared = [c.similarity for c in top if c.similarity is not None]
    nearest = max(compared, default=0.0)
    far = nearest < _NOWHERE and shared < _HALF
    far = far or (len(words) >= _SHORT and nearest < _FAR and shared <= _FEW_WORDS)
    if not far and nearest < _DOUBTFUL:
        unheard = _unheard(question, ranked, pages)
        far = unheard >= _MOST or (nearest < _FARTHER and unheard > 0.0)
    return far and bool(compared or not top), {"nearest": round(nearest, 3), "words_shared": round(shared, 3)}


def nearness(question: str, hits: Sequence[Hit], embedder: Embedder | None, pages: Pages) -> float:
    """How near the best hits are to the question; infinity where that is not known.

    It is the hybrid's score without the page's part (a page on many things is near to nobody), and how many of the
    words of the question the hits have. Known with the packaged model alone. Of 388 typed questions that the pages
    answer, 91% lie above ``LIKELY`` and 96% above ``MAY_SAY``; with the deciding page taken out, 20% and 37% of 305.
    """
    best = _measured(hits, embedder)
    if not best:
        return math.inf
    shared = coverage(content_terms(question), " ".join(_around(hit, pages) for hit in best))
    return best[0].score - best[0].parts["page"] + _SAID * shared


def is_near(hits: Sequence[Hit], embedder: Embedder | None) -> bool:
    """Whether the best hit is nearer than anything is to a question about something else; false where not known."""
    best = _measured(hits, embedder)
    return bool(best) and best[0].score >= _TOO_NEAR


def _measured(hits: Sequence[Hit], embedder: Embedder | None) -> list[Hit]:
    """The best hits, of which it is known how near those are that decide: the hybrid's with the packaged model."""
    best = sorted(hits, key=lambda hit: -hit.score)[:_BEST]
    known = embedder is not None and _MEASURED in embedder.fingerprint.lower()
    return best if known and best and best[0].parts.keys() >= _OF_THE_HYBRID else []


def _around(hit: Hit, pages: Pages) -> str:
    """A hit as it is read: with its page's title, its headings and what introduces it."""
    page = pages(hit.page)
    own = filter(None, map(page.element, hit.anchors))
    leads = filter(None, (page.element(one.lead_in) for one in own))
    return " ".join((page.title, *hit.headings, *(lead.text for lead in leads), hit.text))


def _unheard(question: str, ranked: Sequence[Candidate], pages: Pages) -> float:
    """Share of what is asked that none of the pages found has a word for, in everyday speech either."""
    words = content_terms(question)
    for page in {candidate.page for candidate in ranked}:
        words = missing_terms(words, " ".join(element.text for element in pages(page).elements))
    return len(words) / len(content_terms(question)) if words else 0.0


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
