"""Page furniture told from its own words and links: menu lines, link lists, feedback and copyright lines.

``Block.boilerplate`` says what the markup around a block says; these rules look at the block itself.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from clausegraph.core.pages.blocks import Block

_NAV_SEPARATOR = re.compile(r"\s*[|»›>·•/]\s*|\s+[–-]\s+")
_STOCK = re.compile(
    r"^(?:©|copyright\b|(?:was|is) this (?:page|article|information|content) (?:useful|helpful)|(?:back|return|go) to "
    r"(?:the )?top\b|top of (?:the )?page|print (?:this )?(?:page|guide|version)|share (?:this|on|by)\b|skip to\b|"
    r"did you find what you (?:were|are) looking for|(?:we|this site|this website) uses? cookies)",
    re.IGNORECASE,
)
_OTHER_PAGES = re.compile(
    r"^\W*(?:you (?:may|might) also (?:like|enjoy|be interested in)|related\b[\w ]{0,25}|recommended\b[\w ]{0,20}|"
    r"more (?:from|like|stories|articles|news)\b.{0,30}|(?:most )?popular\b[\w ]{0,20}|trending\b.{0,20}|"
    r"read (?:more|next|also)\b.{0,20}|(?:see|view) also)\W*$",
    re.IGNORECASE,
)
_ADVERTISEMENT = re.compile(
    r"^\W*(?:advertisements?(?:\W.{0,30})?|sponsored(?: content)?|sponsor message|promoted)\W*$", re.IGNORECASE
)
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
