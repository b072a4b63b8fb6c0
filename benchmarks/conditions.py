"""``python -m benchmarks.conditions [FOLDER]``: how well the rule extractor finds conditions, against labels.

Condition trees are compared on ``examples/statements.json`` (odd ids were developed on, even ids held out). With a
folder that holds ConditionalQA's ``documents.json`` and ``dev.json``, recall of the gold condition elements is printed
against the share of all elements that are marked, beside plain keywords. An element is marked when a leaf lies in it on
which an answer may depend (:func:`decides`).
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from clausegraph.core.errors import InputError
from clausegraph.core.extraction import Extractor, extraction_input
from clausegraph.core.language.normalise import tokens
from clausegraph.core.pages.chunks import chunk_reading
from clausegraph.core.pages.read import read_document
from clausegraph.core.types import (
    All,
    AnyOf,
    Chunk,
    Condition,
    Element,
    Leaf,
    Modality,
    Not,
    Reading,
    Rule,
    RuleKind,
    Span,
    Stated,
    leaves,
)
from clausegraph.eval.conditionalqa.dataset import Question, load_questions
from clausegraph.eval.metrics import best_pairs, element_key, token_f1
from clausegraph.indexes.derive import with_anchors
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor, read_rules
from clausegraph.ingestion.sources import SourceDocument, open_source

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SAME_LEAF = 0.8
"""Least token F1 at which two leaves of the same element are the same condition."""
_KEYWORDS = re.compile(
    r"\b(?:if|unless|must|only|when|where|while|except|provided|as long as|need|needs|cannot|should)\b", re.IGNORECASE
)
# States of mind that advice is for, the moment something happens, and verbs of instructions whom to tell.
_DOUBT = re.compile(
    r"^you(?:['’]re| are) (?:not sure|unsure|unhappy|not happy|worried)\b"
    r"|^you (?:do not|don['’]t) (?:know|hear|understand)\b|^you (?:think|disagree)\b",
    re.IGNORECASE,
)
_BINDING = {RuleKind.DUTY, RuleKind.PROHIBITION, RuleKind.ELIGIBILITY, RuleKind.EXCLUSION}
_MOMENT = re.compile(r"\b(?:once|while)\s+$", re.IGNORECASE)
_INSTRUCTS = re.compile(
    r"^(?:contacts|calls|phones|emails|talks|speaks|tells|asks|uses|downloads|fills|follows|includes|provides)\b"
)
# What a list item leaves behind when it becomes a leaf: "be over 18; or", "live here, and".
_TRAILING = re.compile(r"(?:[\s.,;:!?\u2013\u2014-]+|\s(?:and|or))+$")

Key = tuple[str, str]
"""An element as the data set sees it: tag and text (``element_key``)."""
Tree = tuple[Any, ...]
"""``("leaf", text, element key)`` or an operator ("all", "any", "not") and its children, in a fixed order."""


# --- condition elements -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Marking:
    """``found`` of ``gold`` condition elements lie in the ``marked`` of ``elements`` elements."""

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


def decides(stated: Stated, leaf: Leaf, text: str) -> bool:
    """Whether an answer may depend on a leaf of a condition; ``text`` is the element of the leaf.

    Not so for an instruction where to turn or what to use, a state of mind, or the moment something happens.
    """
    if isinstance(stated, Rule):
        instruction = stated.kind is RuleKind.CONTACT
    else:
        duty = stated.modality in (Modality.MUST, Modality.SHOULD) and stated.polarity
        instruction = duty and stated.subject.type == "role" and bool(_INSTRUCTS.match(stated.relation))
    listed = leaf.anchor in {span.anchor for span in stated.spans[1:]} - {stated.spans[0].anchor}
    if instruction and not listed:  # an item of a list below it is a case of its own
        return False
    return not (_DOUBT.match(leaf.text) or _MOMENT.search(text, 0, leaf.start))


def marked_anchors(reading: Reading, extractor: Extractor) -> set[str]:
    """Anchors of a page that hold a leaf of the condition of a statement or rule which an answer may depend on, or a
    rule that binds everybody."""
    texts = {element.anchor: element.text for element in reading.elements}
    every: list[Stated] = list(read_rules(reading))
    elements = {element.anchor: element for element in reading.elements}
    marked = {anchor for one in every if isinstance(one, Rule) and _binds(one) for anchor in one.stated_in(elements)}
    for chunk in reading.chunks:
        source, anchors = extraction_input(reading, chunk)
        every += [with_anchors(one, anchors) for one in extractor.extract(source).statements]
    for stated in every:
        found = (leaf for leaf in leaves(stated.condition) if decides(stated, leaf, texts[leaf.anchor]))
        marked |= {leaf.anchor for leaf in found}
    return marked


def _binds(rule: Rule) -> bool:
    return rule.condition is None and not _BINDING.isdisjoint(rule.kinds)


def keyword_anchors(reading: Reading) -> set[str]:
    """The plain rule: an element that has a keyword of conditions, or whose lead-in has."""
    texts = {element.anchor: element.text for element in reading.elements}
    return {
        element.anchor
        for element in reading.elements
        if _KEYWORDS.search(element.text) or _KEYWORDS.search(texts.get(element.lead_in or "", ""))
    }


def marking(readings: Mapping[str, Reading], questions: Iterable[Question], marked: Mapping[str, set[str]]) -> Marking:
    """Score the marked anchors of each page url; gold elements of pages without a reading count as missed."""
    gold: dict[str, set[Key]] = {}
    for question in questions:
        conditions = (html for answer in question.answers for html in answer.conditions)
        gold.setdefault(question.url, set()).update(map(element_key, conditions))
    found = total = 0
    for url, reading in readings.items():
        here = [element for element in reading.elements if element.anchor in marked.get(url, ())]
        total += len(here)
        found += len(gold.get(url, set()) & {element_key(element.plain_html) for element in here})
    elements = sum(len(reading.elements) for reading in readings.values())
    return Marking(sum(map(len, gold.values())), found, elements, total)


# --- condition trees --------------------------------------------------------------------------------


@dataclass(frozen=True)
class TreeScores:
    """Shares from 0 to 1 over labelled statements: whole trees that are right; precision, recall and F1 of leaves;
    leaves under a "not" that were found under a "not"."""

    statements: int
    exact: float
    leaf_precision: float
    leaf_recall: float
    leaf_f1: float
    exceptions: float


def normal_tree(plain: Mapping[str, Any] | None) -> Tree | None:
    """A label's tree (``{"all": [tree, ...]}``, "any", "not", ``{"leaf": text, "element": html}``) in normal form.

    Equal operators are merged, an only child stands for its operator, order is irrelevant. No logic is done.
    """
    match plain:
        case None:
            return None
        case {"leaf": str(text), "element": str(element)} if len(plain) == 2:
            return "leaf", leaf_text(text), element_key(element)
        case {"not": child} if len(plain) == 1 and child:
            return "not", normal_tree(child)
        case {"all": [_, *_] as children} | {"any": [_, *_] as children} if len(plain) == 1 and all(children):
            return _combined(next(iter(plain)), [normal_tree(child) for child in children])
        case _:
            raise InputError(f"{str(plain)[:80]!r} is no condition tree; write all, any, not, or leaf with element")


def tree_of(condition: Condition | None, elements: Mapping[str, Element], own: Collection[Key]) -> Tree | None:
    """The normal form of what a sentence and its list state, in the elements ``own``, without what others set."""
    match condition:
        case None:
            return None
        case Leaf():
            key = element_key(elements[condition.anchor].plain_html)
            return ("leaf", leaf_text(condition.text), key) if key in own else None
        case Not(child):
            kept = tree_of(child, elements, own)
            return ("not", kept) if kept else None
        case All(children) | AnyOf(children):
            found = [tree_of(child, elements, own) for child in children]
            return _combined("all" if isinstance(condition, All) else "any", found)


def _combined(operator: str, children: Iterable[Tree | None]) -> Tree | None:
    parts = (child[1:] if child[0] == operator else (child,) for child in children if child)
    flat = [one for part in parts for one in part]
    return (operator, *sorted(flat, key=repr)) if len(flat) > 1 else flat[0] if flat else None


def leaf_text(text: str) -> str:
    """A leaf in lower case, without the punctuation and the "and" or "or" that trail it."""
    return _TRAILING.sub("", " ".join(text.lower().split()))


def tree_leaves(tree: Tree | None, negated: bool = False) -> list[tuple[str, Key, bool]]:
    """Text, element and whether it is under an odd number of "not", of each leaf in order."""
    if tree is None:
        return []
    if tree[0] == "leaf":
        return [(tree[1], tree[2], negated)]
    return [leaf for child in tree[1:] for leaf in tree_leaves(child, negated ^ (tree[0] == "not"))]


def score_trees(predicted: Mapping[str, Tree | None], gold: Mapping[str, Tree | None]) -> TreeScores:
    """Score the labelled statements by id; one that was not found counts as wrong, even where it has no condition."""
    matched = ours = theirs = exceptions = found = 0
    for name, tree in gold.items():
        made, wanted = tree_leaves(predicted.get(name)), tree_leaves(tree)
        values = [[_agreement(one, other, min(len(made), len(wanted))) for other in wanted] for one in made]
        pairs = [(p, g) for p, g in best_pairs(values) if values[p][g] > 0]
        matched, ours, theirs = matched + len(pairs), ours + len(made), theirs + len(wanted)
        exceptions += sum(negated for _, _, negated in wanted)
        found += sum(made[p][2] and wanted[g][2] for p, g in pairs)
    exact = sum(name in predicted and predicted[name] == tree for name, tree in gold.items())
    counts = ((exact, len(gold)), (matched, ours), (matched, theirs), (2 * matched, ours + theirs), (found, exceptions))
    return TreeScores(len(gold), *(part / whole if whole else 1.0 for part, whole in counts))


def _agreement(predicted: tuple[str, Key, bool], gold: tuple[str, Key, bool], pairs: int) -> float:
    """Above 1 where two leaves are the same condition; the bonuses of all pairs stay below one more pair."""
    same = token_f1(predicted[0], gold[0]) if predicted[1] == gold[1] else 0.0
    return 1.0 + same / (1 + pairs) if same >= SAME_LEAF else 0.0


def predicted_trees(
    readings: Mapping[str, Reading], labels: Sequence[Mapping[str, Any]], extractor: Extractor
) -> dict[str, Tree | None]:
    """The extractor's tree for each labelled statement, by id; none where it keeps nothing of the sentence.

    Each page is extracted as one chunk, so that the figure is about language and not about where chunks part. A label
    is matched to a statement that cites words of its sentence only; among several, to the one with its modality,
    polarity and subject.
    """
    extracted = {
        page: _whole_page(readings[page], extractor)
        for page in dict.fromkeys(label["page"] for label in labels)
        if page in readings
    }
    found: dict[str, Tree | None] = {}
    for label in labels:
        if label["page"] in extracted:
            every, elements = extracted[label["page"]]
            stated = _labelled(label, every, elements)
            own = {element_key(html) for html in (label["statement"], *label["context"])}
            found[label["id"]] = tree_of(stated.condition, elements, own) if stated is not None else None
    return found


def _whole_page(reading: Reading, extractor: Extractor) -> tuple[list[Stated], dict[str, Element]]:
    """The statements and rules of a page as one chunk; also the elements by their anchors."""
    parts = tuple(Span(element.anchor, 0, len(element.text)) for element in reading.elements)
    whole = replace(reading, chunks=(Chunk("page", (), parts, "", ""),))
    source, anchors = extraction_input(whole, whole.chunks[0])
    stated = [with_anchors(one, anchors) for one in extractor.extract(source).statements]
    return [*stated, *read_rules(whole)], {element.anchor: element for element in reading.elements}


def _labelled(label: Mapping[str, Any], found: Sequence[Stated], elements: Mapping[str, Element]) -> Stated | None:
    """The statement a label is about, else the rule of its sentence, or None."""
    key, words = element_key(label["statement"]), set(tokens(label["sentence"]))
    candidates: list[tuple[tuple[float, ...], Stated]] = []
    for stated in found:
        first = stated.spans[0]
        element = elements[first.anchor]
        cited = tokens(element.text[first.start : first.end])
        within = sum(word in words for word in cited) >= 0.9 * len(cited)
        if element_key(element.plain_html) == key and within:
            likeness = (*_likeness(label, stated), token_f1(" ".join(cited), label["sentence"]))
            candidates.append((likeness, stated))
    return max(candidates, key=lambda pair: pair[0])[1] if candidates else None


def _likeness(label: Mapping[str, Any], stated: Stated) -> tuple[float, float, float]:
    """Whether modality and polarity are the label's, and how alike the subjects are; of a rule its words tell."""
    if isinstance(stated, Rule):
        return 0.0, 0.0, 0.0
    return (
        float(stated.modality == label["modality"]),
        float(stated.polarity == (label["polarity"] == "positive")),
        round(token_f1(stated.subject.surface, label["subject"]), 2),
    )


