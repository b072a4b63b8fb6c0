"""Forms of questions that one or two calls answer: prices and figures of companies, and any entity that is named."""

from __future__ import annotations

import ast
import re
from datetime import date, timedelta
from typing import Any

from clausegraph.core.language.lexicon import word_set
from clausegraph.query.crag.kg.questions import ApiFound, ApiSession, TimedText, aligned, candidates, number, plain

_PRICES = {"Open": r"\bopen(ed|ing)?\b", "Close": r"\bclos(e|ed|ing)\b", "High": r"\bhigh(est)?\b",
           "Low": r"\blow(est)?\b", "Volume": r"\bvolume\b"}  # fmt: skip
_FIGURES = {
    "market capitalisation": (r"\bmarket (cap|capitali[sz]ation)\b", "finance_get_market_capitalization", "$"),
    "earnings per share": (r"\b(eps|earnings per share)\b", "finance_get_eps", "$"),
    "price-to-earnings ratio": (r"\b(p/?e ratio|p/e|price[- ]to[- ]earnings)\b", "finance_get_pe_ratio", ""),
}
_STOCK = r"\b(stock|share)s?\b|\bticker\b"
_NOW = r"\b(today|now|current(ly)?|latest|most recent)\b"
_COMPANY_WORDS = word_set(
    "stock stocks share shares price prices ticker symbol company open opened opening close closed closing high highest"
    " low lowest volume trading traded trade value market cap capitalization capitalisation earnings per eps pe ratio"
    " p e dividend dividends paid pay distribution price-to-earnings worth own owns owned"
)
_TICKER = re.compile(r"[A-Za-z]{1,5}")
_LATEST_OPEN = 7  # days without trading in a row are fewer
_SUMMARY = 800  # characters of it
_FIELDS = {"population": "population_total", "area": "area_total", "elevation": "elevation", "mayor": "leader_name"}
_MOST = 8  # fields that a question is told
_LONGEST = 20_000  # characters of structured facts that are read


