"""What a question says, as the forms that build calls read it: names, days; the calls; and what a form found."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from clausegraph.core.errors import InputError, NotFoundError, StoreError, StoreRefused
from clausegraph.core.language.lexicon import word_set
from clausegraph.core.language.normalise import tokens
from clausegraph.query.crag.kg.api_functions import ApiFunction, function_of
from clausegraph.query.crag.times import TimeRange, resolve

if TYPE_CHECKING:
    from clausegraph.query.crag.kg.endpoints import Endpoint


CANDIDATES = 3
SAME = 0.82  # likeness from which two spellings are one name
_LEAST = 0.3  # below which nothing is offered

_TEAMS = """Atlanta Hawks|Boston Celtics|Brooklyn Nets|Charlotte Hornets|Chicago Bulls|Cleveland Cavaliers
Dallas Mavericks|Denver Nuggets|Detroit Pistons|Golden State Warriors|Houston Rockets|Indiana Pacers
LA Clippers|Los Angeles Lakers|Memphis Grizzlies|Miami Heat|Milwaukee Bucks|Minnesota Timberwolves
New Orleans Pelicans|New York Knicks|Oklahoma City Thunder|Orlando Magic|Philadelphia 76ers|Phoenix Suns
Portland Trail Blazers|Sacramento Kings|San Antonio Spurs|Toronto Raptors|Utah Jazz|Washington Wizards"""
NBA_TEAMS = tuple(name for line in _TEAMS.splitlines() for name in line.split("|"))
_SHORT = {"cavs": "Cleveland Cavaliers", "mavs": "Dallas Mavericks", "sixers": "Philadelphia 76ers",
          "wolves": "Minnesota Timberwolves", "blazers": "Portland Trail Blazers", "knickerbockers": "New York Knicks",
          "philly": "Philadelphia 76ers", "okc": "Oklahoma City Thunder", "dubs": "Golden State Warriors"}  # fmt: skip
MOST_CALLS = 60  # of one question: "their last game" may need a look at each of some weeks


def plain(name: str) -> str:
    """A name without case, accents, punctuation and possessive."""
    return " ".join(word.removesuffix("'s").replace("'", "").replace("-", " ") for word in tokens(name))


def likeness(one: str, other: str) -> float:
    """Share of three-letter pieces that two names have in common (Dice), 0 to 1."""
    first, second = _pieces(plain(one)), _pieces(plain(other))
    return 2 * len(first & second) / (len(first) + len(second)) if first and second else 0.0


def candidates(name: str, known: Iterable[str], most: int = CANDIDATES) -> list[str]:
    """The known names most like one, best first; equals before the rest, in the order given."""
    scored = [(likeness(name, one), one) for one in dict.fromkeys(known)]
    return [one for score, one in sorted(scored, key=lambda item: -item[0]) if score >= _LEAST][:most]


def aligned(name: str, known: Iterable[str]) -> str | None:
    """The known name that is meant beyond doubt, else none: "Rings" is not "The Lord of the Rings"."""
    best = candidates(name, known, 2)
    if not best or likeness(name, best[0]) < SAME:
        return None
    if len(best) == 2 and plain(best[0]) != plain(name) and likeness(name, best[1]) == likeness(name, best[0]):
        return None
    return best[0]


def nba_teams(text: str) -> list[str]:
    """The NBA teams that a text names, by full name, nickname or a city that has one team, in the text's order."""
    padded = f" {plain(text)} "
    found: dict[str, int] = {}
    for team in NBA_TEAMS:
        words = plain(team).split()
        places = [padded.find(f" {form} ") for form in (" ".join(words), words[-1])]
        places += [padded.find(f" {short} ") for short, full in _SHORT.items() if full == team]
        seen = [place for place in places if place >= 0]
        if seen:
            found[team] = min(seen)
    return sorted(found, key=found.__getitem__)


def _pieces(name: str) -> set[str]:
    name = name if name.partition(" ")[0] not in ("the", "a", "an") else name.partition(" ")[2]
    padded = f"  {name} "
    return {padded[at : at + 3] for at in range(len(padded) - 2)} if name else set()


_YEAR = re.compile(r"\b(1[89]\d\d|20\d\d)\b")
_QUOTED = re.compile(r"[\"“]([^\"”]{2,80})[\"”]")
_COMMON = word_set(
    "a an the of for in on at by to from with as and or is are was were be been being do does did has have had what"
    " which who whom whose when where how why many much long old that this these those it its his her their there"
    " can could you tell me please give find show say know about many often any total number name names list all"
    " first last latest recent most current currently now today yesterday day date year month time"
)


@dataclass(frozen=True, slots=True)
class TimedText:
    """A question and the moment it is asked."""

    text: str
    at: datetime

    @property
    def today(self) -> date:
        return self.at.date()

    def days(self) -> tuple[date, ...]:
        """The single days that the question names, by the calendar or counted from its moment."""
        return tuple(one.start for one in _named(self) if one.start is not None and one.start == one.end)

    def year(self) -> int | None:
        """The first year named, outside of dates too."""
        match = _YEAR.search(self.text)
        return int(match[1]) if match else None

    def has(self, pattern: str) -> bool:
        """Whether the question has it, in any case."""
        return re.search(pattern, self.text, re.IGNORECASE) is not None

    def names(self, known: Collection[str], pattern: str = "") -> list[str]:
        """What stands between words that are known, as a name may; longest first.

        Args:
            known: words that a form expects, beside those that any question has.
            pattern: of longer expressions that are no part of a name.
        """
        quoted = [match[1] for match in _QUOTED.finditer(self.text)]
        text = self.text
        for one in _named(self):
            text = text.replace(one.text, " | ")
        if pattern:
            text = re.sub(pattern, " | ", text, flags=re.IGNORECASE)
        text = re.sub(r"['’]s?\b|[?!,;:]", " | ", text)
        spans: list[list[str]] = [[]]
        for word in text.split():
            said = plain(word)
            is_inside = said in _INSIDE and bool(spans[-1])
            if not said or ((said in known or said in _COMMON) and not is_inside):
                spans.append([])
            else:
                spans[-1].append(word)
        found = [" ".join(_trimmed(span)) for span in spans]
        ranked = sorted((name for name in found if name), key=lambda name: -len(name))
        return list(dict.fromkeys((*quoted, *ranked)))


