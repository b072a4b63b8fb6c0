"""Films and their people; two films compared by one figure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from clausegraph.core.language.lexicon import word_set
from clausegraph.query.crag.kg.align import aligned, likeness, plain
from clausegraph.query.crag.kg.api.asked import TimedText
from clausegraph.query.crag.kg.api.client import ApiSession
from clausegraph.query.crag.kg.api.found import ApiFound, listed, number

_WORDS = word_set(
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
_JOBS = {r"\bdirect(ed|or|s)\b": "Director", r"\bcompos(ed|er)\b": "Original Music Composer",
         r"\bproduc(ed|er)\b": "Producer", r"\b(wrote|written|writer|screenplay)\b": "Screenplay"}  # fmt: skip
_MORE = r"\b(longer|higher|bigger|larger|more|later|newer)\b"
_LESS = r"\b(shorter|lower|smaller|less|earlier|older)\b"
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
    names = asked.names(_WORDS)
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
        found = ApiFound((_said(film, figure),), (title,), _value(film, figure))
    return found


def people(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """When somebody of the films was born."""
    if not asked.has(r"\b(born|birthday|date of birth)\b") or not asked.has(_CUE):
        return None
    for name in asked.names(_WORDS)[:2]:
        known = api.ask("movie_get_person_info", name)
        same = [one for one in known or [] if plain(str(one.get("name"))) == plain(name) and one.get("birthday")]
        if len(same) == 1:
            return ApiFound((f"{same[0]['name']} was born on {same[0]['birthday']}.",), (name,), same[0]["birthday"])
    return None


FORMS = (compared, of_a_film, people)


def _job(asked: TimedText, film: dict[str, Any]) -> ApiFound | None:
    job = next(job for pattern, job in _JOBS.items() if asked.has(pattern))
    said = listed([one["name"] for one in film.get("crew", []) if one.get("job") == job])
    return ApiFound((f"{job} of {film['title']}: {said}.",), (str(film["title"]),), said) if said else None


def _film(name: str, api: ApiSession) -> dict[str, Any] | None:
    known = api.ask("movie_get_movie_info", name)
    films = [one for one in known if isinstance(one, dict)] if isinstance(known, list) else []
    title = aligned(name, [str(film.get("title")) for film in films])
    return next((film for film in films if film.get("title") == title), None) if title else None


def _value(film: dict[str, Any], figure: _Figure) -> str:
    value = film[figure.field]
    return str(value) if figure.field in ("rating", "release_date", "original_language") else number(value, figure.unit)


def _said(film: dict[str, Any], figure: _Figure) -> str:
    return f"{figure.field.replace('_', ' ').capitalize()} of {film['title']}: {_value(film, figure)}."


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