# --- the command ------------------------------------------------------------------------------------


def readings_of(location: Path) -> dict[str, Reading]:
    """The readings of a source, by uri."""
    pages = (page for page in open_source(str(location)).documents() if isinstance(page, SourceDocument))
    return {page.uri: chunk_reading(read_document(page)[0]) for page in pages}


def label_scores(readings: Mapping[str, Reading], remainder: int) -> TreeScores:
    """Scores of the labelled statements whose id leaves ``remainder`` when divided by two."""
    labels = json.loads((EXAMPLES / "statements.json").read_text(encoding="utf-8"))
    labels = [label for label in labels if int(label["id"].removeprefix("st-")) % 2 == remainder]
    gold = {label["id"]: normal_tree(label["condition"]) for label in labels}
    return score_trees(predicted_trees(readings, labels, RuleExtractor()), gold)


def main() -> None:
    """Print both tables."""
    sample = readings_of(EXAMPLES / "corpus")
    print("condition trees        statements    exact  leaf F1  exceptions")
    for name, remainder in (("developed on (odd)", 1), ("held out (even)", 0)):
        found = label_scores(sample, remainder)
        print(f"{name:24}{found.statements:9}{found.exact:9.3f}{found.leaf_f1:9.3f}{found.exceptions:9.3f}")
    if len(sys.argv) > 1:
        pages, questions = (
            readings_of(Path(sys.argv[1]) / "documents.json"),
            load_questions(Path(sys.argv[1]) / "dev.json"),
        )
        print("\ncondition elements        recall  share of all elements")
        rows = {"extractor": lambda page: marked_anchors(page, RuleExtractor()), "keywords": keyword_anchors}
        for name, anchors in rows.items():
            row = marking(pages, questions, {url: anchors(page) for url, page in pages.items()})
            print(f"{name:26}{row.recall:6.3f} {row.share:8.3f}")


if __name__ == "__main__":
    main()
