"""Questions that one or two calls of CRAG's API answer, without a model; words and patterns are in ``forms.toml``."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from clausegraph.core.language.lexicon import word_set
from clausegraph.query.crag.kg.api import ApiSession
from clausegraph.query.crag.kg.names import aligned, candidates, likeness, plain
from clausegraph.query.crag.times import resolve

Row = dict[str, Any]
_YEAR = re.compile(r"\b(1[89]\d\d|20\d\d)\b")
_QUOTED = re.compile(r"[\"“]([^\"”]{2,80})[\"”]")
TABLE: Mapping[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
WORDS = {name: word_set(words) for name, words in TABLE["words"].items()}
_COMMON, _INSIDE = WORDS["common"], WORDS["inside"]  # words of any question; what a name may have in its middle


class TimedText:
    """A question and the moment it is asked; ``days`` are the single ones that it names."""

    def __init__(self, text: str, at: datetime) -> None:
        self.text, self.today = text, at.date()
        self._times = resolve(text, at)
        self.days = [one.start for one in self._times if one.start is not None and one.start == one.end]

    def has(self, pattern: str) -> bool:
        """Whether the question has it, in any case."""
        return re.search(pattern, self.text, re.IGNORECASE) is not None

    def first(self, table: str) -> str | None:
        """What the first pattern of a table that the question has means."""
        return next((meant for meant, pattern in TABLE[table].items() if self.has(pattern)), None)

    def names(self, form: str, pattern: str = "") -> list[str]:
        """What stands between words that a form expects, as a name may; longest first. ``pattern`` is of longer
        expressions that are no part of a name."""
        known = WORDS[form] | _COMMON
        text = self.text
        for one in self._times:
            text = text.replace(one.text, " | ")
        if pattern:
            text = re.sub(pattern, " | ", text, flags=re.IGNORECASE)
        spans: list[list[str]] = [[]]
        for word in re.sub(r"['’]s?\b|[?!,;:]", " | ", text).split():
            said = plain(word)
            if not said or (said in known and not (said in _INSIDE and spans[-1])):
                spans.append([])
            else:
                spans[-1].append(word)
        for span in spans:
            while span and plain(span[-1]) in _COMMON:
                span.pop()
        ranked = sorted((" ".join(span) for span in spans if span), key=lambda name: -len(name))
        return list(dict.fromkeys((*_QUOTED.findall(self.text), *ranked)))


@dataclass(frozen=True, slots=True)
class ApiFound:
    """Facts, the names they are about, and the answer where one fact is it."""

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


def in_words(values: Any) -> str:
    """A list in words."""
    return ", ".join(str(value) for value in values) if isinstance(values, list) else str(values)


Named = Callable[[TimedText, ApiSession], Iterable[str]]  # who is asked about, as the API calls them


def _got(getters: Iterable[Mapping[str, Any]], named: Callable[[str], Named]) -> Form:
    """What the first getter whose form the question has gives of the first name that it knows something of."""

    def form(asked: TimedText, api: ApiSession) -> ApiFound | None:
        getter = next((one for one in getters if asked.has(one["pattern"])), None)
        if getter is None:
            return None
        for name in named(getter["function"])(asked, api):
            value = api.ask(getter["function"], name)
            if value is not None and value != [None, None]:
                said = number(value, getter["unit"]) if "unit" in getter else in_words(value)
                is_answer = value not in ("NO", "XW") and getter.get("answers", True)  # none known
                return ApiFound((getter["fact"].format(name=name, value=said),), (name,), said if is_answer else None)
        return None

    return form


# --- companies --------------------------------------------------------------------------------------

_LATEST_OPEN = 7  # days without trading in a row are fewer


def _company(asked: TimedText, api: ApiSession) -> tuple[str, str] | None:
    """Name and ticker of the company that is named."""
    for name in asked.names("company")[:2]:
        known = api.ask("finance_get_company_name", name)
        if isinstance(known, list):
            begins = [one for one in known if plain(one).startswith(plain(name))]
            for one in begins[:1] or candidates(name, known, 1):
                ticker = api.ask("finance_get_ticker_by_name", one)
                if isinstance(ticker, str):
                    return one, ticker
    return None


def _tickers(asked: TimedText, api: ApiSession) -> list[str]:
    """By the company's name; where there is none of it, what is written like a ticker."""
    if company := _company(asked, api):
        return [company[1]]
    return [name.upper() for name in asked.names("company") if re.fullmatch("[A-Za-z]{1,5}", name)][:2]


