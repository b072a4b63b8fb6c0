"""Forms of questions that one or two calls answer: films and their people, artists, songs, Grammys and charts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from clausegraph.core.language.lexicon import word_set
from clausegraph.query.crag.kg.questions import (
    ApiFound,
    ApiSession,
    TimedText,
    aligned,
    likeness,
    listed,
    number,
    plain,
)

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
_ARTIST, _SONG = "music_search_artist_entity_by_name", "music_search_song_entity_by_name"
_GRAMMY = r"\bgramm(y|ys|ies)\b"
_BY_YEAR = {
    r"\bbest new artists?\b": "music_grammy_get_best_artist_by_year",
    r"\bsong of the year\b": "music_grammy_get_best_song_by_year",
    r"\balbum of the year\b": "music_grammy_get_best_album_by_year",
}
_CHART = {r"\bweeks?\b.*\bchart": "weeks_in_chart", r"\b(top|peak|highest)\b": "top_position",
          r"\blast week\b": "rank_last_week", r"\b(rank|position|place)\b": "rank"}  # fmt: skip
_ORDINALS = ("one", "two", "three", "four", "five")


@dataclass(frozen=True, slots=True)
class _Figure:
    """A field of a film: how it is asked for, and in which unit it is answered."""

    pattern: str
    field: str
    unit: str = ""


_FIGURES = (
    _Figure(r"\b(runtime|how long|length|longer|shorter|minutes)\b", "length", "minutes"),
    _Figure(r"\bbudget\b", "budget", "$"),
    _Figure(r"\b(revenue|gross(ed)?|box office|earn(ed)?)\b", "revenue", "$"),
    _Figure(r"\brat(ing|ed)\b", "rating"),
    _Figure(r"\b(when|release date|date|year|earlier|later|newer|older|came out|come out|released)\b", "release_date"),
    _Figure(r"\blanguage\b", "original_language"),
)
_EITHER = re.compile(r"[,:]\s*(?P<one>[^,]+?(?:,[^,]+?)*),?\s+or\s+(?P<other>.+?)\s*\??$", re.IGNORECASE)


def compared(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """Which of two films has more or less of one figure; known of both, else no answer."""
    figure = next((one for one in _FIGURES if asked.has(one.pattern)), None)
    either = _EITHER.search(asked.text)
    if figure is None or either is None or not asked.has(_CUE) or asked.has(_MORE) == asked.has(_LESS):
        return None
    films = [_film(either[side], api) for side in ("one", "other")]
    known = [film for film in films if film is not None and film.get(figure.field) not in (None, "", 0)]
    facts = tuple(_said(film, figure) for film in known)
    names = tuple(str(film["title"]) for film in known)
    if len(known) < 2 or known[0][figure.field] == known[1][figure.field]:
        return ApiFound(facts, names) if facts else None
    choose = max if asked.has(_MORE) else min
    return ApiFound(facts, names, str(choose(known, key=lambda film: film[figure.field])["title"]))


def of_a_film(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """One field of one film, who had a job in it, or who played a part."""
    if not asked.has(_CUE) or _EITHER.search(asked.text):
        return None
    names = asked.names(_FILM_WORDS)
    film = next((film for name in names[:2] if (film := _film(name, api)) is not None), None)
    if film is None:
        return None
    title = str(film["title"])
    others = [name for name in names if likeness(name, title) < 0.8]
    figure = next((one for one in _FIGURES if asked.has(one.pattern)), None)
    found: ApiFound | None = None
    if any(asked.has(pattern) for pattern in _JOBS):
        found = _job(asked, film)
    elif asked.has(r"\b(who|which act(or|ress)) (play\w*|acted|voiced)\b"):
        found = _part(film, others)
    elif asked.has(r"\b(oscars?|academy award)"):
        found = _oscars(film)
    elif asked.has(r"\bgenres?\b"):
        said = listed([one["name"] for one in film.get("genres", [])])
        found = ApiFound((f"Genres of {title}: {said}.",), (title,), said) if said else None
    elif figure is not None and film.get(figure.field) not in (None, "", 0):
        found = ApiFound((_said(film, figure),), (title,), _figure_value(film, figure))
    return found


def people(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """When somebody of the films was born."""
    if not asked.has(r"\b(born|birthday|date of birth)\b") or not asked.has(_CUE):
        return None
    for name in asked.names(_FILM_WORDS)[:2]:
        known = api.ask("movie_get_person_info", name)
        same = [one for one in known or [] if plain(str(one.get("name"))) == plain(name) and one.get("birthday")]
        if len(same) == 1:
            return ApiFound((f"{same[0]['name']} was born on {same[0]['birthday']}.",), (name,), same[0]["birthday"])
    return None


FILM_FORMS = (compared, of_a_film, people)


def _job(asked: TimedText, film: dict[str, Any]) -> ApiFound | None:
    job = next(job for pattern, job in _JOBS.items() if asked.has(pattern))
    said = listed([one["name"] for one in film.get("crew", []) if one.get("job") == job])
    return ApiFound((f"{job} of {film['title']}: {said}.",), (str(film["title"]),), said) if said else None


def _film(name: str, api: ApiSession) -> dict[str, Any] | None:
    known = api.ask("movie_get_movie_info", name)
    films = [one for one in known if isinstance(one, dict)] if isinstance(known, list) else []
    title = aligned(name, [str(film.get("title")) for film in films])
    return next((film for film in films if film.get("title") == title), None) if title else None


def _figure_value(film: dict[str, Any], figure: _Figure) -> str:
    value = film[figure.field]
    return str(value) if figure.field in ("rating", "release_date", "original_language") else number(value, figure.unit)


def _said(film: dict[str, Any], figure: _Figure) -> str:
    return f"{figure.field.replace('_', ' ').capitalize()} of {film['title']}: {_figure_value(film, figure)}."


def _part(film: dict[str, Any], names: list[str]) -> ApiFound | None:
    for name in names:
        for one in film.get("cast", []):
            if plain(name) in plain(str(one.get("character"))):
                said = f"{one['name']} played {one['character']} in {film['title']}."
                return ApiFound((said,), (str(film["title"]), one["character"]), one["name"])
    return None


def _oscars(film: dict[str, Any]) -> ApiFound:
    won = [f"{one['category']} ({one['year_ceremony']})" for one in film.get("oscar_awards", []) if one.get("winner")]
    title = str(film["title"])
    return ApiFound((f"Oscars that {title} won: {listed(won) or 'none known'}.",), (title,))


_MUSIC_WORDS = word_set(
    "song songs track single album albums band bands group artist artists singer singers musician rapper music members"
    " member born birth birthday birthplace country"
    " wrote write written sang sing sings singing"
    " composed author died die death alive"
    " released release releases come came out grammy grammys grammies award awards won win winning wins"
    " works everything made recorded performed performs year"
)
_RANK = re.compile(r"(?:\bnumber|#|\bno\.?|\brank(?:ed)?)\s*(\d{1,3})\b|\bnumber (one|two|three|four|five)\b", re.I)


@dataclass(frozen=True, slots=True)
class _Getter:
    """A question's form, the function that answers it, and how its fact is worded."""

    pattern: str
    function: str
    search: str
    words: str


