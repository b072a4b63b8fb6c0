"""Page furniture by its words and links (menu lines, link lists, feedback), and pages that are nothing but a wall.

``Block.boilerplate`` says what the markup around a block says; these rules look at the block itself. A wall is a login
or cookie wall, a script shell, navigation, "not found". Where the text is short, its first words decide, and its other
sentences must be little: a page about cookies, passwords or missing documents says more than the wall does.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from lxml.etree import _Element

from clausegraph.core.language.lexicon import WordTable
from clausegraph.core.pages.blocks import Block

_TABLE = WordTable(__file__)

_NAV_SEPARATOR = re.compile(r"\s*[|»›>·•/]\s*|\s+[–-]\s+")
_STOCK = _TABLE.pattern("stock")
_OTHER_PAGES = _TABLE.pattern("other_pages")
_ADVERTISEMENT = _TABLE.pattern("advertisement")
_SENTENCE_END = re.compile(r"[.!?:;][\"'”’)\]]*$")
_MOSTLY_LINKS = 0.8
_BUTTONS = 3  # of the same text
_LABEL_CHARACTERS = 60


def furniture(blocks: Sequence[Block]) -> set[int]:
    """Indices of blocks that are furniture by themselves or with the list or container they stand in."""
    found = {i for i, block in enumerate(blocks) if block.tag in ("p", "li") and _is_furniture(block)}
    found |= _announced(blocks) | _repeated_links(blocks)
    return found | _link_lists(blocks, found)


def _repeated_links(blocks: Sequence[Block]) -> set[int]:
    """Lines that only link and say the same again and again: buttons."""
    links = [i for i, block in enumerate(blocks) if block.tag == "p" and block.link_share >= _MOSTLY_LINKS]
    counts = Counter(blocks[i].text for i in links)
    return {i for i in links if counts[blocks[i].text] >= _BUTTONS}


def _announced(blocks: Sequence[Block]) -> set[int]:
    """Links that a label calls other pages, and tables that a label calls an advertisement, each with its label."""
    found: set[int] = set()
    group: int | None = None  # the table of an advertisement
    others = False
    for index, block in enumerate(blocks):
        if group is not None and block.group == group:
            found.add(index)
            continue
        is_label = block.tag != "tr" and len(block.text) <= _LABEL_CHARACTERS
        before, others = others, False
        if is_label and _ADVERTISEMENT.match(block.text):
            found.add(index)
            after = blocks[index + 1] if index + 1 < len(blocks) else None
            group = after.group if after is not None and after.tag == "tr" else None
        elif is_label and _OTHER_PAGES.match(block.text):
            after = blocks[index + 1] if index + 1 < len(blocks) else None
            others = after is not None and after.tag != "tr" and after.link_share >= _MOSTLY_LINKS
            if others:
                found.add(index)
        elif before and block.tag != "tr" and block.link_share >= _MOSTLY_LINKS:
            found.add(index)
            others = True
    return found


def is_label(block: Block) -> bool:
    """Whether a block only announces what follows: a heading, or a short line that is no sentence."""
    if block.tag in ("h1", "h2", "h3"):
        return True
    text = block.text
    return block.tag == "p" and len(text) <= _LABEL_CHARACTERS and (text.endswith(":") or not is_sentence(text))


def is_sentence(text: str) -> bool:
    """Whether a text ends as a sentence does."""
    return bool(_SENTENCE_END.search(text))


def _is_furniture(block: Block) -> bool:
    text = block.text
    if _STOCK.match(text):
        return True
    if not block.links:
        return False
    if block.link_share > _MOSTLY_LINKS and all(link.href.startswith(("#", "javascript:")) for link in block.links):
        return True  # a jump within the page, a button
    steps = [step for step in _NAV_SEPARATOR.split(text) if step]
    return len(steps) > 1 and block.link_share >= 0.4 and all(len(step.split()) <= 6 for step in steps)


def _link_lists(blocks: Sequence[Block], other: set[int]) -> set[int]:
    """Link-only lines and items of a container that mostly consists of them: menus, "see also".

    A list of links between paragraphs of the text stays. ``other`` furniture does not count.
    """
    containers: dict[int, list[int]] = defaultdict(list)
    for index, block in enumerate(blocks):
        if index not in other:
            containers[block.region].append(index)
    found: set[int] = set()
    for indices in containers.values():
        links = [i for i in indices if blocks[i].tag in ("p", "li") and blocks[i].link_share >= _MOSTLY_LINKS]
        characters = sum(len(blocks[i].text) for i in indices if not (is_label(blocks[i]) and i not in links))
        if len(links) > 1 and 2 * sum(len(blocks[i].text) for i in links) > characters:
            found.update(links)
    return found


_SHORT = 1500  # characters of a wall; a longer page says something
_LITTLE = 60  # characters of other sentences that may stand beside what a wall says in its text
_UNDER_HEADING = 250  # … and under a heading that says it
_SENTENCES = 2  # of its first paragraph within which a wall says what it is
_WORDS = 6  # of a line that is no mere label
_MORE_LINKS = 0.5
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+")

_KINDS = {
    "a page that was not found": (
        r"\b(?:page|document|article|content|file|site)\b.{0,40}\b(?:(?:can ?not|can.?t|could ?n.?t|could not) be "
        r"(?:found|displayed)|not found|not available|does(?: not|n.t) exist|no longer (?:exists?|available|here)|"
        r"has (?:been )?(?:moved|removed|deleted))|(?:can.?t|can ?not|could ?n.?t) (?:seem to )?find (?:the|this|"
        r"that|your) page|^\W*(?:error )?404\b|\b404 (?:error|page|not found)|seite (?:wurde )?nicht gefunden|"
        r"page (?:non trouvée|introuvable)"
    ),
    "a wall against robots": (
        r"\b(?:are|you.re|you are|verify).{0,20}\b(?:human|robot)\b|not a robot|checking your browser|captcha|"
        r"unusual (?:traffic|activity)|access (?:to this page )?(?:has been |is )?denied|request (?:was )?"
        r"blocked|your user agent|automated (?:access|requests?|traffic)|security check|ddos protection|ray id|"
        r"you have been blocked|403 forbidden|too many requests|enable javascript and cookies"
    ),
    "a shell that only a script fills": (
        r"(?:enable|turn on|activate|requires?|needs?|without|disabled?) (?:your )?java ?script|"
        r"java ?script (?:is |must be |needs to be )?(?:required|disabled|enabled|not enabled|turned off)|"
        r"^\W*(?:loading|please wait)\b.{0,30}$|(?:browser|version) is (?:not supported|unsupported|out of date)"
    ),
    "a login wall": (
        r"(?:log|sign) ?in to (?:continue|view|see|read|access)|(?:members|subscribers) only|"
        r"(?:subscribe|register) to (?:continue|read|view)|forgot(?:ten)? (?:your )?password"
    ),
    "a cookie wall": (
        r"(?:accept|allow|reject|manage) (?:all |our |the )?(?:optional )?cookies|(?:we|site|website)\b.{0,40}"
        r"\buses? cookies|cookies? (?:settings|preferences|consent|policy)|consent to (?:the use of )?cookies|"
        r"before you continue"
    ),
}  # what a page is instead of text → the words that show it


def no_page(kept: Sequence[Block], blocks: Sequence[Block], root: _Element) -> str | None:
    """Why what is left of a page is no text of its own: the kind of page it is, with the words that show it.

    ``kept`` are the blocks that were taken for main text, ``blocks`` all of the page.
    """
    size = sum(len(block.text) for block in kept)
    if size > _SHORT:
        return None
    opening = list(_opening(kept))
    for kind, phrases in _KINDS.items():
        words = re.compile(phrases, re.IGNORECASE)
        for said, little in opening:
            if words.search(said) and _rest(kept, words) <= little:
                return f'{kind}: "{said[:80]}"'
    asks = any((node.get("type") or "").lower() == "password" for node in root.iter("input"))
    if asks and size < _UNDER_HEADING:
        return "a login wall: it asks for a password and says little else"
    if any(_says_something(block) for block in kept):
        return None
    links = sum(block.link_share > _MORE_LINKS for block in blocks)
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
    if block.level or block.link_share > _MORE_LINKS:
        return False
    text = block.text
    is_figure = block.tag in ("li", "tr") and any(character.isdigit() for character in text)
    return is_figure or is_sentence(text) or len(text.split()) >= _WORDS
