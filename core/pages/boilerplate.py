"""Which elements of a page are furniture by their markup: tag, role, class, id."""

from __future__ import annotations

# ruff: noqa: SIM905 (a list of words reads best as a line of words)
import re
from dataclasses import dataclass

from lxml import etree
from lxml.etree import _Element

from clausegraph.core.pages.markup import HEADINGS, SKIPPED

_TAGS = frozenset({"nav", "footer", "aside", "dialog"})
_ROLES = frozenset("navigation banner contentinfo complementary search dialog alertdialog menu menubar toolbar".split())
_CONTENT_TAGS = frozenset({"html", "body", "main", "article", *HEADINGS})
_NAMES = frozenset(
    "nav navbar navigation topnav subnav menu breadcrumb breadcrumbs crumb crumbs cookie cookies consent gdpr footer "
    "sidebar share sharing social related pager pagination skip toc feedback advert adverts ads promo newsletter "
    "masthead".split()
)
_CONTENT_NAMES = frozenset("content main body article wrap wrapper container page has no with without".split())
_NAME_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_MAX_SHARE = 0.3  # of the page's characters outside links


@dataclass(slots=True)
class _Open:
    """An open element that is furniture by its name, with the characters outside links read before it."""

    node: _Element
    plain_before: int
    has_title: bool = False


def furniture_containers(root: _Element) -> set[_Element]:
    """Return the elements below ``root`` whose content is page furniture.

    Tags and roles are trusted; a ``header`` inside ``main`` or ``article`` heads the content, elsewhere it is the
    site's. A class or id is not ("content-sidebar-wrap" wraps the content as well): an element is not furniture by
    its name when it holds an h1 or more than 30 % of the page's characters outside links.
    """
    found: set[_Element] = set()
    named: dict[_Element, int] = {}  # furniture by name → its characters outside links
    stack: list[_Open] = []
    plain = content_depth = link_depth = skip_depth = 0
    for event, node in etree.iterwalk(root, events=("start", "end")):
        step = 1 if event == "start" else -1
        tag = node.tag
        link_depth += step * (tag == "a")
        skip_depth += step * (tag in SKIPPED)
        content_depth += step * (tag in ("main", "article"))
        if event == "start":
            if _by_tag(node, content_depth > 0):
                found.add(node)
            elif _by_name(node):
                stack.append(_Open(node, plain))
            if tag == "h1":
                for entry in reversed(stack):
                    if entry.has_title:
                        break  # so have all around it
                    entry.has_title = True
        elif stack and stack[-1].node is node:
            entry = stack.pop()
            if not entry.has_title:
                named[node] = plain - entry.plain_before
        text = node.text if event == "start" else node.tail
        if text and not link_depth and not skip_depth:
            plain += len(text.strip())
    return found | {node for node, characters in named.items() if characters <= _MAX_SHARE * plain}


def _by_tag(node: _Element, inside_content: bool) -> bool:
    tag = node.tag
    if tag in _CONTENT_TAGS:
        return False
    if tag in _TAGS or (tag == "header" and not inside_content):
        return True
    return (node.get("role") or "").strip().lower() in _ROLES


def _by_name(node: _Element) -> bool:
    if node.tag in _CONTENT_TAGS:
        return False
    for name in f"{node.get('class') or ''} {node.get('id') or ''}".split():
        parts = {part.lower() for part in _NAME_PART.findall(name)}
        if not parts.isdisjoint(_NAMES) and parts.isdisjoint(_CONTENT_NAMES):
            return True
    return False
