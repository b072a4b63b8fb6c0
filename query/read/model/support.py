"""What the elements that a sentence cites say, with all that is read along with them, and the sums computed from it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import groupby

from clausegraph.core.expression import ExpressionRefused, Value, evaluate
from clausegraph.core.extraction import names_above
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.known_values import KnownValues, relative_days
from clausegraph.core.language.normalise import content, overlap
from clausegraph.core.language.values import Atom, atoms
from clausegraph.core.types import Element, Evidence, Reading
from clausegraph.query.read.evidence import beside_it, evidence_of
from clausegraph.query.read.model.schema import DraftSentence
from clausegraph.query.read.model.shown import ShownElement
from clausegraph.query.read.protocol import Pages

_NEAR_TERMS = 3  # that a sentence shares with some words to be read beside them
_SAID = 0.7  # share of a quotable sentence's terms that another has, where it says it
_NEW_TERMS = 2  # by which a further sentence of an element is worth quoting
_WHOLE = 240  # characters of an element that is quoted whole: its next sentence often narrows the one that is cited
_ADDRESS = re.compile(r"https?://\S+|www\.\S+|[\w.+-]+@[\w-]+\.[\w.]+")
_POINTS_BACK = re.compile(r"(?:it|this|that|these|those|they|such)\b", re.IGNORECASE)  # to the sentence before
_WORD = re.compile(r"[\w’']+")


def cited_words(text: str) -> frozenset[str]:
    """The words of a text in lower case, without apostrophes and a last "s", by which names are looked up."""
    return frozenset(re.sub("[’']", "", word.lower()).rstrip("s") for word in _WORD.findall(text))


@dataclass(frozen=True)
class CitedSupport:
    """Cited elements of the pages, and what the person said.

    ``told`` is question, scenario and assumptions in one text, ``today`` the day of the question.
    """

    cited: tuple[ShownElement, ...]
    told: str
    today: date
    pages: Pages

    @cached_property
    def statements(self) -> tuple[str, ...]:
        """The cited texts, what introduces them and what they introduce: all that evidence shows of them."""
        found: dict[str, None] = {}
        leads = {(one.page, one.element.lead_in) for one in self.cited} | {
            (one.page, one.element.parent) for one in self.cited
        }
        for shown in self.cited:
            whole = (shown.page, shown.element.anchor) not in leads  # else its cited items alone count
            found |= dict.fromkeys(_read_along(shown, self.pages(shown.page), items=whole))
        return tuple(text for text in found if text)

    @cached_property
    def text(self) -> str:
        return "\n".join(self.statements)

    @cached_property
    def context(self) -> str:
        """Titles, headings, dates and link targets: what places the cited texts, and states nothing itself."""
        found: dict[str, None] = {}
        for shown in self.cited:
            reading = self.pages(shown.page)
            links = (link.href for link in shown.element.links)
            named = (reading.title, *shown.element.headings, reading.updated or "", reading.url or "", *links)
            found |= dict.fromkeys(named)
        return "\n".join(found)

    @cached_property
    def values(self) -> KnownValues:
        """Of the cited texts and of what the person said; a title or heading may name a year."""
        known = KnownValues(*self.statements, self.context)
        known.add_typed(self.told)
        for day in (self.today, *relative_days(self.told, self.today)):
            known.add_day(day)
        return known

    @cached_property
    def own_names(self) -> frozenset[str]:
        return cited_words(f"{self.text}\n{self.context}\n{self.told}")

    @cached_property
    def terms(self) -> frozenset[str]:
        return content(self.text) | content(self.context)

    @cached_property
    def told_terms(self) -> frozenset[str]:
        return content(self.told)

    def nearest(self, sentence: str) -> str:
        """The sentence of the cited texts with most of another sentence's terms."""
        wanted = content(sentence)
        parts = [text[s:e] for text in self.statements for s, e in sentence_spans(text)]
        return max(parts, key=lambda part: len(wanted & content(part)), default="")

    def near(self, words: str) -> list[str]:
        """The sentences of the cited texts with three of some words' terms, or half as many as the best has; and the
        lines that introduce lists: "You can apply if:" holds for each of its items."""
        wanted = content(words)
        parts = [
            (len(wanted & content(text[s:e])), text[s:e]) for text in self.statements for s, e in sentence_spans(text)
        ]
        best = max((shared for shared, _ in parts), default=0)
        introductions = [text for text in self.statements if text.endswith(":")]
        return [*(part for shared, part in parts if 2 * shared >= best or shared >= _NEAR_TERMS), *introductions]

    def values_only_bounded(self, sentence: str, bound: re.Pattern[str]) -> bool:
        """Whether a value of the sentence stands in the cited texts only behind a word that bounds it."""
        for value in atoms(sentence):
            places = [
                (text, one)
                for text in (*self.statements, self.told)
                for one in atoms(text)
                if (one.kind, one.unit, one.low) == (value.kind, value.unit, value.low)
            ]
            if value.kind == "amount" and places and all(_is_bounded(text, one.start, bound) for text, one in places):
                return True
        return False

    def evidence(self, sentence: str) -> tuple[Evidence, ...]:
        """A quote for each cited element: its sentences that have most of what the sentence says."""
        return tuple(one for shown in self.cited for one in _quoted(shown, self.pages(shown.page), sentence))


