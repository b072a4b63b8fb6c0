"""Artists, songs, bands, Grammys and charts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from clausegraph.core.language.lexicon import word_set
from clausegraph.query.crag.kg.align import aligned
from clausegraph.query.crag.kg.api.asked import TimedText
from clausegraph.query.crag.kg.api.client import ApiSession
from clausegraph.query.crag.kg.api.found import ApiFound, listed

_WORDS = word_set(
    "song songs track single album albums band bands group artist artists singer singers musician rapper music members"
    " member born birth birthday birthplace country"
    " wrote write written sang sing sings singing"
    " composed author died die death alive"
    " released release releases come came out grammy grammys grammies award awards won win winning wins"
    " works everything made recorded performed performs year"
)
_ARTIST, _SONG = "music_search_artist_entity_by_name", "music_search_song_entity_by_name"
_GRAMMY = r"\bgramm(y|ys|ies)\b"
_BY_YEAR = {
    r"\bbest new artists?\b": "music_grammy_get_best_artist_by_year",
    r"\bsong of the year\b": "music_grammy_get_best_song_by_year",
    r"\balbum of the year\b": "music_grammy_get_best_album_by_year",
}
_CHART = {r"\bweeks?\b.*\bchart": "weeks_in_chart", r"\b(top|peak|highest)\b": "top_position",
          r"\blast week\b": "rank_last_week", r"\b(rank|position|place)\b": "rank"}  # fmt: skip
_RANK = re.compile(r"(?:\bnumber|#|\bno\.?|\brank(?:ed)?)\s*(\d{1,3})\b|\bnumber (one|two|three|four|five)\b", re.I)
_ORDINALS = ("one", "two", "three", "four", "five")


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


FORMS = (grammys, charts, getters)


def _answer(getter: _Getter, value: Any) -> str | None:
    if value in ("NO", "XW") or getter.function == "music_get_lifespan":  # none known; both dates
        return None
    return listed(value)


def _named(asked: TimedText, api: ApiSession, search: str) -> list[str]:
    """The names in the question as the API has them; as written where it has no list of them."""
    found = []
    for name in asked.names(_WORDS, r"\bbillboard( hot 100)?( chart)?s?\b")[:2]:
        known = api.ask(search, name)
        same = aligned(name, [one for one in known if isinstance(one, str)]) if isinstance(known, list) else None
        if same is not None:
            found.append(same)
        elif known is None:
            found.append(name.title() if name.islower() else name)
    return found
