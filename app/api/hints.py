"""What an error says to do, in the words of the way in that somebody uses: commands are the command line's."""

from __future__ import annotations

import re
from collections.abc import Mapping

_COMMAND = re.compile(r"`clausegraph ([a-z]+)(?: ([a-z]+)(?= |`))?[^`]*`")

RESOURCES: Mapping[str, str] = {
    "pages": "`GET pages`",
    "facts": "`GET facts`",
    "entities": "`GET entities`",
    "entities list": "`GET decisions`",
    "entities undo": "`PUT decisions/NUMBER`",
    "show": "`GET facts?page=PAGE`",
    "statements list": "`GET decisions`",
    "questions list": "`GET questions`",
    "status": "`GET runs`",
    "epochs list": "`GET epochs`",
}
"""By the first words of a command, what of a corpus has the same in the API."""

SCREENS: Mapping[str, str] = {
    "pages": "the screen Pages",
    "facts": "the screen Graph",
    "entities": "the screen Graph",
    "entities list": "the screen Curation",
    "entities undo": "Undo on the screen Curation",
    "show": "the screen of a page",
    "statements list": "the screen Curation",
    "questions list": "the list of judged questions",
    "status": "the screen Runs",
    "epochs list": "the screen Changes",
}


def hinted(said: str, ways: Mapping[str, str]) -> str:
    """The text of an error with commands replaced by ``ways``; those of whoever runs the server stay."""
    return _COMMAND.sub(lambda found: _way(found, ways), said)


def _way(found: re.Match[str], ways: Mapping[str, str]) -> str:
    first, second = found[1], found[2]
    return ways.get(f"{first} {second}", ways.get(first, found[0])) if second else ways.get(first, found[0])