def words_of(inquiry: Inquiry) -> str:
    """All that the person said."""
    return "\n".join([inquiry.question, inquiry.scenario, *inquiry.assumptions])


def _read_along(shown: ShownElement, reading: Reading, *, items: bool) -> list[str]:
    """The text of an element, of what introduces it, its column heads, and the items or rows that it introduces."""
    element = shown.element
    by_anchor = {one.anchor: one for one in reading.elements}
    above = [by_anchor[name].text for name in names_above(element, by_anchor)]
    quote = evidence_of(shown.page, reading, element)
    below = quote.items if items and element.tag != "tr" else ()  # the head of a table is no evidence of its rows
    return [element.text, *above, quote.lead_in, *below]


def _quoted(shown: ShownElement, reading: Reading, sentence: str) -> Iterator[Evidence]:
    """The sentences of an element that another sentence rests on, those that stand together in one quote."""
    element = shown.element
    spans = sentence_spans(element.text)
    if element.tag == "tr":
        yield beside_it(element, reading).added_to(evidence_of(shown.page, reading, element))
        return
    if len(spans) < 2 or element.tag == "li" or len(element.text) <= _WHOLE:
        yield evidence_of(shown.page, reading, element)
        return
    kept = _supporting(element, spans, sentence)
    for _, run in groupby(enumerate(kept), key=lambda pair: pair[1] - pair[0]):
        places = [at for _, at in run]
        yield evidence_of(shown.page, reading, element, spans[places[0]][0], spans[places[-1]][1])


def _supporting(element: Element, spans: Sequence[tuple[int, int]], sentence: str) -> list[int]:
    """The sentence with most of another's terms and values, each that adds a value or enough terms to those, and each
    that the other one says nearly whole."""
    terms, values = content(sentence), KnownValues(sentence)
    parts = [element.text[start:end] for start, end in spans]
    shares = [terms & content(part) for part in parts]
    stated = [_values_of(part, values) | (addresses(part) & addresses(sentence)) for part in parts]
    order = sorted(range(len(parts)), key=lambda at: (-len(shares[at]) - len(stated[at]), at))
    kept: list[int] = []
    have_terms, have_values = frozenset[str](), frozenset[str]()
    for at in order:
        new_terms, new_values = shares[at] - have_terms, stated[at] - have_values
        is_said = len(shares[at]) > 1 and overlap(content(parts[at]), sentence) >= _SAID
        if not kept or is_said or len(new_terms) >= _NEW_TERMS or (new_values and shares[at]):
            kept.append(at)
            have_terms, have_values = have_terms | shares[at], have_values | stated[at]
    meant = [at - 1 for at in kept if at and _POINTS_BACK.match(parts[at])]
    return sorted({*kept, *meant})


def _is_bounded(text: str, start: int, bound: re.Pattern[str]) -> bool:
    """Whether the three words before a place bound what stands there."""
    return bound.search(" ".join(text[:start].split()[-3:])) is not None


def _values_of(text: str, known: KnownValues) -> frozenset[str]:
    """The values of a text that are known, as written."""
    return frozenset(KnownValues().missing(text)) - frozenset(known.missing(text))


def addresses(text: str) -> frozenset[str]:
    """Web and mail addresses of a text."""
    return frozenset(found.strip(".,;:)") for found in _ADDRESS.findall(text))


_CONVERSIONS = frozenset({0, 1, 7, 12, 24, 52, 60, 100})  # days of a week, months of a year … of no page
_LEAST = 0.0051  # a value is written with two decimals at most
_PENCE = re.compile(r"\d ?(?:p|pence|c|cents?)\b")
_SIGNS = {"*": " × ", "/": " ÷ ", "+": " + ", "-": " − "}
_DATE = re.compile(r"date\('(\d{4}-\d\d-\d\d)'\)")
_LATER = re.compile(r"later\((.+?), (\d+), '([a-z ]+)'\)")


@dataclass(frozen=True, slots=True)
class Sums:
    """The computed values of a sentence as written in it, how each came about, and what is wrong with them.

    ``results`` are the values that further sums may use: those of the sentence, and what it was given.
    """

    values: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    results: frozenset[Value] = frozenset()


