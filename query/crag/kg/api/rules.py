"""Calls built by rules: the forms of the domain that is likely first, then those of the others."""

from __future__ import annotations

from collections.abc import Sequence

from clausegraph.query.crag.kg.api.asked import TimedText
from clausegraph.query.crag.kg.api.client import ApiSession
from clausegraph.query.crag.kg.api.forms import finance, general, movie, music, sports
from clausegraph.query.crag.kg.api.found import ApiFound, Form

_FORMS: dict[str, Sequence[Form]] = {
    "sports": sports.FORMS,
    "finance": finance.FORMS,
    "movie": movie.FORMS,
    "music": music.FORMS,
    "open": general.FORMS,
}


def found_by_rules(asked: TimedText, api: ApiSession, domain: str | None = None) -> ApiFound | None:
    """What the first form finds that fits; none where none does, or the API does not know."""
    for name in sorted(_FORMS, key=lambda one: one != domain):  # a stable order, the likely domain first
        if name == "open" and domain not in (None, "open"):
            continue
        for form in _FORMS[name]:
            found = form(asked, api)
            if found is not None:
                return found
    return None