def _prices(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """Open, close, high, low or volume of a day; of today or without a day, of the last one traded."""
    wanted = [column for column, pattern in TABLE["prices"].items() if asked.has(pattern)]
    if not asked.has(r"\b(stock|share)s?\b|\bticker\b") or not (wanted or asked.has(r"\bprice\b")):
        return None
    for ticker in _tickers(asked, api):
        history = api.ask("finance_get_price_history", ticker)
        if isinstance(history, dict):
            wished = asked.days[0] if asked.days else asked.today
            day = _traded(history, wished, exact=bool(asked.days))
            if day is None:
                return ApiFound((f"There is no price of {ticker} for {wished}.",), (ticker,))
            row = history[next(key for key in history if key.startswith(day.isoformat()))]
            column = wanted[0] if wanted else "Close"
            said = ", ".join(f"{name.lower()} {number(value)}" for name, value in row.items())
            answer = number(row[column], "" if column == "Volume" else "$") if len(wanted) < 2 else None
            return ApiFound((f"Of {ticker} on {day}: {said}.",), (ticker,), answer)
    return None


def _traded(history: Row, day: date, *, exact: bool) -> date | None:
    """The day, or the last one before it that was traded; none that is later than the history."""
    known = {key[:10] for key in history}
    if exact and day.isoformat() > max(known):
        return None
    days = (day - timedelta(days=back) for back in range(_LATEST_OPEN))
    return next((one for one in days if one.isoformat() in known), None)


def _dividends(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """The dividends of a company; the latest is the answer."""
    if not asked.has(r"\bdividends?\b"):
        return None
    for ticker in _tickers(asked, api):
        history = api.ask("finance_get_dividends_history", ticker)
        if isinstance(history, dict) and history:
            past = [key for key in history if key[:10] <= asked.today.isoformat()]
            said = tuple(f"{ticker} paid a dividend of {number(history[key], '$')} on {key[:10]}." for key in past[-8:])
            latest = asked.has(r"\b(today|now|current(ly)?|latest|most recent|last)\b") and past
            return ApiFound(said, (ticker,), number(history[past[-1]], "$") if latest else None)
    return None


def _symbols(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """The ticker of a company that is named: not of one that is described."""
    if not asked.has(r"\b(ticker|symbol)\b") or asked.has(r"\b(owns|that|which (makes|owns))\b"):
        return None
    found = _company(asked, api)
    return ApiFound((f"The ticker of {found[0]} is {found[1]}.",), (found[0],), found[1]) if found else None


_figures = _got(TABLE["company"], lambda _: _tickers)

# --- films and their people -------------------------------------------------------------------------

_CUE = (
    r"\b(movies?|films?|actors?|actress|directed|director|runtime|box office|oscars?|cast|starr(ed|ing)"
    r"|academy award)\b"
)
_MORE = r"\b(longer|higher|bigger|larger|more|later|newer)\b"
_LESS = r"\b(shorter|lower|smaller|less|earlier|older)\b"
_EITHER = re.compile(r"[,:]\s*(?P<one>[^,]+?(?:,[^,]+?)*),?\s+or\s+(?P<other>.+?)\s*\??$", re.IGNORECASE)


def _compared(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """Which of two films has more or less of one figure; known of both, else no answer."""
    field, either = asked.first("film_fields"), _EITHER.search(asked.text)
    if field is None or either is None or not asked.has(_CUE) or asked.has(_MORE) == asked.has(_LESS):
        return None
    films = [_film(either[side], api) for side in ("one", "other")]
    known = [film for film in films if film is not None and film.get(field) not in (None, "", 0)]
    facts = tuple(_field_in_words(film, field)[0] for film in known)
    names = tuple(str(film["title"]) for film in known)
    if len(known) < 2 or known[0][field] == known[1][field]:
        return ApiFound(facts, names) if facts else None
    choose = max if asked.has(_MORE) else min
    return ApiFound(facts, names, str(choose(known, key=lambda film: film[field])["title"]))


def _of_a_film(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """One field of one film, who had a job in it, or who played a part."""
    if not asked.has(_CUE) or _EITHER.search(asked.text):
        return None
    names = asked.names("film")
    film = next((film for name in names[:2] if (film := _film(name, api)) is not None), None)
    return None if film is None else _film_answer(asked, film, names)


def _film_answer(asked: TimedText, film: Row, names: Iterable[str]) -> ApiFound | None:
    """The one thing that is asked of a film, most special first."""
    title, job, field = str(film["title"]), asked.first("jobs"), asked.first("film_fields")
    said = ""
    if job is not None:
        said = in_words([one["name"] for one in film.get("crew", []) if one.get("job") == job])
        fact = f"{job} of {title}: {said}."
    elif asked.has(r"\b(who|which act(or|ress)) (play\w*|acted|voiced)\b"):
        return _part(film, [name for name in names if likeness(name, title) < 0.8])
    elif asked.has(r"\b(oscars?|academy award)"):
        awards = (one for one in film.get("oscar_awards", []) if one.get("winner"))
        won = in_words([f"{one['category']} ({one['year_ceremony']})" for one in awards])
        return ApiFound((f"Oscars that {title} won: {won or 'none known'}.",), (title,))
    elif asked.has(r"\bgenres?\b"):
        said = in_words([one["name"] for one in film.get("genres", [])])
        fact = f"Genres of {title}: {said}."
    elif field is not None and film.get(field) not in (None, "", 0):
        fact, said = _field_in_words(film, field)
    return ApiFound((fact,), (title,), said) if said else None


def _born(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """When somebody of the films was born."""
    if not asked.has(r"\b(born|birthday|date of birth)\b") or not asked.has(_CUE):
        return None
    for name in asked.names("film")[:2]:
        known = api.ask("movie_get_person_info", name)
        same = [one for one in known or [] if plain(str(one.get("name"))) == plain(name) and one.get("birthday")]
        if len(same) == 1:
            return ApiFound((f"{same[0]['name']} was born on {same[0]['birthday']}.",), (name,), same[0]["birthday"])
    return None


def _film(name: str, api: ApiSession) -> Row | None:
    known = api.ask("movie_get_movie_info", name)
    films = [one for one in known if isinstance(one, dict)] if isinstance(known, list) else []
    title = aligned(name, [str(film.get("title")) for film in films])
    return next((film for film in films if film.get("title") == title), None) if title else None


def _field_in_words(film: Row, field: str) -> tuple[str, str]:
    """The fact, and its value."""
    unit = TABLE["film_units"].get(field)
    value = str(film[field]) if unit is None else number(film[field], unit)
    return f"{field.replace('_', ' ').capitalize()} of {film['title']}: {value}.", value


def _part(film: Row, names: Iterable[str]) -> ApiFound | None:
    """Who played the first of these characters."""
    for name in names:
        for one in film.get("cast", []):
            if plain(name) in plain(str(one.get("character"))):
                said = f"{one['name']} played {one['character']} in {film['title']}."
                return ApiFound((said,), (str(film["title"]), one["character"]), one["name"])
    return None


# --- artists, songs, Grammys and charts -------------------------------------------------------------

_GRAMMY = r"\bgramm(y|ys|ies)\b"
_MUSIC = rf"{_GRAMMY}|\b(song|album|band|singer|rapper|musician|single|track|music|artist|billboard|sang|sings)\b"
_RANK = re.compile(r"(?:\bnumber|#|\bno\.?|\brank(?:ed)?)\s*(\d{1,3})\b|\bnumber (one|two|three|four|five)\b", re.I)
_ORDINALS = ("one", "two", "three", "four", "five")


def _searched(function: str) -> Callable[[TimedText, ApiSession], list[str]]:
    """The names in the question as the API has them; as written where it has no list of them."""

    def named(asked: TimedText, api: ApiSession) -> list[str]:
        found = []
        for name in asked.names("music", r"\bbillboard( hot 100)?( chart)?s?\b")[:2]:
            known = api.ask(function, name)
            same = aligned(name, [one for one in known if isinstance(one, str)]) if isinstance(known, list) else None
            if same is not None:
                found.append(same)
            elif known is None:
                found.append(name.title() if name.islower() else name)
        return found

    return named


_ARTISTS = _searched("music_search_artist_entity_by_name")
_SONGS = _searched("music_search_song_entity_by_name")
_of_music = _got(TABLE["music"], lambda function: _SONGS if "song" in function else _ARTISTS)


def _music(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """What one getter gives of one artist, band or song."""
    return _of_music(asked, api) if asked.has(_MUSIC) else None


def _grammys(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """Who or what won one of the three awards that the API has by year; a range of years is several questions."""
    function, year = asked.first("grammys"), _YEAR.search(asked.text)
    if function is None or year is None or len(set(re.findall(r"\b(?:19|20)\d\d\b", asked.text))) > 1:
        return None
    said = api.ask(function, int(year[1]))
    if said is not None:
        fact = f"Grammy of {year[1]}, {function.split('_')[3]} ({function}): {in_words(said)}."
        return ApiFound((fact,), (), in_words(said))
    every = api.ask("music_grammy_get_all_awarded_artists") if "artist" in function else None
    return ApiFound((f"All Best New Artists, latest first, without years: {in_words(every)}.",)) if every else None


def _charts(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """The Billboard chart of a day: what had a rank, or how a song stood."""
    if not asked.has(r"\bbillboard\b|\bcharts?\b"):
        return None
    day = next(iter(asked.days), asked.today).isoformat()
    rank = _RANK.search(asked.text)
    if rank is not None:
        place = int(rank[1]) if rank[1] else _ORDINALS.index(rank[2].lower()) + 1
        found = api.ask("music_get_billboard_rank_date", place, day)
        if not found:
            return None
        songs, artists = (in_words(part) for part in (*found, [], [])[:2])
        return ApiFound((f"Number {place} of Billboard on {day}: {songs} by {artists}.",), (songs, artists),
                        artists if asked.has(r"\b(who|artist|singer)\b") else songs)  # fmt: skip
    attribute = asked.first("chart")
    for song in _SONGS(asked, api) if attribute else ():
        value = api.ask("music_get_billboard_attributes", day, attribute, song)
        if value is not None:
            return ApiFound((f"Billboard on {day}, {attribute} of {song}: {value}.",), (song,), str(value))
    return None


# --- any entity -------------------------------------------------------------------------------------

_SUMMARY = 800  # characters of it
_MOST = 8  # fields that a question is told
_LONGEST = 20_000  # characters of structured facts that are read
_MARKUP = re.compile(r"<ref[^>]*>.*?(</ref>|$)|<[^>]+>|\{\{[^{}]*\}\}|\[\[(?:[^|\]]*\|)?|\]\]|'{2,}", re.DOTALL)


def _entities(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """Facts of one entity whose name stands in the question; never an answer by itself: fields are not checked."""
    words = set(plain(asked.text).split())
    wanted = {field for field, word in TABLE["entity_fields"].items() if word in words}
    for name in asked.names("entity")[:2]:
        known = api.ask("open_search_entity_by_name", name)
        same = aligned(name, [str(one) for one in known]) if isinstance(known, list) else None
        entity = api.ask("open_get_entity", same or name) if same or known is None else None
        if isinstance(entity, dict):
            fields = fields_of(same or name, entity).items()
            said = [
                text for field, text in fields if field in wanted or words & set(field.split("_")) - {"name", "type"}
            ]
            return ApiFound(tuple(fact for fact in (summary_of(entity), *said[:_MOST]) if fact), (same or name,))
    return None


def summary_of(entity: Row) -> str:
    """Its summary, cut at a sentence."""
    text = str(entity.get("summary_text") or "")
    return text if len(text) <= _SUMMARY else text[:_SUMMARY].rsplit(". ", 1)[0] + "."


def fields_of(name: str, entity: Row) -> dict[str, str]:
    """Its structured facts in words, by field; the API writes them as a Python literal."""
    try:
        facts = ast.literal_eval(str(entity.get("summary_structured") or "{}")[:_LONGEST])
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return {}
    shown = {str(field): " ".join(_MARKUP.sub(" ", str(value)).split())[:200]
             for field, value in (facts.items() if isinstance(facts, dict) else ())}  # fmt: skip
    return {field: f"{field.replace('_', ' ')} of {name}: {said}." for field, said in shown.items() if said}


FORMS: Mapping[str, tuple[Form, ...]] = {
    "finance": (_figures, _prices, _dividends, _symbols),
    "movie": (_compared, _of_a_film, _born),
    "music": (_grammys, _charts, _music),
    "open": (_entities,),
}
"""By domain, in the order in which they are tried."""