def computed_sums(drafted: DraftSentence, support: CitedSupport, known: frozenset[Value] = frozenset()) -> Sums:
    """The sums of a sentence, recomputed; ``known`` are the results of those before it."""
    values, shown, problems, results = [], [], [], set(known)
    for value, expression in drafted.sums:
        problem = _problem(value, expression, support, results)
        if problem:
            problems.append(problem)
            continue
        results.add(evaluate(expression))
        if value.lower() in drafted.text.lower():
            values += _as_written(value, drafted.text)
            if _computes(expression):
                shown.append(f"{_in_signs(expression)} = {value}")
    return Sums(tuple(values), tuple(dict.fromkeys(shown)), tuple(problems), frozenset(results))


def _problem(value: str, expression: str, support: CitedSupport, results: Set[Value]) -> str:
    try:
        result = evaluate(expression)
    except ExpressionRefused as refused:
        return f"the sum {expression[:80]!r} cannot be computed ({refused})"
    unknown = next((part for part in _unknown_parts(expression, support) if part not in results), None)
    if unknown is not None:
        return f"the sum {expression[:80]!r} uses {unknown}, which neither its sources nor the person state"
    if not _is_written(result, value):
        return f"the sum {expression[:80]!r} is {result}, not {value!r}"
    return ""


def _as_written(value: str, text: str) -> list[str]:
    """A value with its unit, wherever it stands in a text: "21 days" of "21"."""
    starts = [found.start() for found in re.finditer(re.escape(value), text, re.IGNORECASE)]
    return [
        value,
        *(text[one.start : one.end] for one in atoms(text) if any(one.start <= at < one.end for at in starts)),
    ]


def _computes(expression: str) -> bool:
    """Whether an expression is more than one number or day."""
    body = ast.parse(expression.strip(), mode="eval").body
    return not isinstance(body, ast.Constant) and not _is_date(body)


def _unknown_parts(expression: str, support: CitedSupport) -> Iterator[float | date]:
    """The numbers and days of an expression that nobody states; a day that is known may be written as a sum."""
    pending: list[ast.AST] = [ast.parse(expression.strip(), mode="eval").body]
    while pending:
        node = pending.pop()
        part = _part_of(node)
        if part is not None and _is_known(part, support):
            continue
        if isinstance(node, ast.Constant) or _is_date(node):
            yield from () if part is None else (part,)
        else:
            pending += ast.iter_child_nodes(node)


def _part_of(node: ast.AST) -> float | date | None:
    """The number of a constant, the day of anything that gives one."""
    if isinstance(node, ast.Constant):
        return float(node.value) if isinstance(node.value, int | float) else None
    if not isinstance(node, ast.Call | ast.BinOp):
        return None
    try:
        value = evaluate(ast.unparse(node))
    except ExpressionRefused:  # of a branch that was not taken
        return None
    return value if isinstance(value, date) else None


def _is_date(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "date"


def _is_known(part: float | date, support: CitedSupport) -> bool:
    if isinstance(part, date):
        return support.values.has_day(part)
    same = (part, 100 * part, 100 - part, 100 * (1 - part))  # 10% off is 10 / 100, 0.1, 90 / 100 or 0.9
    return part in _CONVERSIONS or any(support.values.has_number(one) for one in same)


def _is_written(result: Value, written: str) -> bool:
    """Whether a text states the result: "£62.50", "30 June 2026", "30 June"."""
    if isinstance(result, bool):
        return False  # a comparison computes no value that could be written
    if isinstance(result, date):
        return any(_is_day(atom, result) for atom in atoms(written))
    numbers = [atom for atom in atoms(written) if atom.kind != "date"]
    pence = 100 if _PENCE.search(written) else 1
    close = (abs(factor * atom.low / atom.scale - result) < _LEAST for atom in numbers for factor in (1, pence))
    return any(close) or written.strip() == f"{result:g}"


def _is_day(atom: Atom, day: date) -> bool:
    if atom.kind != "date":
        return False
    return atom.low == (day.toordinal() if atom.unit == "date" else day.month * 100 + day.day)


def _in_signs(expression: str) -> str:
    """An expression as people write it: "5 × 12.50", "2 June 2026 + 28 days"."""
    text = _DATE.sub(lambda found: _day(found[1]), expression.strip())
    text = _LATER.sub(lambda found: f"{found[1]} + {found[2]} {found[3]}{'s' if found[2] != '1' else ''}", text)
    for sign, written in _SIGNS.items():
        text = re.sub(rf"(?<=[\d)])\s*{re.escape(sign)}\s*(?=[\d(])", written, text)
    return text


def _day(iso: str) -> str:
    day = date.fromisoformat(iso)
    return f"{day.day} {day:%B %Y}"