_GETTERS = (
    _Getter(_GRAMMY + r".*\b(when|years?)\b|\b(when|years?)\b.*" + _GRAMMY, "music_grammy_get_award_date_by_artist",
            _ARTIST, "{name} won Grammys in {value}."),
    _Getter(r"\bhow many\b.*" + _GRAMMY + r".*\bsong\b|\bsong\b.*\bhow many\b.*" + _GRAMMY,
            "music_grammy_get_award_count_by_song", _SONG, "The song {name} has won {value} Grammys (1958 to 2019)."),
    _Getter(r"\bhow many\b.*" + _GRAMMY, "music_grammy_get_award_count_by_artist", _ARTIST,
            "{name} has won {value} Grammys (1958 to 2019)."),
    _Getter(r"\bmembers?\b", "music_get_members", _ARTIST, "Members of {name}: {value}."),
    _Getter(r"\b(which|what) country\b.*\b(song|single|track)\b", "music_get_song_release_country", _SONG,
            "The song {name} was released in {value} (ISO 3166)."),
    _Getter(r"\bwhere\b.*\bborn\b|\bbirth ?place\b|\b(which|what) country\b.*\b(born|from)\b",
            "music_get_artist_birth_place", _ARTIST, "{name} was born in {value} (ISO 3166)."),
    _Getter(r"\bborn\b|\bbirthday\b|\bdate of birth\b|\bbirth ?date\b", "music_get_artist_birth_date", _ARTIST,
            "{name} was born on {value}."),
    _Getter(r"\b(die|died|death|lifespan)\b", "music_get_lifespan", _ARTIST,
            "Dates of birth and death of {name}: {value}."),
    _Getter(r"\bwho (wrote|composed|sang|sings|performed)\b|\bauthor\b|\b(artist|singer) (of|behind)\b",
            "music_get_song_author", _SONG, "The song {name} is by {value}."),
    _Getter(r"\b(song|single|track)\b.*\b(released?|come out|came out)\b|\breleased?\b.*\b(song|single|track)\b",
            "music_get_song_release_date", _SONG, "The song {name} was released on {value}."),
)  # fmt: skip
_MUSIC = rf"{_GRAMMY}|\b(song|album|band|singer|rapper|musician|single|track|music|artist|billboard|sang|sings)\b"


