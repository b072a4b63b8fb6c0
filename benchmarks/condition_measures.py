"""How well an extractor finds conditions: elements that state one, and the shape of the trees.

Two measures, both over readings, so that any extractor and any reader can be scored:

* ``marking``: recall of ConditionalQA's gold condition elements against the share of all elements that the
  extractor marks, beside plain baselines.
  An element is marked when a leaf lies in it on which an answer may depend (``restrictions.decides``).
* ``predicted_trees``: for each labelled statement of ``examples/statements.json`` the tree that the extractor
  gives its sentence, in a statement or in a passage, for ``tree_scores.score_trees``.

What the rules reach, and what limits them (ConditionalQA v1.0)
---------------------------------------------------------------
Development questions, 59 whole pages: recall 0.952 (79 of 83) at share 0.398. Plain keywords: 0.867 at 0.434 ("if,
unless, must, only"), 1.000 at 0.550 (all). Training questions, 436 other pages of which only the evidence is
published, 1,244 condition elements: rules 0.821, the few keywords 0.764, all keywords 0.838.

* The training figure is the one to expect on new pages. The 83 development elements lie on 16 pages (pages
  resampled: recall 0.87 to 0.99), and which structures each lies in was looked at. One list of a duty to inform
  ("You must try to tell:") holds 10; without duties to inform, which hold 8 of training's 1,244, recall is
  0.795 at 0.389 (training 0.823).
* 0.93 on training is not in reach at this share for words alone: a logistic regression of training conditions
  against these pages (words, pairs, lead-in), out of fold, finds 0.76 at 0.40 and 0.86 at 0.50, with
  sentence embeddings 0.78 and 0.86; the rules find 0.845 of the same elements at 0.398.
* Missed in training, 212: 59 list items ("You can get:", places, products), 45 sentences without any mark of a
  condition, 31 lead-ins, 21 headings, 17 table rows, 16 that ``decides`` leaves out (it buys 2.4 points
  of share), 23 outside the evidence. On the development pages 2 lead-ins, 2 headings, 1 item.
* Share is bound by what gold is: a condition counts only where a scenario leaves it open. Of the training
  evidence that the rules mark 28% is gold; of paragraphs with "if" 22%.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clausegraph.core.extraction import Extraction, Extractor, extraction_input
from clausegraph.core.language.conditions import join
from clausegraph.core.language.normalise import tokens
from clausegraph.core.types import (
    All,
    AnyOf,
    Chunk,
    Condition,
    Element,
    Leaf,
    Not,
    Passage,
    PassageKind,
    Reading,
    Span,
    Stated,
    leaves,
)
from clausegraph.eval.conditionalqa.dataset import Question
from clausegraph.eval.elements import element_key
from clausegraph.eval.text_overlap import token_f1
from clausegraph.ingestion.extract.rules.restrictions import decides

_KEYWORDS = re.compile(
    r"\b(?:if|unless|must|only|when|where|while|except|provided|as long as|need|needs|cannot|should)\b", re.IGNORECASE
)
_FEW_KEYWORDS = re.compile(r"\b(?:if|unless|must|only)\b", re.IGNORECASE)

Key = tuple[str, str]
"""An element as the data set sees it: tag and text (``eval.elements.element_key``)."""


@dataclass(frozen=True)
class Marking:
    """``found`` of ``gold`` condition elements lie in the ``marked`` of ``elements`` elements."""

    name: str
    gold: int
    found: int
    elements: int
    marked: int

    @property
    def recall(self) -> float:
        """Share of the gold condition elements that are marked; 1 when there is none."""
        return self.found / self.gold if self.gold else 1.0

    @property
    def share(self) -> float:
        """Share of all elements that are marked."""
        return self.marked / self.elements if self.elements else 0.0


def condition_elements(questions: Iterable[Question]) -> dict[str, set[Key]]:
    """The gold condition elements of each page url."""
    found: dict[str, set[Key]] = {}
    for question in questions:
        for answer in question.answers:
            found.setdefault(question.url, set()).update(element_key(html) for html in answer.conditions)
    return found


def marked_anchors(reading: Reading, extractor: Extractor) -> set[str]:
    """Anchors of a page that hold a leaf of the condition of a statement or passage which an answer may depend on.

    A lead-in or a result under one ("You can get:") holds none of the words of its condition and is not marked.
    """
    texts = {element.anchor: element.text for element in reading.elements}
    marked: set[str] = set()
    for chunk in reading.chunks:
        source, anchors = extraction_input(reading, chunk)
        found = extractor.extract(source)
        every: list[Stated] = [*found.statements, *found.passages]
        for stated in every:
            for leaf in leaves(stated.condition):
                if decides(stated, leaf, texts[anchors[leaf.anchor]]):
                    marked.add(anchors[leaf.anchor])
    return marked


def keyword_anchors(reading: Reading, keywords: re.Pattern[str] = _KEYWORDS) -> set[str]:
    """The plain rule: an element that has a keyword of conditions, or whose lead-in has."""
    by_anchor = {element.anchor: element for element in reading.elements}

    def stated(element: Element) -> bool:
        above = by_anchor.get(element.lead_in or "")
        return bool(keywords.search(element.text) or (above is not None and keywords.search(above.text)))

    return {element.anchor for element in reading.elements if stated(element)}


def prose_anchors(reading: Reading) -> set[str]:
    """Every paragraph and list item."""
    return {element.anchor for element in reading.elements if element.tag in ("p", "li")}


def marking(
    name: str, readings: Mapping[str, Reading], gold: Mapping[str, set[Key]], marked: Mapping[str, set[str]]
) -> Marking:
    """Score the marked anchors of each page url; gold elements of pages without a reading count as missed."""
    found = elements = total = 0
    for url, reading in readings.items():
        anchors = marked.get(url, set())
        elements += len(reading.elements)
        total += sum(element.anchor in anchors for element in reading.elements)
        keys = {element_key(element.plain_html) for element in reading.elements if element.anchor in anchors}
        found += len(gold.get(url, set()) & keys)
    return Marking(name, sum(len(keys) for keys in gold.values()), found, elements, total)


def marking_report(
    readings: Mapping[str, Reading], questions: Iterable[Question], extractor: Extractor
) -> tuple[Marking, ...]:
    """The extractor beside plain baselines, on the same pages and questions."""
    gold = condition_elements(questions)
    rows = (
        ("extractor", {url: marked_anchors(reading, extractor) for url, reading in readings.items()}),
        ("keywords", {url: keyword_anchors(reading) for url, reading in readings.items()}),
        ("if, unless, must, only", {url: keyword_anchors(page, _FEW_KEYWORDS) for url, page in readings.items()}),
        ("p and li", {url: prose_anchors(reading) for url, reading in readings.items()}),
    )
    return tuple(marking(name, readings, gold, marked) for name, marked in rows)


# --- trees ------------------------------------------------------------------------------------------


def predicted_trees(
    readings: Mapping[str, Reading], labels: Sequence[Mapping[str, Any]], extractor: Extractor
) -> dict[str, dict[str, Any] | None]:
    """The extractor's tree for each labelled statement, by id; none where it keeps nothing of the sentence.

    ``labels`` are records of ``examples/statements.json``; each page is extracted as one chunk, so that the
    figure is about language and not about where chunks part. A label is matched to a statement that cites
    words of its sentence only; among several, to the one with the label's modality, polarity and subject.
    """
    found: dict[str, dict[str, Any] | None] = {}
    extracted: dict[str, tuple[Extraction, dict[str, Element]]] = {}
    for label in labels:
        page = label["page"]
        if page not in readings:
            continue
        if page not in extracted:
            extracted[page] = _whole_page(readings[page], extractor)
        extraction, elements = extracted[page]
        stated = _labelled(label, (*extraction.statements, *extraction.passages), elements)
        own = {element_key(html) for html in (label["statement"], *label["context"])}
        condition = of_sentence(stated.condition, elements, own) if stated is not None else None
        found[label["id"]] = plain_tree(condition, elements)
    return found


def of_sentence(condition: Condition | None, elements: Mapping[str, Element], own: Collection[Key]) -> Condition | None:
    """The condition that a sentence and its list state, in the elements ``own``: without what other sentences set."""
    match condition:
        case None:
            return None
        case Leaf():
            return condition if element_key(elements[condition.anchor].plain_html) in own else None
        case Not(child):
            kept = of_sentence(child, elements, own)
            return Not(kept) if kept is not None else None
        case All(children) | AnyOf(children):
            parts = [part for child in children if (part := of_sentence(child, elements, own)) is not None]
            return join("all" if isinstance(condition, All) else "any", parts) if parts else None


def plain_tree(condition: Condition | None, elements: Mapping[str, Element]) -> dict[str, Any] | None:
    """A condition in the form of ``examples/statements.json``; ``elements`` resolves its anchors."""
    match condition:
        case None:
            return None
        case Leaf():
            return {"leaf": condition.text, "element": elements[condition.anchor].plain_html}
        case Not(child):
            return {"not": plain_tree(child, elements)}
        case All(children):
            return {"all": [plain_tree(child, elements) for child in children]}
        case AnyOf(children):
            return {"any": [plain_tree(child, elements) for child in children]}


def _whole_page(reading: Reading, extractor: Extractor) -> tuple[Extraction, dict[str, Element]]:
    """Extract a page as one chunk; also the elements by their labels."""
    parts = tuple(Span(element.anchor, 0, len(element.text)) for element in reading.elements)
    source, anchors = extraction_input(reading, Chunk("page", (), parts, "", ""))
    by_anchor = {element.anchor: element for element in reading.elements}
    return extractor.extract(source), {label: by_anchor[anchor] for label, anchor in anchors.items()}


def _labelled(label: Mapping[str, Any], found: Sequence[Stated], elements: Mapping[str, Element]) -> Stated | None:
    """The statement a label is about, else the passage that holds its sentence, or None."""
    key = element_key(label["statement"])
    words = set(tokens(label["sentence"]))
    candidates: list[tuple[tuple[float, ...], Stated]] = []
    for stated in found:
        first = stated.spans[0]
        element = elements[first.anchor]
        if element_key(element.plain_html) != key or _is_no_rule(stated):
            continue
        cited = tokens(element.text[first.start : first.end])
        if sum(word in words for word in cited) < 0.9 * len(cited):
            continue
        candidates.append(((*_likeness(label, stated), token_f1(" ".join(cited), label["sentence"])), stated))
    return max(candidates, key=lambda pair: pair[0])[1] if candidates else None


def _likeness(label: Mapping[str, Any], stated: Stated) -> tuple[float, float, float]:
    """Whether modality and polarity are the label's, and how alike the subjects are; a passage has none of them."""
    if isinstance(stated, Passage):
        return 0.0, 0.0, 0.0
    return (
        float(stated.modality == label["modality"]),
        float(stated.polarity == (label["polarity"] == "positive")),
        round(token_f1(stated.subject.surface, label["subject"]), 2),
    )


def _is_no_rule(stated: Stated) -> bool:
    """Whether it gathers requirements or only names things, or (as of other extractors) states a value."""
    if isinstance(stated, Passage):
        return stated.kind in (PassageKind.NAMES, PassageKind.REQUIREMENTS)
    return stated.relation.startswith("states ")
