"""Questions that one or two calls of CRAG's API answer, without a model: a table of forms by domain."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, TypeVar

from clausegraph.core.language.lexicon import word_set
from clausegraph.query.crag.kg.api import ApiSession
from clausegraph.query.crag.kg.names import aligned, candidates, likeness, plain
from clausegraph.query.crag.times import resolve

T = TypeVar("T")
Row = dict[str, Any]
_YEAR = re.compile(r"\b(1[89]\d\d|20\d\d)\b")
_QUOTED = re.compile(r"[\"“]([^\"”]{2,80})[\"”]")
_COMMON = word_set(
    "a an the of in for on at by to from with as and or is are was were be been being do does did has have had what"
    " which who whom whose when where how why many much long old that this these those it its his her their there"
    " can could you tell me please give find show say know about many often any total number name names list all"
    " first last latest recent most current currently now today yesterday day date year month time"
)
_INSIDE = word_set("of the and in to a for on")  # what a name may have in its middle


class TimedText:
    """A question and the moment it is asked; ``days`` are the single ones that it names."""

    def __init__(self, text: str, at: datetime) -> None:
        self.text, self.today = text, at.date()
        self._times = resolve(text, at)
        self.days = [one.start for one in self._times if one.start is not None and one.start == one.end]

    def has(self, pattern: str) -> bool:
        """Whether the question has it, in any case."""
        return re.search(pattern, self.text, re.IGNORECASE) is not None

    def first(self, table: Mapping[str, T]) -> T | None:
        """The value of the first pattern that the question has."""
        return next((value for pattern, value in table.items() if self.has(pattern)), None)

    def names(self, known: Collection[str], pattern: str = "") -> list[str]:
        """What stands between words that are known, as a name may; longest first."""
        text = self.text
        for one in self._times:
            text = text.replace(one.text, " | ")
        if pattern:
            text = re.sub(pattern, " | ", text, flags=re.IGNORECASE)
        spans: list[list[str]] = [[]]
        for word in re.sub(r"['’]s?\b|[?!,;:]", " | ", text).split():
            said = plain(word)
            if not said or ((said in known or said in _COMMON) and not (said in _INSIDE and spans[-1])):
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


@dataclass(frozen=True, slots=True)
class Getter:
    """A question's form, the function that answers it, who it is asked of, and how its fact is worded."""

    pattern: str
    function: str
    named: Callable[[TimedText, ApiSession], Iterable[str]]
    fact: str
    unit: str | None = None  # of a number

    def found(self, asked: TimedText, api: ApiSession) -> ApiFound | None:
        """What the function gives of the first name that it knows something of."""
        for name in self.named(asked, api):
            value = api.ask(self.function, name)
            if value is not None and value != [None, None]:
                said = in_words(value) if self.unit is None else number(value, self.unit)
                is_answer = value not in ("NO", "XW") and "lifespan" not in self.function  # none known; both dates
                return ApiFound((self.fact.format(name=name, value=said),), (name,), said if is_answer else None)
        return None


def _got(*getters: Getter) -> Form:
    """What the first getter whose form the question has gives."""

    def form(asked: TimedText, api: ApiSession) -> ApiFound | None:
        getter = next((one for one in getters if asked.has(one.pattern)), None)
        return getter.found(asked, api) if getter else None

    return form


# --- companies --------------------------------------------------------------------------------------

_PRICES = {r"\bopen(ed|ing)?\b": "Open", r"\bclos(e|ed|ing)\b": "Close", r"\bhigh(est)?\b": "High",
           r"\blow(est)?\b": "Low", r"\bvolume\b": "Volume"}  # fmt: skip
_COMPANY_WORDS = word_set(
    "stock stocks share shares price prices ticker symbol company open opened opening close closed closing high highest"
    " low lowest volume trading traded trade value market cap capitalization capitalisation earnings per eps pe ratio"
    " p e dividend dividends paid pay distribution price-to-earnings worth own owns owned"
)
_LATEST_OPEN = 7  # days without trading in a row are fewer


def _company(asked: TimedText, api: ApiSession) -> tuple[str, str] | None:
    """Name and ticker of the company that is named."""
    for name in asked.names(_COMPANY_WORDS)[:2]:
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
    return [name.upper() for name in asked.names(_COMPANY_WORDS) if re.fullmatch("[A-Za-z]{1,5}", name)][:2]


