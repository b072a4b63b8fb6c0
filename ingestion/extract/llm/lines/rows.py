"""One line of a reply cut into the parts of triplets, however the model punctuates them. Pure text work."""

from __future__ import annotations

import re

LONGEST_LINE = 2000
MOST_PARTS = 12  # comma-separated; more are no triplet with commas in its names
_BULLET = re.compile(r"(?:\(?\d{1,4}[.):]|[-*•–—>])\s+")
_ROLE = re.compile(r"(?:subject|predicate|relation|object|head|tail)\s*[:=]\s*", re.IGNORECASE)
_TAG = re.compile(r"</?(?:h[1-6]|p|li|ul|ol|tr|td|th|b|i|a)\s*/?>", re.IGNORECASE)
_EDGE = re.compile(r"\s*-+\[([^\]]*)\]-+>?\s*")
_SEPARATORS = (re.compile(r"\s*(?:-{1,2}>|=>|→)\s*"), re.compile(r"\s*\|\s*"), re.compile(r"\s*\t\s*"))
_OPEN = {"(": ")", "[": "]", "<": ">", "{": "}"}
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’"}
_SPACES = re.compile("[ \u00a0]+")
_RULE = re.compile(r"[\s|:+=-]*")


def bare(line: str) -> str:
    """The line without bullets, numbers, code marks and markup tags around what it says."""
    text = _SPACES.sub(" ", _TAG.sub("", line)).replace("**", "").strip().strip("`").strip()
    found = _BULLET.match(text)
    return text[found.end() :] if found else text


def is_layout(line: str) -> bool:
    """Whether a line only frames others: a rule, a code fence, a table's head."""
    words = re.findall(r"[a-z]+", line.lower()) if len(line) < 80 else []
    heads = ({"subject", "predicate", "object"}, {"subject", "relation", "object"}, {"json"})
    return _RULE.fullmatch(line) is not None or not line or (set(words) in heads and not line.startswith("("))


def groups(text: str) -> tuple[list[str], bool]:
    """What stands in outer brackets, one per triplet, and whether the last bracket was never closed.

    A line that does not begin with a bracket is one group.
    """
    if text[:1] not in _OPEN:
        return [text], False
    found: list[str] = []
    closing: list[str] = []
    start = 0
    for place, character in enumerate(text):
        if character in _OPEN and not (closing and character == "<"):  # inside, "<" is less than
            if not closing:
                start = place + 1
            closing.append(_OPEN[character])
        elif closing and character == closing[-1]:
            closing.pop()
            if not closing:
                found.append(text[start:place])
    if not closing:
        return found, False
    rest = text[start:].rstrip()
    return [*found, rest.rstrip(")]>}")], rest[-1:] not in ")]>}" or not rest


def parts(group: str) -> list[str]:
    """The parts of a triplet: at arrows, pipes or tabs where there are any, else at commas outside quotes."""
    edge = _EDGE.search(group) if "[" in group else None
    if edge:
        return _named([group[: edge.start()], edge[1], group[edge.end() :]])
    for separator in _SEPARATORS:
        cut = separator.split(group.strip(" |") if "|" in group else group)
        if len(cut) >= 3:
            return _named(cut)
    return _named(_at(group, ",") if "," in group else _at(group, ";"))


def _named(cut: list[str]) -> list[str]:
    return [_unquoted(_ROLE.sub("", part.strip(), count=1)) for part in cut]


def _unquoted(part: str) -> str:
    text = part.strip()
    if len(text) > 1 and _QUOTES.get(text[0]) == text[-1]:
        return text[1:-1].strip()
    return text


def _at(group: str, separator: str) -> list[str]:
    """Cut at the separator, not inside quotes or brackets, and not within a number such as 1,000."""
    found: list[str] = []
    start = depth = 0
    quote = ""
    for place, character in enumerate(group):
        if quote:
            if character == quote and group[place + 1 :].lstrip()[:1] in ("", separator):
                quote = ""
        elif character in _QUOTES and not group[start:place].strip():
            quote = _QUOTES[character] if _closes(group, place + 1, _QUOTES[character], separator) else ""
        elif character in "([":
            depth += 1
        elif character in ")]":
            depth = max(0, depth - 1)
        elif character == separator and not depth and not _in_number(group, place):
            found.append(group[start:place])
            start = place + 1
    return [*found, group[start:]]


def _closes(group: str, start: int, quote: str, separator: str) -> bool:
    """Whether an opened quote ends before a separator or the end of the group."""
    place = group.find(quote, start)
    while place >= 0:
        if group[place + 1 :].lstrip()[:1] in ("", separator):
            return True
        place = group.find(quote, place + 1)
    return False


def _in_number(group: str, place: int) -> bool:
    return group[place - 1 : place].isdigit() and re.fullmatch(r"\d{3}(?!\d)", group[place + 1 : place + 4]) is not None


def chosen(cut: list[str], source: str) -> tuple[str, str, str] | None:
    """Subject, relation and object of the parts; of several ways, the first whose names the source has.

    ``source`` is lower case. Without it, or where no way fits, commas belong to the object.
    """
    if not 3 <= len(cut) <= MOST_PARTS:
        return None
    ways = [(i, j) for i in range(1, len(cut) - 1) for j in range(i + 1, len(cut))] if source and len(cut) > 3 else []
    ways.sort(key=lambda way: (way[1] - way[0], way[0]))  # a relation seldom has a comma
    for i, j in [*ways, (1, 2)]:
        subject, relation, target = (", ".join(some) for some in (cut[:i], cut[i:j], cut[j:]))
        if (i, j) == (1, 2) and not ways:
            return subject, relation, target
        if subject.lower() in source and target.lower() in source:
            return subject, relation, target
    return cut[0], cut[1], ", ".join(cut[2:])
