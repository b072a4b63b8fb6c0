"""Pages that say nothing of their own: walls, script shells, navigation, "not found". A thin page is none of them.

Where the text is short, its first words decide, and its other sentences must be little: a page about cookies,
passwords or missing documents says more than the wall does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lxml.etree import _Element

from clausegraph.core.pages.blocks import Block
from clausegraph.core.pages.furniture import is_sentence

_SHORT = 1500  # characters of a wall; a longer page says something
_LITTLE = 60  # characters of other sentences that may stand beside what a wall says in its text
_UNDER_HEADING = 250  # … and under a heading that says it
_SENTENCES = 2  # of its first paragraph within which a wall says what it is
_WORDS = 6  # of a line that is no mere label
_MOSTLY_LINKS = 0.5
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+")

_KINDS = (
    (
        "a page that was not found",
        re.compile(
            r"\b(?:page|document|article|content|file|site)\b.{0,40}\b(?:(?:can ?not|can.?t|could ?n.?t|could not) be "
            r"(?:found|displayed)|not found|not available|does(?: not|n.t) exist|no longer (?:exists?|available|here)|"
            r"has (?:been )?(?:moved|removed|deleted))|(?:can.?t|can ?not|could ?n.?t) (?:seem to )?find (?:the|this|"
            r"that|your) page|^\W*(?:error )?404\b|\b404 (?:error|page|not found)|seite (?:wurde )?nicht gefunden|"
            r"page (?:non trouvée|introuvable)",
            re.IGNORECASE,
        ),
    ),
    (
        "a wall against robots",
        re.compile(
            r"\b(?:are|you.re|you are|verify).{0,20}\b(?:human|robot)\b|not a robot|checking your browser|captcha|"
            r"unusual (?:traffic|activity)|access (?:to this page )?(?:has been |is )?denied|request (?:was )?"
            r"blocked|your user agent|automated (?:access|requests?|traffic)|security check|ddos protection|ray id|"
            r"you have been blocked|403 forbidden|too many requests|enable javascript and cookies",
            re.IGNORECASE,
        ),
    ),
    (
        "a shell that only a script fills",
        re.compile(
            r"(?:enable|turn on|activate|requires?|needs?|without|disabled?) (?:your )?java ?script|"
            r"java ?script (?:is |must be |needs to be )?(?:required|disabled|enabled|not enabled|turned off)|"
            r"^\W*(?:loading|please wait)\b.{0,30}$|(?:browser|version) is (?:not supported|unsupported|out of date)",
            re.IGNORECASE,
        ),
    ),
    (
        "a login wall",
        re.compile(
            r"(?:log|sign) ?in to (?:continue|view|see|read|access)|(?:members|subscribers) only|"
            r"(?:subscribe|register) to (?:continue|read|view)|forgot(?:ten)? (?:your )?password",
            re.IGNORECASE,
        ),
    ),
    (
        "a cookie wall",
        re.compile(
            r"(?:accept|allow|reject|manage) (?:all |our |the )?(?:optional )?cookies|(?:we|site|website)\b.{0,40}"
            r"\buses? cookies|cookies? (?:settings|preferences|consent|policy)|consent to (?:the use of )?cookies|"
            r"before you continue",
            re.IGNORECASE,
        ),
    ),
)


def no_page(kept: Sequence[Block], blocks: Sequence[Block], root: _Element) -> str | None:
    """Why what is left of a page is no text of its own: the kind of page it is, with the words that show it.

    ``kept`` are the blocks that were taken for main text, ``blocks`` all of the page.
    """
    size = sum(len(block.text) for block in kept)
    if size > _SHORT:
        return None
    opening = list(_opening(kept))
    for kind, words in _KINDS:
        for said, little in opening:
            if words.search(said) and _rest(kept, words) <= little:
                return f'{kind}: "{said[:80]}"'
    if next(root.iter("input"), None) is not None and _asks_for_password(root) and size < _UNDER_HEADING:
        return "a login wall: it asks for a password and says little else"
    if any(_says_something(block) for block in kept):
        return None
    links = sum(block.link_share > _MOSTLY_LINKS for block in blocks)
    return "navigation only: nothing on it but links and labels" if links > len(kept) + 2 else None


def _opening(kept: Sequence[Block]) -> Iterator[tuple[str, int]]:
    """Headings, labels and the first sentences that the text begins with; how much else each leaves to a wall."""
    for block in kept:
        if block.level:
            yield block.text, _UNDER_HEADING
            continue
        for sentence in _SENTENCE_ENDS.split(block.text)[:_SENTENCES]:
            yield sentence, _LITTLE
        if _says_something(block):
            return


def _rest(kept: Sequence[Block], words: re.Pattern[str]) -> int:
    """Characters of the sentences and figures that are not the wall's own."""
    others = [one for block in kept if _says_something(block) for one in _SENTENCE_ENDS.split(block.text)]
    return sum(len(one) for one in others if not words.search(one))


def _says_something(block: Block) -> bool:
    """Whether a block is more than a label: a sentence, a row or item with a figure, some words in a row."""
    if block.level or block.link_share > _MOSTLY_LINKS:
        return False
    text = block.text
    is_figure = block.tag in ("li", "tr") and any(character.isdigit() for character in text)
    return is_figure or is_sentence(text) or len(text.split()) >= _WORDS


def _asks_for_password(root: _Element) -> bool:
    return any((node.get("type") or "").lower() == "password" for node in root.iter("input"))