def _prices(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """Open, close, high, low or volume of a day; of today or without a day, of the last one traded."""
    wanted = [column for pattern, column in _PRICES.items() if asked.has(pattern)]
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


_FIGURES = _got(
    *(
        Getter(pattern, f"finance_get_{function}", _tickers, f"The {label} of {{name}} is {{value}}.", unit)
        for label, pattern, function, unit in (
            ("market capitalisation", r"\bmarket (cap|capitali[sz]ation)\b", "market_capitalization", "$"),
            ("earnings per share", r"\b(eps|earnings per share)\b", "eps", "$"),
            ("price-to-earnings ratio", r"\b(p/?e ratio|p/e|price[- ]to[- ]earnings)\b", "pe_ratio", ""),
        )
    )
)

# --- films and their people -------------------------------------------------------------------------

_FILM_WORDS = word_set(
    "movie movies film films runtime length long minutes directed director directs direct budget revenue gross grossed"
    " earn earned make box office rating rated release released releases come came out language original genre genres"
    " cast starring stars star acted actor actress plays played play character role oscar oscars academy award awards"
    " born birthday won win wins winning longer shorter higher lower bigger larger later earlier older newer more less"
    " worldwide produced producer composer wrote written writer screenplay number"
)
_CUE = (
    r"\b(movies?|films?|actors?|actress|directed|director|runtime|box office|oscars?|cast|starr(ed|ing)"
    r"|academy award)\b"
)
_JOBS = {r"\bdirect(ed|or|s)\b": "Director", r"\bcompos(ed|er)\b": "Original Music Composer",
         r"\bproduc(ed|er)\b": "Producer", r"\b(wrote|written|writer|screenplay)\b": "Screenplay"}  # fmt: skip
_MORE = r"\b(longer|higher|bigger|larger|more|later|newer)\b"
_LESS = r"\b(shorter|lower|smaller|less|earlier|older)\b"
_FIELDS = {  # of a film, by how they are asked for
    r"\b(runtime|how long|length|longer|shorter|minutes)\b": "length",
    r"\bbudget\b": "budget",
    r"\b(revenue|gross(ed)?|box office|earn(ed)?)\b": "revenue",
    r"\brat(ing|ed)\b": "rating",
    r"\b(when|release date|date|year|earlier|later|newer|older|came out|come out|released)\b": "release_date",
    r"\blanguage\b": "original_language",
}
_UNITS = {"length": "minutes", "budget": "$", "revenue": "$"}  # other fields are shown as they are
_EITHER = re.compile(r"[,:]\s*(?P<one>[^,]+?(?:,[^,]+?)*),?\s+or\s+(?P<other>.+?)\s*\??$", re.IGNORECASE)


def _compared(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """Which of two films has more or less of one figure; known of both, else no answer."""
    field, either = asked.first(_FIELDS), _EITHER.search(asked.text)
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
    names = asked.names(_FILM_WORDS)
    film = next((film for name in names[:2] if (film := _film(name, api)) is not None), None)
    return None if film is None else _film_answer(asked, film, names)


def _film_answer(asked: TimedText, film: Row, names: Iterable[str]) -> ApiFound | None:
    """The one thing that is asked of a film, most special first."""
    title, job, field = str(film["title"]), asked.first(_JOBS), asked.first(_FIELDS)
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
    for name in asked.names(_FILM_WORDS)[:2]:
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
    value = number(film[field], _UNITS[field]) if field in _UNITS else str(film[field])
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
_BY_YEAR = {
    r"\bbest new artists?\b": "music_grammy_get_best_artist_by_year",
    r"\bsong of the year\b": "music_grammy_get_best_song_by_year",
    r"\balbum of the year\b": "music_grammy_get_best_album_by_year",
}
_CHART = {r"\bweeks?\b.*\bchart": "weeks_in_chart", r"\b(top|peak|highest)\b": "top_position",
          r"\blast week\b": "rank_last_week", r"\b(rank|position|place)\b": "rank"}  # fmt: skip
_RANK = re.compile(r"(?:\bnumber|#|\bno\.?|\brank(?:ed)?)\s*(\d{1,3})\b|\bnumber (one|two|three|four|five)\b", re.I)
_ORDINALS = ("one", "two", "three", "four", "five")
_MUSIC_WORDS = word_set(
    "song songs track single album albums band bands group artist artists singer singers musician rapper music members"
    " member born birth birthday birthplace country"
    " wrote write written sang sing sings singing"
    " composed author died die death alive"
    " released release releases come came out grammy grammys grammies award awards won win winning wins"
    " works everything made recorded performed performs year"
)


def _searched(function: str) -> Callable[[TimedText, ApiSession], list[str]]:
    """The names in the question as the API has them; as written where it has no list of them."""

    def named(asked: TimedText, api: ApiSession) -> list[str]:
        found = []
        for name in asked.names(_MUSIC_WORDS, r"\bbillboard( hot 100)?( chart)?s?\b")[:2]:
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
_OF_MUSIC = _got(
    Getter(_GRAMMY + r".*\b(when|years?)\b|\b(when|years?)\b.*" + _GRAMMY, "music_grammy_get_award_date_by_artist",
           _ARTISTS, "{name} won Grammys in {value}."),
    Getter(r"\bhow many\b.*" + _GRAMMY + r".*\bsong\b|\bsong\b.*\bhow many\b.*" + _GRAMMY,
           "music_grammy_get_award_count_by_song", _SONGS,
           "The song {name} has won {value} Grammys (1958 to 2019)."),
    Getter(r"\bhow many\b.*" + _GRAMMY, "music_grammy_get_award_count_by_artist", _ARTISTS,
           "{name} has won {value} Grammys (1958 to 2019)."),
    Getter(r"\bmembers?\b", "music_get_members", _ARTISTS, "Members of {name}: {value}."),
    Getter(r"\b(which|what) country\b.*\b(song|single|track)\b", "music_get_song_release_country", _SONGS,
           "The song {name} was released in {value} (ISO 3166)."),
    Getter(r"\bwhere\b.*\bborn\b|\bbirth ?place\b|\b(which|what) country\b.*\b(born|from)\b",
           "music_get_artist_birth_place", _ARTISTS, "{name} was born in {value} (ISO 3166)."),
    Getter(r"\bborn\b|\bbirthday\b|\bdate of birth\b|\bbirth ?date\b", "music_get_artist_birth_date", _ARTISTS,
           "{name} was born on {value}."),
    Getter(r"\b(die|died|death|lifespan)\b", "music_get_lifespan", _ARTISTS,
           "Dates of birth and death of {name}: {value}."),
    Getter(r"\bwho (wrote|composed|sang|sings|performed)\b|\bauthor\b|\b(artist|singer) (of|behind)\b",
           "music_get_song_author", _SONGS, "The song {name} is by {value}."),
    Getter(r"\b(song|single|track)\b.*\b(released?|come out|came out)\b|\breleased?\b.*\b(song|single|track)\b",
           "music_get_song_release_date", _SONGS, "The song {name} was released on {value}."),
)  # fmt: skip


def _music(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """What one getter gives of one artist, band or song."""
    return _OF_MUSIC(asked, api) if asked.has(_MUSIC) else None


def _grammys(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """Who or what won one of the three awards that the API has by year; a range of years is several questions."""
    function, year = asked.first(_BY_YEAR), _YEAR.search(asked.text)
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
    attribute = asked.first(_CHART)
    for song in _SONGS(asked, api) if attribute else ():
        value = api.ask("music_get_billboard_attributes", day, attribute, song)
        if value is not None:
            return ApiFound((f"Billboard on {day}, {attribute} of {song}: {value}.",), (song,), str(value))
    return None


# --- any entity -------------------------------------------------------------------------------------

_SUMMARY = 800  # characters of it
_ENTITY_FIELDS = {"population": "population_total", "area": "area_total", "elevation": "elevation",
                  "mayor": "leader_name"}  # fmt: skip
_MOST = 8  # fields that a question is told
_LONGEST = 20_000  # characters of structured facts that are read
_ENTITY_WORDS = word_set(
    "population capital area motto nickname founded established founder born died height website mayor leader governor"
    " elevation code zip postal county state country city town located big large old tall high happen happened name"
)
_MARKUP = re.compile(r"<ref[^>]*>.*?(</ref>|$)|<[^>]+>|\{\{[^{}]*\}\}|\[\[(?:[^|\]]*\|)?|\]\]|'{2,}", re.DOTALL)


def _entities(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """Facts of one entity whose name stands in the question; never an answer by itself: fields are not checked."""
    words = set(plain(asked.text).split())
    wanted = {_ENTITY_FIELDS[word] for word in words if word in _ENTITY_FIELDS}
    for name in asked.names(_ENTITY_WORDS)[:2]:
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
    "finance": (_FIGURES, _prices, _dividends, _symbols),
    "movie": (_compared, _of_a_film, _born),
    "music": (_grammys, _charts, _music),
    "open": (_entities,),
}
"""By domain, in the order in which they are tried."""
