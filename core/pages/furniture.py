"""Page furniture told from its own words and links: menu lines, link lists, feedback and copyright lines.

``Block.boilerplate`` says what the markup around a block says; these rules look at the block itself.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from clausegraph.core.pages.blocks import Block

_NAV_SEPARATOR = re.compile(r"\s*[|»›>·•/]\s*|\s+[–-]\s+")
_STOCK = re.compile(
    r"^(?:©|copyright\b|(?:was|is) this (?:page|article|information|content) (?:useful|helpful)|(?:back|return|go) to "
    r"(?:the )?top\b|top of (?:the )?page|print (?:this )?(?:page|guide|version)|share (?:this|on|by)\b|skip to\b|"
    r"did you find what you (?:were|are) looking for|(?:we|this site|this website) uses? cookies)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?:;][\"'”’)\]]*$")
_MOSTLY_LINKS = 0.8
_LABEL_CHARACTERS = 60


def furniture(blocks: Sequence[Block]) -> set[int]:
    """Indices of blocks that are furniture by themselves or with the list or container they stand in."""
    found = {i for i, block in enumerate(blocks) if block.tag in ("p", "li") and _is_furniture(block)}
    return found | _link_lists(blocks, found)


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