_INSIDE = word_set("of the and in to a for on")  # what a name may have in its middle


@lru_cache(maxsize=64)
def _named(asked: TimedText) -> tuple[TimeRange, ...]:
    return tuple(one for one in resolve(asked.text, asked.at) if one.text)


def _trimmed(span: list[str]) -> list[str]:
    while span and plain(span[-1]) in _COMMON:
        span = span[:-1]
    return span


def month_of(day: date) -> str:
    """``YYYY-MM``."""
    return f"{day:%Y-%m}"


def month_before(day: date) -> date:
    """A day of the month before."""
    return day.replace(day=1) - timedelta(days=1)


Outcome = Literal["found", "empty", "not there", "failed", "refused"]


@dataclass(frozen=True, slots=True)
class ApiCall:
    """One call and what came of it.

    ``empty``: the API answered that it knows nothing. ``not there``: it has no answer to this call (a replay that
    did not record it). ``failed``: it did not answer. ``refused``: the call was never sent.
    """

    function: str
    args: tuple[Any, ...]
    outcome: Outcome
    reason: str = ""

    @property
    def words(self) -> str:
        """The call as one would write it."""
        shown = ", ".join(json.dumps(arg, ensure_ascii=False) for arg in self.args)
        return f"{self.function}({shown})"


class ApiClient:
    """The API behind an address. Use as a context manager."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    def call(self, function: ApiFunction, args: tuple[Any, ...]) -> Any:
        """What the function gives; none where the API says that there is nothing.

        Raises:
            InputError: the arguments do not fit.
            NotFoundError, StoreError: as of ``Endpoint.post``.
        """
        reply = self._endpoint.post(function.path, body=function.body(args))
        if not isinstance(reply, dict) or "result" not in reply:
            raise StoreRefused(f"{function.name} answers without a result; is {self._endpoint.address} the API?")
        return reply["result"]


class ApiSession:
    """The calls of one question. Each is made once; a failure is kept and told, not raised."""

    def __init__(self, call: Callable[[ApiFunction, tuple[Any, ...]], Any], most: int = MOST_CALLS) -> None:
        self._call, self._most = call, most
        self._results: dict[str, Any] = {}
        self.calls: list[ApiCall] = []

    @property
    def failure(self) -> str:
        """Why the API did not answer, if it did not."""
        return next((call.reason for call in self.calls if call.outcome == "failed"), "")

    @property
    def words(self) -> tuple[str, ...]:
        """The calls in their order; one that found nothing says what came of it."""
        return tuple(call.words if call.outcome == "found" else f"{call.words}: {call.outcome}" for call in self.calls)

    @property
    def functions(self) -> tuple[str, ...]:
        """Names of the functions that were called, each once."""
        return tuple(dict.fromkeys(call.function for call in self.calls))

    def lacks(self, function: str, *args: Any) -> bool:
        """Whether a call that was made had no answer there, which is not the same as an empty one."""
        return any(c.function == function and c.args == args and c.outcome == "not there" for c in self.calls)

    def ask(self, name: str, *args: Any) -> Any:
        """What a function gives, or none: then the last of ``calls`` says why."""
        function = function_of(name)
        key = f"{name}{json.dumps(args, ensure_ascii=False)}"
        if key not in self._results:
            self._results[key] = self._made(function, args)
        return self._results[key]

    def _made(self, function: ApiFunction, args: tuple[Any, ...]) -> Any:
        outcome: Outcome
        result, reason = None, ""
        if len(self.calls) >= self._most:
            outcome, reason = "refused", f"the question has made its {self._most} calls"
        else:
            try:
                result = self._call(function, args)
                outcome = "empty" if result in (None, [], {}, "") else "found"
            except InputError as error:
                outcome, reason = "refused", str(error)
            except NotFoundError as error:
                outcome, reason = "not there", str(error)
            except StoreError as error:
                outcome, reason = "failed", str(error)
        self.calls.append(ApiCall(function.name, args, outcome, reason))
        return result if outcome == "found" else None


@dataclass(frozen=True, slots=True)
class ApiFound:
    """Facts, the names they are about, and the answer; ``calls`` are the numbers of the calls that gave them."""

    facts: tuple[str, ...]
    entities: tuple[str, ...] = ()
    answer: str | None = None


Form = Callable[[TimedText, ApiSession], ApiFound | None]


def number(value: Any, unit: str = "") -> str:
    """A number as one writes it: whole ones without a point, others with two digits."""
    if isinstance(value, str):
        return value
    text = f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"
    return (unit + text if unit == "$" else f"{text} {unit}".strip()) if unit else text.replace(",", "")


def listed(values: Any) -> str:
    """A list in words."""
    return ", ".join(str(value) for value in values) if isinstance(values, list) else str(values)
