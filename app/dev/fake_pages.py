"""The numbered page of a prompt, read back; its rules without a model; and a cheap answer to a reader's prompt.

The answer is the list that has most of the scenario, else the element that shares most words with the question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clausegraph.core.extraction import ExtractionInput, InputElement
    from clausegraph.core.types import Condition, Leaf, Mention, Rule, Statement

_FENCE = re.compile(r"^<<<PAGE ([0-9a-fA-F]+)>>>[ \t]*\n(.*?)^<<<END \1>>>", re.MULTILINE | re.DOTALL)
_ELEMENT = re.compile(r"(\d+)([-|]|#{1,3}|) (.*?)(?: \(columns: (.*)\))?$")
_TAGGED = re.compile(r"<(p|li|tr|h[1-3])>(.*)</\1>")  # a line of the prompts that show elements as HTML
_LETTER = re.compile(r" \|[b-z](?= )")  # before a part of a line
_TAGS = {"": "p", "-": "li", "|": "tr", "#": "h1", "##": "h2", "###": "h3"}
_LINE = re.compile(
    r"^(?:PAGE \d+(?: \([^)]*\))?: (?P<title>.*)|(?P<indent> *)(?P<label>e\d+)(?P<mark>[.\-|]) (?P<text>.*))$",
    re.MULTILINE,
)
_WORD = re.compile(r"\w{4,}")
_VERBS = frozenset("am is are was were do does did can could will would may might must should have has had".split())  # noqa: SIM905
_LONGEST = 8  # words of an answer
_RUN = 3  # words in a row that an item and the scenario share: it is met


def page_in(text: str) -> tuple[str, str] | None:
    """The first page of a message, and what is written around it; none when no pair of markers matches."""
    found = _FENCE.search(text)
    return None if found is None else (found[2], text[: found.start()] + text[found.end() :])


def sections_of(page: str) -> list[ExtractionInput]:
    """The sections of a numbered page, each element labelled with its number: ``e12``.

    A heading with a number begins a section, unless lines without a number (``## a > b``) name the sections. Where no
    line has a number, every line is a paragraph, or what its tag says.
    """
    from clausegraph.core.extraction import ExtractionInput, InputElement

    lines = [line for line in page.split("\n") if line.strip()]
    if not any(_ELEMENT.match(line) for line in lines):
        elements = []
        for position, line in enumerate(lines, start=1):
            tag, text = tagged.groups() if (tagged := _TAGGED.fullmatch(line.strip())) else ("p", line.strip())
            elements.append(InputElement(f"e{position}", tag, text))
        return [_joined(ExtractionInput("", (), ()), elements)]
    are_named = any(line.startswith("## ") for line in lines)
    title = lines[0].removeprefix("# ") if lines[0].startswith("# ") and not are_named else ""
    found: list[tuple[ExtractionInput, list[InputElement]]] = [(ExtractionInput(title, (), ()), [])]
    above: tuple[InputElement, ...] = ()
    for line in lines:
        if line.startswith("## "):
            found.append((ExtractionInput(title, tuple(line.removeprefix("## ").split(" > ")), ()), []))
        if (read := _ELEMENT.match(line)) is None:
            continue
        number, mark, text, columns = read.groups()
        if columns and mark != "|":
            text, columns = f"{text} (columns: {columns})", None
        text = _LETTER.sub(" |" if mark == "|" else "", text)
        headers = tuple(columns.split(" | ")) if columns else ()
        element = InputElement(f"e{number}", _TAGS[mark], text, headers=headers)
        if mark.startswith("#") and not are_named:
            above = tuple(one for one in above if one.tag < element.tag)
            path = (*(one.text for one in above), text)
            found.append((ExtractionInput(title, path, (), above=above), []))
            above += (element,)
        found[-1][1].append(element)
    return [_joined(section, elements) for section, elements in found if elements]


def _joined(section: ExtractionInput, elements: Sequence[InputElement]) -> ExtractionInput:
    """The section with its elements; a list goes on from the paragraph directly before it.

    What follows an item that ends with a colon is taken for a list of its own, since a prompt does not show nesting.
    """
    made: list[InputElement] = []
    lead_in: str | None = None
    for element in elements:
        above = lead_in if element.tag == "li" else None
        made.append(replace(element, headings=section.headings, lead_in=above))
        if element.tag != "li" or element.text.endswith(":"):
            lead_in = element.label if element.tag in ("p", "li") else None
    return replace(section, elements=tuple(made))


@lru_cache(maxsize=256)
def rule_lines(page: str) -> str:
    """The rules that ``RuleExtractor`` finds, each with a statement of its line, as the prompt ``rules`` asks for them.

    "none" where there are none. The same page is read once.
    """
    from clausegraph.core.types import PUBLISHER, Literal, RoleName
    from clausegraph.ingestion.extract.rules.extractor import ChunkReader

    names: dict[Mention, str] = {}
    lines: list[str] = []

    def name(entity: Mention) -> str:
        return names.setdefault(replace(entity, written="", node=""), _letters(len(names)))

    for section in sections_of(page):
        texts = {element.label: element.text for element in (*section.above, *section.elements)}
        reader = ChunkReader(section)
        statements = list(reader.read().statements)
        for rule in reader.rules():
            places = ",".join(dict.fromkeys(span.anchor.removeprefix("e") for span in rule.spans))
            stated = (role for role in rule.roles if role.name is not RoleName.NAMES)  # which a prompt does not ask for
            roles = [f"{role.name} {name(role.entity)}" for role in stated]
            told = next((one for one in statements if _states(rule, one)), None)
            fields = [places, *rule.kinds, *roles, rule.modality.value, *_condition(rule.condition, texts)]
            if told is not None:
                statements.remove(told)
                fields.append(_fact(told, name))
            lines.append(" ".join(fields))
        for told in statements:
            kind = "amount" if isinstance(told.object, Literal) else "definition"
            fields = [told.spans[0].anchor.removeprefix("e"), kind, *_condition(told.condition, texts)]
            lines.append(" ".join([*fields, _fact(told, name)]))
    shown = ((letters, "we" if one.key == PUBLISHER.key else one.surface, one.type) for one, letters in names.items())
    return "\n".join([*(f"{kind}: {letters} {surface}" for letters, surface, kind in shown), *lines]) or "none"


def _letters(number: int) -> str:
    """A for 0, Z for 25, AA for 26."""
    return (
        ascii_uppercase[number] if number < len(ascii_uppercase) else _letters(number // 26 - 1) + _letters(number % 26)
    )


def _states(rule: Rule, statement: Statement) -> bool:
    return rule.spans[0].anchor == statement.spans[0].anchor and rule.condition == statement.condition


def _fact(statement: Statement, name: Callable[[Mention], str]) -> str:
    """A statement as the fact of a rule: ": B may get A"."""
    from clausegraph.core.language.wording import relation_words
    from clausegraph.core.types import Literal

    target = statement.object
    shown = f'"{target.value}"' if isinstance(target, Literal) else name(target)
    return f": {name(statement.subject)} {relation_words(statement)} {shown}"


def _condition(condition: Condition | None, texts: Mapping[str, str]) -> list[str]:
    from clausegraph.core.types import fold

    def leaf(one: Leaf) -> str:
        return f'{one.anchor.removeprefix("e")}"{texts[one.anchor][one.start : one.end]}"'

    def group(kind: str, parts: list[str]) -> str:
        return f"not {parts[0]}" if kind == "not" else f"({(' and ' if kind == 'all' else ' or ').join(parts)})"

    return [f"if {fold(condition, leaf, group)}"] if condition else []


def cheap_reading(page: str, around: str) -> dict[str, Any]:
    """A reply with one answer, or none where no element shares a word with the question."""
    question, scenario = _last("Question", around), _last("Scenario", around)
    words = set(_WORD.findall(question.lower()))
    is_gate = bool(question) and question.lower().split()[0] in _VERBS
    if is_gate and (told := _by_list(page, words, scenario)):
        return told
    shared = [
        (len(words & set(_WORD.findall(line["text"].lower()))), line["label"], line["text"])
        for line in _LINE.finditer(page)
        if line["label"]
    ]
    most, label, text = max(shared, key=lambda found: found[0], default=(0, "", ""))
    said = "yes" if is_gate else " ".join(text.split()[:_LONGEST])
    return _reply(label if most else "", said, [], None, text if not is_gate and text.endswith(".") else "")


def _last(name: str, text: str) -> str:
    found: list[str] = re.findall(rf"^{name}: (.*)", text, re.MULTILINE)
    return found[-1] if found else ""


def _reply(label: str, said: str, conditions: list[dict[str, str]], when: object, sentence: str = "") -> dict[str, Any]:
    made: dict[str, Any] = {
        "rules": [],
        "analysis": "This is no language model: words that question, scenario and elements share.",
        "conditions": conditions,
        "kind": "gate" if conditions else "fact",
        "answers": [],
        "sentences": [],
        "missing": "",
    }
    if label:
        made |= {"rules": [label], "answers": [{"text": said, "element": label, "evidence": [label], "if": when}]}
    if label and sentence:
        made["sentences"] = [{"text": sentence, "role": "answer", "sources": [label], "sums": []}]
    return made


def _by_list(page: str, words: set[str], scenario: str) -> dict[str, Any] | None:
    """Yes or no under the items of a list that has some of the scenario, on a page about the question."""
    lists: list[tuple[str, str, str, list[tuple[str, str]]]] = []  # of the lead-in its page's title, label and text
    title, is_open = "", False
    for line in _LINE.finditer(page):
        if line["title"] is not None:
            title, is_open = line["title"], False
        elif line["mark"] == "-" and is_open and not line["indent"]:
            lists[-1][3].append((line["label"], line["text"]))
        elif not line["indent"]:
            is_open = line["text"].endswith(":")
            lists += [(title, line["label"], line["text"], [])] if is_open else []
    about = [
        (len(words & set(_WORD.findall(one[0].lower()))), met, one)
        for one in lists
        if (met := sum(bool(_run(text, scenario)) for _, text in one[3]))
    ]
    shared, _, best = max(about, key=lambda one: one[:2], default=(0, 0, None))
    if best is None or not shared:
        return None
    _, lead_in, said, items = best
    excludes = re.search(r"\b(cannot|not)\b", said) is not None
    conditions: list[dict[str, str]] = []
    parts: list[object] = []
    for label, text in items:
        names = []
        for quote in re.split(",? unless ", text):  # met where the scenario has some words of it in a row, else open
            run = _run(quote, scenario)
            names.append(f"c{len(conditions) + 1}")
            state = "met" if run else "open"
            known = {"element": label, "quote": quote, "state": state, "scenario": run, "ask": ""}
            conditions.append({"id": names[-1]} | known)
        holds, *exceptions = names
        parts.append({"all": [holds, *({"not": name} for name in exceptions)]} if exceptions else holds)
    is_any = excludes or re.search(r"\b(any|one) of", said)
    return _reply(lead_in, "no" if excludes else "yes", conditions, {"any" if is_any else "all": parts})


def _run(text: str, scenario: str) -> str:
    """The most words in a row, as the scenario has them, that a text shares with it; empty where there are too few."""
    words, told = text.lower().split(), [word.strip(".,;:!?") for word in scenario.split()]
    found = SequenceMatcher(None, words, [word.lower() for word in told], autojunk=False).find_longest_match()
    run = " ".join(told[found.b : found.b + found.size])
    return run if found.size >= _RUN and _WORD.search(run) and run in scenario else ""
