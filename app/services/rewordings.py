"""Changed rules of which a language model says that they rule the same in other words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import accumulate, groupby
from typing import Any

from clausegraph.app.services.contradictions import PairWatch, ask_pairs
from clausegraph.app.services.records import ShownRule
from clausegraph.app.services.rule_changes import CHANGED, GONE, NEW, REWORDED, REWRITTEN, ChangedRule
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import UnusableReply
from clausegraph.core.language.normalise import common_share, content, normalise_text, visible
from clausegraph.core.language.rewording import same_figures
from clausegraph.core.tokens import count_tokens

_TOKENS = 4000  # of the pairs of a call
_NEAREST = 3  # pairs of gone and new rules for each that is gone
_LINE = re.compile(r"(\d{1,6})[.:]? +(?:(same)|differs(?: *\|.*)?)", re.IGNORECASE)
Pair = tuple[int, int]  # the numbers of an old and a new rule among the changes; twice the same where code paired them


def judge_rewordings(
    workspace: Workspace, rules: Sequence[ChangedRule], watch: PairWatch
) -> tuple[list[ChangedRule], dict[str, Any]]:
    """The rules, ``by_model`` reworded where the language model of the settings says so, and what asking it took.

    It is asked about changed and rewritten rules, and about gone and new ones of a page, the nearest first; never
    about two whose numbers, dates or amounts differ. Errors, and ``watch``, as of ``ask_pairs``.
    """
    pairs, calls = _pairs(rules), []
    used = accumulate(map(count_tokens, pairs.values()))
    for _, batch in groupby(zip(pairs, used, strict=True), key=lambda item: item[1] // _TOKENS):
        some = [pair for pair, _ in batch]
        shown = "\n\n".join(f"{number}\n{pairs[pair]}" for number, pair in enumerate(some, 1))
        pages = sorted({rules[new].page for _, new in some})
        calls.append(({"pairs": shown}, partial(parse_judgements, pairs=some), pages))
    same, asked = ask_pairs(workspace, "rewordings", calls, len(pairs), watch)
    became: dict[int, int] = {}
    for old, new in (pair for pair in pairs if pair in same):
        if old not in became.values() and new not in became:
            became[new] = old
    told = {number: one for number, one in enumerate(rules) if number in became or number not in became.values()}
    for new, old in became.items():
        judged: dict[str, Any] = {"kind": REWORDED, "differences": [], "old": rules[old].old, "by_model": True}
        told[new] = rules[new].model_copy(update=judged)
    return list(told.values()), asked | {"reworded": len(became)}


def _pairs(rules: Sequence[ChangedRule]) -> dict[Pair, str]:
    """Changed and rewritten rules, then the nearest gone and new ones of each page, as a model sees them."""
    said = [_both(one) for one in rules]
    pairs = [(number, number) for number, one in enumerate(rules) if one.kind in (CHANGED, REWRITTEN)]
    for _, of_page in groupby(range(len(rules)), key=lambda number: rules[number].page):
        listed = list(of_page)
        gone, new = ([number for number in listed if rules[number].kind == kind] for kind in (GONE, NEW))
        may = [(i, j) for i in gone for j in new if same_figures(said[i][0], said[j][1])]
        near = {(i, j): common_share(content(said[i][0]), content(said[j][1])) for i, j in may}
        pairs += sorted(near, key=lambda pair: -near[pair])[: _NEAREST * len(gone)]
    shown = {}
    for i, j in pairs:
        differs = "; ".join(f"{one.what} {one.old} → {one.new}" for one in rules[j].differences)
        if same_figures(said[i][0], said[j][1]):
            parts = {"old": said[i][0], "new": said[j][1], "program": differs}
            shown[i, j] = "\n".join(f"{name}: {visible(words)}" for name, words in parts.items() if words)
    return shown


def _both(one: ChangedRule) -> tuple[str, str]:
    """The old and the new words; of sentences from which only one version has a rule the sentences themselves."""
    alone = one.differences[0] if one.differences and not (one.old and one.new) else None
    return _words(one.old) or (alone.old if alone else ""), _words(one.new) or (alone.new if alone else "")


def _words(rule: ShownRule | None) -> str:
    """A rule under its headings, with what of its condition stands elsewhere, and its dates."""
    if rule is None:
        return ""
    more = {"if": rule.elsewhere, "from": rule.effective_from, "until": rule.effective_to}
    return " › ".join(
        filter(None, (rule.section, rule.words, *(f"{name}: {one}" for name, one in more.items() if one)))
    )


def parse_judgements(text: str, pairs: Sequence[Pair]) -> tuple[list[Pair], Counter[str]]:
    """Read a reply on numbered pairs: those that rule the same; a number that comes twice is not believed."""
    lines = [line for line in map(normalise_text, text.splitlines()) if line]
    judged = [(int(found[1]), found[2]) for found in map(_LINE.fullmatch, lines) if found]
    if not judged:
        raise UnusableReply("no line of the reply judges a pair")
    named = Counter(number for number, _ in judged)
    asked = [one for one in judged if named[one[0]] == 1 and 0 < one[0] <= len(pairs)]
    rejected = {"lines of no form, pair or twice": len(lines) - len(asked), "pairs not judged": len(pairs) - len(asked)}
    return [pairs[number - 1] for number, same in asked if same], +Counter(rejected)
