"""Seeded edits of pages: the same seed makes the same pages, whatever ran before."""

from __future__ import annotations

import random
from collections.abc import Sequence

from benchmarks.material import Record


def copies(records: Sequence[Record], count: int, seed: int = 1) -> list[Record]:
    """``count`` edited copies of every page.

    A copy has its own title and url and every tenth of its paragraphs and items edited. The title is part of
    every text that is extracted from and embedded, so copies share nothing in the stores: the worst case.
    """
    made = []
    for number in range(1, count + 1):
        for record in records:
            draw = random.Random(f"{seed}/{number}/{record['url']}")
            contents = list(record["contents"])
            places = editable(contents)
            for place in draw.sample(places, len(places) // 10):
                contents[place] = edited(contents[place], draw)
            title, url = f"{record['title']}, edition {number}", f"{record['url']}?edition={number}"
            made.append({"title": title, "url": url, "contents": contents})
    return made


def edit_one(record: Record, draw: random.Random) -> Record:
    """The page with one paragraph or item edited; a page that has none stays as it is."""
    contents = list(record["contents"])
    places = editable(contents)
    if places:
        place = draw.choice(places)
        contents[place] = edited(contents[place], draw)
    return record | {"contents": contents}


def editable(contents: Sequence[str]) -> list[int]:
    """Positions of the paragraphs and items of five words or more."""
    return [place for place, html in enumerate(contents) if html[:3] in ("<p>", "<li") and html.count(" ") > 3]


def edited(html: str, draw: random.Random) -> str:
    """The element with one of its inner words replaced by a number."""
    words = html.split(" ")
    words[draw.randrange(1, len(words) - 1)] = str(draw.randrange(10, 100_000))
    return " ".join(words)
