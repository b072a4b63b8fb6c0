"""Steps of an engine in plain words: what was looked for, whether it was enough, how sure the reading is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Detail = Mapping[str, Any]

_TITLES = {
    "route": "Where to look",
    "retrieve": "What was found",
    "validate": "Is it enough?",
    "comment": "What to try instead",
    "read": "Reading the answer",
    "model": "Asking a language model",
}
_PLACES = {
    "text": "the text of the pages",
    "graph": "the graph of what pages state",
    "hybrid": "the text of the pages and the graph of what they state",
}
_KINDS = {"yes_no": "yes or no", "extractive": "something that a page says"}


def step_title(name: str) -> str:
    """What a step is called on screen; its own name where it is none of the known ones."""
    return _TITLES.get(name, name)


def step_words(name: str, detail: Detail) -> str:
    """What a step did, in a sentence or two; empty where only its figures tell."""
    told = _TOLD.get(name)
    return "" if told is None else told(detail)


def _route(detail: Detail) -> str:
    if detail.get("nothing left to try"):
        return "There was no other place to look in."
    where = _PLACES.get(str(detail.get("module")), f"“{detail.get('module')}”")
    topics, relations = _listed(detail.get("topics")), _listed(detail.get("relations"))
    about = f", for {topics}" if topics else "; no name of the question is one that the pages have"
    return f"In {where}{about}{f', and what is stated with {relations}' if relations else ''}."


def _retrieve(detail: Detail) -> str:
    found = detail.get("elements")
    if not found:
        return "Nothing."
    shared = detail.get("entities shared")
    more = f" What was asked for meets in {shared} entities." if isinstance(shared, int) else ""
    return f"{found} sentences, list items and rows; these fit best.{more}"


def _validate(detail: Detail) -> str:
    return _because("It is enough" if detail.get("accepted") else "It is not enough", detail)


def _comment(detail: Detail) -> str:
    return f"The next look is another one, since what was found is {detail.get('feedback', 'not enough')}."


def _read(detail: Detail) -> str:
    said = []
    if (kind := _KINDS.get(str(detail.get("kind")))) is not None:
        said.append(f"The question asks for {kind}.")
    sure, needed = detail.get("probability"), detail.get("asserted_from")
    if isinstance(sure, int | float) and isinstance(needed, int | float):
        enough = "so it is asserted" if sure >= needed else "so nothing is asserted, and the pages are quoted"
        said.append(f"The reading is {sure:.0%} sure, and {needed:.0%} are needed: {enough}.")
    elif isinstance(sure, int | float):
        said.append(f"The reading is {sure:.0%} sure.")
    if detail.get("read_again_without"):
        said.append("It was read again without what another page has replaced.")
    if detail.get("contradicted"):
        said.append("What another page contradicts is not asserted.")
    if failed := _listed(detail.get("failed_checks")):
        said.append(f"Failed checks: {failed}.")
    if granted := _listed(detail.get("conditions_taken_for_granted")):
        said.append(f"Taken for granted: {granted}.")
    return " ".join(said)


def _because(said: str, detail: Detail) -> str:
    return f"{said}: {detail['because']}." if detail.get("because") else f"{said}."


def _listed(value: object) -> str:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return ""
    return "; ".join(str(one) for one in value if isinstance(one, str))


_TOLD: Mapping[str, Callable[[Detail], str]] = {
    "route": _route,
    "retrieve": _retrieve,
    "validate": _validate,
    "comment": _comment,
    "read": _read,
}