def figures(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """A figure that the API has one value of."""
    for label, (pattern, function, unit) in _FIGURES.items():
        if asked.has(pattern):
            for ticker in _tickers(asked, api):
                value = api.ask(function, ticker)
                if value is not None:
                    said = number(value, unit)
                    return ApiFound((f"The {label} of {ticker} is {said}.",), (ticker,), said)
    return None


def prices(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """Open, close, high, low or volume of a day; of today or without a day, of the last one traded."""
    wanted = [column for column, pattern in _PRICES.items() if asked.has(pattern)]
    if not asked.has(_STOCK) or not (wanted or asked.has(r"\bprice\b")):
        return None
    days = asked.days()
    for ticker in _tickers(asked, api):
        history = api.ask("finance_get_price_history", ticker)
        if not isinstance(history, dict):
            continue
        day = _traded(history, days[0] if days else asked.today, exact=bool(days))
        if day is None:
            return ApiFound((f"There is no price of {ticker} for {days[0] if days else asked.today}.",), (ticker,))
        row = history[_key(history, day)]
        column = wanted[0] if wanted else "Close"
        said = ", ".join(f"{name.lower()} {number(value)}" for name, value in row.items())
        answer = number(row[column], "" if column == "Volume" else "$") if len(wanted) < 2 else None
        return ApiFound((f"Of {ticker} on {day}: {said}.",), (ticker,), answer)
    return None


def dividends(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """The dividends of a company; the latest is the answer."""
    if not asked.has(r"\bdividends?\b"):
        return None
    for ticker in _tickers(asked, api):
        history = api.ask("finance_get_dividends_history", ticker)
        if isinstance(history, dict) and history:
            past = [key for key in history if key[:10] <= asked.today.isoformat()]
            said = tuple(f"{ticker} paid a dividend of {number(history[key], '$')} on {key[:10]}." for key in past[-8:])
            latest = asked.has(_NOW + r"|\blast\b") and past
            return ApiFound(said, (ticker,), number(history[past[-1]], "$") if latest else None)
    return None


def symbols(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """The ticker of a company that is named: not of one that is described."""
    if not asked.has(r"\b(ticker|symbol)\b") or asked.has(r"\b(owns|that|which (makes|owns))\b"):
        return None
    found = _company(asked, api)
    return ApiFound((f"The ticker of {found[0]} is {found[1]}.",), (found[0],), found[1]) if found else None


COMPANY_FORMS = (figures, prices, dividends, symbols)


def _tickers(asked: TimedText, api: ApiSession) -> list[str]:
    """By the company's name; where there is none of it, what is written like a ticker."""
    company = _company(asked, api)
    if company:
        return [company[1]]
    return [name.upper() for name in asked.names(_COMPANY_WORDS) if _TICKER.fullmatch(name)][:2]


def _company(asked: TimedText, api: ApiSession) -> tuple[str, str] | None:
    for name in asked.names(_COMPANY_WORDS)[:2]:
        known = api.ask("finance_get_company_name", name)
        if not isinstance(known, list):
            continue
        begins = [one for one in known if plain(one).startswith(plain(name))]
        for one in begins[:1] or candidates(name, known, 1):
            ticker = api.ask("finance_get_ticker_by_name", one)
            if isinstance(ticker, str):
                return one, ticker
    return None


def _key(history: dict[str, Any], day: date) -> str:
    return next(key for key in history if key.startswith(day.isoformat()))


def _traded(history: dict[str, Any], day: date, *, exact: bool) -> date | None:
    """The day, or the last one before it that was traded; none that is later than the history."""
    known = {key[:10] for key in history}
    if exact and day.isoformat() > max(known):
        return None
    for back in range(_LATEST_OPEN):
        if (day - timedelta(days=back)).isoformat() in known:
            return day - timedelta(days=back)
    return None


_ENTITY_WORDS = word_set(
    "population capital area motto nickname founded established founder born died height website mayor leader governor"
    " elevation code zip postal county state country city town located big large old tall high happen happened name"
)
_MARKUP = re.compile(r"<ref[^>]*>.*?(</ref>|$)|<[^>]+>|\{\{[^{}]*\}\}|\[\[(?:[^|\]]*\|)?|\]\]|'{2,}", re.DOTALL)


def entities(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """Facts of one entity whose name stands in the question; never an answer by itself: fields are not checked."""
    for name in asked.names(_ENTITY_WORDS)[:2]:
        known = api.ask("open_search_entity_by_name", name)
        same = aligned(name, [str(one) for one in known]) if isinstance(known, list) else None
        entity = api.ask("open_get_entity", same or name) if same or known is None else None
        if isinstance(entity, dict):
            facts = (summary_of(entity), *_fields(asked, same or name, entity))
            return ApiFound(tuple(fact for fact in facts if fact), (same or name,))
    return None


ENTITY_FORMS = (entities,)


def summary_of(entity: dict[str, Any]) -> str:
    text = str(entity.get("summary_text") or "")
    return text if len(text) <= _SUMMARY else text[:_SUMMARY].rsplit(". ", 1)[0] + "."


def fields_of(name: str, entity: dict[str, Any]) -> list[str]:
    """Its structured facts in words; the API writes them as a Python literal."""
    return [fact for _, fact in _structured(name, entity)]


def _fields(asked: TimedText, name: str, entity: dict[str, Any]) -> list[str]:
    """Those whose field has a word of the question."""
    words = set(plain(asked.text).split())
    wanted = {_FIELDS[word] for word in words if word in _FIELDS}
    facts = _structured(name, entity)
    return [fact for field, fact in facts if field in wanted or words & set(field.split("_")) - {"name", "type"}][
        :_MOST
    ]


def _structured(name: str, entity: dict[str, Any]) -> list[tuple[str, str]]:
    try:
        facts = ast.literal_eval(str(entity.get("summary_structured") or "{}")[:_LONGEST])
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return []
    found = []
    for field, value in facts.items() if isinstance(facts, dict) else ():
        said = " ".join(_MARKUP.sub(" ", str(value)).split())[:200]
        if said:
            found.append((str(field), f"{str(field).replace('_', ' ')} of {name}: {said}."))
    return found
