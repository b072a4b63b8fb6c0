"""The numbered page of a prompt, read back; its triples by rule; and a cheap answer to a reader's prompt.

The answer is the list that has most of the scenario, else the element that shares most words with the question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clausegraph.core.extraction import ExtractionInput
    from clausegraph.core.types import Condition, Statement

_FENCE = re.compile(r"^<<<PAGE ([0-9a-fA-F]+)>>>[ \t]*\n(.*?)^<<<END \1>>>", re.MULTILINE | re.DOTALL)
_ELEMENT = re.compile(r"(\d+)([.\-|]|#{1,3}) (.*)")
_COLUMNS = re.compile(r"(.*) \(columns: (.*)\)")
_TAGGED = re.compile(r"<(p|li|tr|h[1-3])>(.*)</\1>")  # a line of the prompts that show elements as HTML
_MARKS = {".": "p", "-": "li", "|": "tr", "#": "h2", "##": "h2", "###": "h3"}
_LEVELS = {"#": 1, "##": 2, "###": 3}
_GROUPED = re.compile(r"(?<=\d),(?=\d)")
_LINE = re.compile(
    r"^(?:PAGE \d+(?: \([^)]*\))?: (?P<title>.*)|(?P<label>e\d+)(?P<mark>[.\-|]) (?P<text>.*))$", re.MULTILINE
)
_LABELLED = re.compile(r"^ *(e\d+)[.\-|] (.*)$", re.MULTILINE)
_QUESTION = re.compile(r"^Question: (.*)", re.MULTILINE)
_SCENARIO = re.compile(r"^Scenario: (.*)", re.MULTILINE)
_WORD = re.compile(r"\w{4,}")
_VERBS = frozenset("am is are was were do does did can could will would may might must should have has had".split())  # noqa: SIM905
_LONGEST = 8  # words of an answer
_RUN = 3  # words in a row that an item and the scenario share: it is met
_UNLESS = re.compile(r",? unless ")


@dataclass(frozen=True, slots=True)
class PromptElement:
    """One numbered line: its number, tag (p, li, tr, h2), text, and the header cells of a table row."""

    number: int
    tag: str
    text: str
    headers: tuple[str, ...] = ()
    level: int = field(default=0, compare=False)  # of a heading: how many marks it has


@dataclass(frozen=True, slots=True)
class PromptSection:
    """The elements of one heading: ``path`` has its text, ``above`` the numbered headings above it."""

    path: tuple[str, ...]
    elements: tuple[PromptElement, ...]
    title: str = ""
    above: tuple[PromptElement, ...] = ()


def page_in(text: str) -> tuple[str, str] | None:
    """The first page of a message, and what is written around it; none when no pair of markers matches."""
    found = _FENCE.search(text)
    return None if found is None else (found[2], text[: found.start()] + text[found.end() :])


def sections_of(page: str) -> tuple[PromptSection, ...]:
    """The sections of a numbered page. Where no line has a number, every line is a paragraph, or what its tag says."""
    lines = [line for line in page.split("\n") if line.strip()]
    if not any(_ELEMENT.match(line) for line in lines):
        return (PromptSection((), tuple(_unnumbered(i, line) for i, line in enumerate(lines, start=1))),)
    by_paths = any(line.startswith("## ") for line in lines)
    return _by_paths(lines) if by_paths else _by_headings(lines)


def _by_paths(lines: list[str]) -> tuple[PromptSection, ...]:
    """The sections of a page where lines without a number name the heading path."""
    sections: list[tuple[tuple[str, ...], list[PromptElement]]] = []
    for line in lines:
        if line.startswith("## "):
            sections.append((tuple(line.removeprefix("## ").split(" > ")), []))
            continue
        element = _element(line)
        if element is None:
            continue
        if not sections:
            sections.append(((), []))
        sections[-1][1].append(element)
    return tuple(PromptSection(path, tuple(elements)) for path, elements in sections if elements)


def _by_headings(lines: list[str]) -> tuple[PromptSection, ...]:
    """The sections of a page whose headings have numbers, and as many marks as their level."""
    title = lines[0].removeprefix("# ") if lines[0].startswith("# ") else ""
    sections: list[PromptSection] = []
    above: list[PromptElement] = []
    for element in filter(None, map(_element, lines)):
        if element.level:
            above = [heading for heading in above if heading.level < element.level]
            path = (*(heading.text for heading in above), element.text)
            sections.append(PromptSection(path, (), title, tuple(above)))
            above.append(element)
        if not sections:
            sections.append(PromptSection((), (), title))
        sections[-1] = replace(sections[-1], elements=(*sections[-1].elements, element))
    return tuple(sections)


def _unnumbered(number: int, line: str) -> PromptElement:
    tagged = _TAGGED.fullmatch(line.strip())
    return PromptElement(number, tagged[1] if tagged else "p", tagged[2] if tagged else line.strip())


def _element(line: str) -> PromptElement | None:
    found = _ELEMENT.match(line)
    if found is None:
        return None
    number, mark, text = found.groups()
    columns = _COLUMNS.fullmatch(text) if mark == "|" else None
    if columns is None:
        return PromptElement(int(number), _MARKS[mark], text, level=_LEVELS.get(mark, 0))
    return PromptElement(int(number), _MARKS[mark], columns[1], tuple(columns[2].split(" | ")))


@lru_cache(maxsize=256)
def rule_triples(page: str) -> tuple[dict[str, Any], ...]:
    """The triples that ``RuleExtractor`` finds, in element order. The same page is read once."""
    from clausegraph.ingestion.extract.rules.extractor import RuleExtractor

    found: list[dict[str, Any]] = []
    for section in sections_of(page):
        source = input_of(section)
        numbers = {f"e{i}": element.number for i, element in enumerate(section.elements)}
        numbers |= {f"h{i}": element.number for i, element in enumerate(section.above)}
        texts = {element.number: element.text for element in (*section.above, *section.elements)}
        found += [_triple(statement, numbers, texts) for statement in RuleExtractor().extract(source).statements]
    return tuple(sorted(found, key=lambda triple: int(triple["elements"][0])))


def short_triples(page: str) -> list[dict[str, Any]]:
    """One triple per element: its first two words, "states", its last words. No language is read."""
    found: list[dict[str, Any]] = []
    for section in sections_of(page):
        for element in section.elements:
            words = element.text.replace(" | ", " ").split()
            head = min(2, max(1, len(words) - 1))
            triple = _bare(" ".join(words[:head]), "states", " ".join(words[head:][-4:] or words))
            found.append(triple | {"elements": [element.number]})
    return found


def as_lines(triples: tuple[dict[str, Any], ...] | list[dict[str, Any]]) -> str:
    """``(subject, relation, object)``, one a line; no part keeps a comma of its own. "none" where there are none."""
    lines = [f"({_no_commas(t['subject'])}, {_no_commas(t['relation'])}, {_no_commas(t['object'])})" for t in triples]
    return "\n".join(lines) or "none"


def _no_commas(text: str) -> str:
    return " ".join(_GROUPED.sub("", text).replace(",", " ").split())


def input_of(section: PromptSection) -> ExtractionInput:
    """The extraction input of a section; a list goes on from the paragraph directly before it.

    What follows an item that ends with a colon is taken for a list of its own, since a prompt does not show nesting.
    """
    from clausegraph.core.extraction import ExtractionInput, InputElement

    elements: list[InputElement] = []
    lead_in: str | None = None
    for i, element in enumerate(section.elements):
        label = f"e{i}"
        if element.tag != "li":
            lead_in = label if element.tag == "p" else None
        above = lead_in if element.tag == "li" else None
        elements.append(
            InputElement(label, element.tag, element.text, section.path, lead_in=above, headers=element.headers)
        )
        if element.tag == "li" and element.text.endswith(":"):
            lead_in = label
    headings = tuple(InputElement(f"h{i}", one.tag, one.text) for i, one in enumerate(section.above))
    return ExtractionInput(section.title, section.path, tuple(elements), above=headings)


def _bare(subject: str, relation: str, target: str) -> dict[str, Any]:
    return {
        "subject": subject,
        "subject_type": "thing",
        "relation": relation,
        "object": target,
        "object_type": "thing",
        "elements": [],
        "holds": True,
        "modality": "is",
        "if": None,
        "in_force": None,
        "doubt": "",
    }


def _triple(statement: Statement, numbers: dict[str, int], texts: dict[int, str]) -> dict[str, Any]:
    """A statement in the form that the condition-aware prompt asks for."""
    from clausegraph.core.types import Literal, Mention

    match statement.object:
        case Literal(value, kind):
            target, target_type = value, kind
        case Mention(surface, _, kind):
            target, target_type = surface, kind
    start, end = statement.effective_from, statement.effective_to
    return _bare(statement.subject.surface, statement.relation, target) | {
        "subject_type": statement.subject.type,
        "object_type": target_type,
        "elements": sorted({numbers[span.anchor] for span in statement.spans}),
        "holds": statement.polarity,
        "modality": str(statement.modality),
        "if": _condition_json(statement.condition, numbers, texts),
        "in_force": {"from": start, "to": end} if start or end else None,
    }


def _condition_json(condition: Condition | None, numbers: dict[str, int], texts: dict[int, str]) -> Any:
    from clausegraph.core.types import All, AnyOf, Leaf, Not

    match condition:
        case None:
            return None
        case Leaf(label, start, end):
            number = numbers[label]
            return {"element": number, "quote": texts[number][start:end]}
        case Not(child):
            return {"not": _condition_json(child, numbers, texts)}
        case All(children):
            return {"all": [_condition_json(child, numbers, texts) for child in children]}
        case AnyOf(children):
            return {"any": [_condition_json(child, numbers, texts) for child in children]}


@dataclass(slots=True)
class _List:
    """A lead-in with its items, on a page."""

    title: str
    label: str
    text: str
    items: list[tuple[str, str]] = field(default_factory=list)


def cheap_reading(page: str, around: str) -> dict[str, Any]:
    """A reply with one answer, or none where no element shares a word with the question."""
    question = _last(_QUESTION, around)
    words = set(_WORD.findall(question.lower()))
    is_gate = bool(question) and question.lower().split()[0] in _VERBS
    shared = [(len(words & set(_WORD.findall(text.lower()))), label, text) for label, text in _LABELLED.findall(page)]
    most, label, text = max(shared, key=lambda found: found[0], default=(0, "", ""))
    if is_gate and (told := _by_list(page, words, _last(_SCENARIO, around))):
        return told
    said = "yes" if is_gate else " ".join(text.split()[:_LONGEST])
    whole = text if most and not is_gate and text.endswith(".") else ""
    return _reply(label if most else "", said, [], None, whole)


def _last(pattern: re.Pattern[str], text: str) -> str:
    found: list[str] = pattern.findall(text)
    return found[-1] if found else ""


def _reply(label: str, said: str, conditions: list[dict[str, str]], when: object, sentence: str = "") -> dict[str, Any]:
    return {
        "rules": [label] if label else [],
        "analysis": "This is no language model: words that question, scenario and elements share.",
        "conditions": conditions,
        "kind": "gate" if conditions else "fact",
        "answers": [{"text": said, "element": label, "evidence": [label], "if": when}] if label else [],
        "sentences": [{"text": sentence, "role": "answer", "sources": [label], "sums": []}] if sentence else [],
        "missing": "",
    }


def _by_list(page: str, words: set[str], scenario: str) -> dict[str, Any] | None:
    """Yes or no under the items of a list that has some of the scenario, on a page about the question."""
    about = [
        (len(words & set(_WORD.findall(found.title.lower()))), met, found)
        for found in _lists(page)
        if (met := sum(bool(_run(text, scenario)) for _, text in found.items))
    ]
    shared, _, best = max(about, key=lambda one: one[:2], default=(0, 0, None))
    if best is None or not shared:
        return None
    excludes = re.search(r"\b(cannot|not)\b", best.text) is not None
    conditions: list[dict[str, str]] = []
    parts: list[object] = []
    for label, text in best.items:
        holds, *exceptions = [_settled(conditions, label, part, scenario) for part in _UNLESS.split(text)]
        parts.append({"all": [holds, *({"not": name} for name in exceptions)]} if exceptions else holds)
    when = {"any" if excludes or re.search(r"\b(any|one) of", best.text) else "all": parts}
    return _reply(best.label, "no" if excludes else "yes", conditions, when)


def _lists(page: str) -> list[_List]:
    found: list[_List] = []
    title, last = "", None
    for line in _LINE.finditer(page):
        if line["title"] is not None:
            title, last = line["title"], None
        elif line["mark"] == "-" and last is not None:
            last.items.append((line["label"], line["text"]))
        else:
            last = _List(title, line["label"], line["text"]) if line["text"].endswith(":") else None
            found += [last] if last is not None else []
    return found


def _settled(known: list[dict[str, str]], label: str, text: str, scenario: str) -> str:
    """The name of a new condition: met where the scenario has some words of it in a row, else open."""
    said = _run(text, scenario)
    name = f"c{len(known) + 1}"
    state = "met" if said else "open"
    known.append({"id": name, "element": label, "quote": text, "state": state, "scenario": said, "ask": ""})
    return name


def _run(text: str, scenario: str) -> str:
    """The most words in a row, as the scenario has them, that a text shares with it; empty where there are too few."""
    words, lowered = text.lower().split(), scenario.lower()
    for length in range(len(words), _RUN - 1, -1):
        for start in range(len(words) - length + 1):
            run = " ".join(words[start : start + length])
            at = lowered.find(run)
            if at >= 0 and _WORD.search(run):
                return scenario[at : at + len(run)]
    return ""