def grammys(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """Who or what won one of the three awards that the API has by year."""
    year = asked.year()
    function = next((name for pattern, name in _BY_YEAR.items() if asked.has(pattern)), None)
    if function is None:
        return None
    if year is None or len(set(re.findall(r"\b(?:19|20)\d\d\b", asked.text))) > 1:
        return None  # a range of years is several questions
    value = api.ask(function, year)
    if value is not None:
        return ApiFound(
            (f"Grammy of {year}, {function.split('_')[3]} ({function}): {listed(value)}.",), (), listed(value)
        )
    every = api.ask("music_grammy_get_all_awarded_artists") if "artist" in function else None
    return ApiFound((f"All Best New Artists, latest first, without years: {listed(every)}.",)) if every else None


def charts(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """The Billboard chart of a day: what had a rank, or how a song stood."""
    if not asked.has(r"\bbillboard\b|\bcharts?\b"):
        return None
    day = next(iter(asked.days()), asked.today).isoformat()
    rank = _RANK.search(asked.text)
    if rank is not None:
        place = int(rank[1]) if rank[1] else _ORDINALS.index(rank[2].lower()) + 1
        found = api.ask("music_get_billboard_rank_date", place, day)
        if not found:
            return None
        songs, artists = (listed(part) for part in (*found, [], [])[:2])
        return ApiFound((f"Number {place} of Billboard on {day}: {songs} by {artists}.",), (songs, artists),
                        artists if asked.has(r"\b(who|artist|singer)\b") else songs)  # fmt: skip
    attribute = next((name for pattern, name in _CHART.items() if asked.has(pattern)), None)
    for song in _named(asked, api, _SONG) if attribute else ():
        value = api.ask("music_get_billboard_attributes", day, attribute, song)
        if value is not None:
            return ApiFound((f"Billboard on {day}, {attribute} of {song}: {value}.",), (song,), str(value))
    return None


def getters(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """What one getter gives of one artist, band or song."""
    if not asked.has(_MUSIC):
        return None
    for getter in _GETTERS:
        if not asked.has(getter.pattern):
            continue
        for name in _named(asked, api, getter.search):
            value = api.ask(getter.function, name)
            if value is not None and value != [None, None]:
                said = listed(value)
                return ApiFound((getter.words.format(name=name, value=said),), (name,), _answer(getter, value))
        return None
    return None


MUSIC_FORMS = (grammys, charts, getters)


def _answer(getter: _Getter, value: Any) -> str | None:
    if value in ("NO", "XW") or getter.function == "music_get_lifespan":  # none known; both dates
        return None
    return listed(value)


def _named(asked: TimedText, api: ApiSession, search: str) -> list[str]:
    """The names in the question as the API has them; as written where it has no list of them."""
    found = []
    for name in asked.names(_MUSIC_WORDS, r"\bbillboard( hot 100)?( chart)?s?\b")[:2]:
        known = api.ask(search, name)
        same = aligned(name, [one for one in known if isinstance(one, str)]) if isinstance(known, list) else None
        if same is not None:
            found.append(same)
        elif known is None:
            found.append(name.title() if name.islower() else name)
    return found
