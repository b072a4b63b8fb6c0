"""Where sentences and their clauses begin and end, and where "and" and "or" join conditions. By rules."""

from __future__ import annotations

import re

from clausegraph.core.language import lexicon
from clausegraph.core.language.lexicon import WordTable

_TABLE = WordTable(__file__)

# A possible end: closing mark, optional closing quotes or brackets, white space, something that may start a sentence.
_CANDIDATE = re.compile(r"([.!?…])[\"'”’)\]]*(\s+)(?=[\"'“‘(\[]*[A-Z0-9£$€])")
_OPENING = "\"'“‘(["
_NEXT_WORD = re.compile(r"[\"'“‘(\[]*([A-Za-z’']+)?")
_NEVER_LAST = lexicon.word_set("e.g i.e eg ie cf viz mr mrs ms dr prof rev hon st vs v messrs mx sgt capt")
_BEFORE_NUMBER = _TABLE.words("before_number")
_STARTERS = _TABLE.words("starters")
_CLAUSE_NUMBER = _TABLE.pattern("clause_number")
_COMMA = re.compile(r",\s+(?=\S)")
_CONTINUES = _TABLE.words("continues")
_SUBJECT_VERB = _TABLE.pattern("subject_verb")
_SUBJECT_AHEAD = _TABLE.pattern("subject_ahead")
_NOT_BEFORE_SUBJECT = _TABLE.words("not_before_subject").union(
    lexicon.DETERMINERS, lexicon.PREPOSITIONS, lexicon.RELATIVES, lexicon.AUXILIARIES, lexicon.CONTRACTED
)
NEXT_CLAUSE = _TABLE.pattern("next_clause")
OPENER = _TABLE.pattern("opener")
_NO_CLAUSE_END = _TABLE.pattern("no_clause_end")
_CUT_OFF = _TABLE.pattern("cut_off")
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*|\d[\d,.]*|[£$€]\S+|[,;:()]")
_CONJUNCTION = re.compile(r"(?:,\s*|;\s*|\s)(and|or|but)\s+(?:also\s+|then\s+|either\s+|both\s+)?", re.IGNORECASE)
_OBJECT_STARTS = (
    lexicon.DETERMINERS | lexicon.PREPOSITIONS | lexicon.PRONOUNS | {"more", "less", "not", "at", "here", "abroad"}
)
_ADVERBS = _TABLE.words("adverbs")
_INFINITIVE = _TABLE.pattern("infinitive")
_JOINED_NOUNS = re.compile(r"\b(?:and|or)\s+(?:the|an?|your|their)\s+\w+$", re.IGNORECASE)
_HAVE_OR_BE = lexicon.word_set("is are was were be you're they're it's have has")
_BEFORE_PARTICIPLE = lexicon.word_set("has have had been was were is are")
_CHANGES = lexicon.word_set("changes stops starts ends moves works pays leaves stays claims")
_JOINTS = ("and", "or", "but", "for example", "though")
_REACH = 9  # words of a noun phrase before its verb


def after_number(text: str) -> int:
    """Where a text begins behind the number of its clause ("2.1", "(a)"); 0 where it has none."""
    found = _CLAUSE_NUMBER.match(text)
    return found.end() if found else 0


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Offsets ``[start, end)`` of the sentences of ``text``, in order, without surrounding white space.

    Every character that is not white space is in exactly one sentence. A full stop after an abbreviation ("e.g.",
    "Mr.", "No. 5", "U.K."), inside a number or an address ("£15,000.01", "gov.uk") or after a list number at the
    start of a sentence ends nothing.
    """
    spans: list[tuple[int, int]] = []
    start = len(text) - len(text.lstrip())
    for match in _CANDIDATE.finditer(text):
        if match.start(1) >= start and _ends(text, start, match):
            spans.append((start, match.start(2)))
            start = match.end()
    end = len(text.rstrip())
    if end > start:
        spans.append((start, end))
    return spans


def _ends(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether a candidate really ends the sentence that began at ``start``."""
    if match.group(1) != ".":
        return True
    begins = _word_start(text, start, match.start(1))
    word = text[begins : match.start(1)].lstrip(_OPENING)
    following = _NEXT_WORD.match(text, match.end())
    next_word = (following.group(1) or "") if following else ""
    key = word.lower()
    if key in _NEVER_LAST:
        return False
    if key in _BEFORE_NUMBER and not next_word:
        return False
    if begins == start and _numbers_item(key):
        return False
    initials = all(len(letter) == 1 and letter.isalpha() for letter in word.split("."))  # U.K, a.m, J
    return next_word.lower() in _STARTERS if initials else True


def _numbers_item(word: str) -> bool:
    """Whether a word counts items of a list: "12", "b", "iv"."""
    is_letter = len(word) == 1 and word.isascii() and word.isalpha()
    is_roman = 0 < len(word) < 5 and set(word) <= set("ivx")
    return is_letter or is_roman or (word.isdigit() and len(word) < 4)


def _word_start(text: str, start: int, end: int) -> int:
    """Where the word that ends at ``end`` begins, not before ``start``; linear however long the sentence is."""
    while end > start and not text[end - 1].isspace():
        end -= 1
    return end


def main_clause_start(text: str, start: int, end: int) -> int:
    """Where the main clause starts after a fronted clause that starts at ``start``; ``end`` if there is none."""
    commas = [match for match in _COMMA.finditer(text, start, end) if not _in_brackets(text, start, match.start())]
    for match in commas:
        if _starts_main(text[match.end() : end], text[start : match.start()]):
            return match.end()
    unmarked = text.find(" then the ", start, end) + 1 or _unmarked_main(text, start, end)
    if unmarked is not None:
        return unmarked
    plausible = [match for match in commas if _first_word(text[match.end() : end]) not in _CONTINUES]
    if plausible:
        return plausible[-1].end()
    return end if text[start:end].rstrip().endswith(":") else subject_ahead(text, start, end, end)


def subject_ahead(text: str, start: int, end: int, otherwise: int) -> int:
    """Where the first subject with its verb starts behind a phrase or clause that no comma sets off."""
    for match in _SUBJECT_AHEAD.finditer(text, start, end):
        before = text[start : match.start()].lower().split()
        if len(before) > 1 and before[-1] not in _NOT_BEFORE_SUBJECT:
            return match.end()
    return otherwise


def _unmarked_main(text: str, start: int, end: int) -> int | None:
    """Where a main clause starts that no comma sets off: "If you are under 18 you cannot …"."""
    for match in _SUBJECT_VERB.finditer(text, start + 4, end):
        if not _NO_CLAUSE_END.search(text, start, match.start()) and len(text[start : match.start()].split()) > 1:
            return match.end()
    return None


def next_clause(text: str, start: int, end: int) -> int:
    """Where the next main clause of the sentence starts after ``start``; ``end`` if there is none."""
    for match in NEXT_CLAUSE.finditer(text, start, end):
        if not _in_brackets(text, start, match.start()):
            return match.start()
    return end


def _starts_main(rest: str, before: str) -> bool:
    """Whether what follows a comma reads like a main clause: a subject and verb, or an imperative."""
    tokens = [word.lower() for word in lexicon.WORD.findall(rest)[:14]]
    if not tokens or (tokens[0] in _CONTINUES and tokens[1:2] != ["of"]):
        return False
    first = tokens[0]
    if first == "then" or first in lexicon.CONTRACTED or first in lexicon.PRONOUNS:
        return True
    if first in lexicon.IMPERATIVES and "," not in before:
        return True
    if first in lexicon.DETERMINERS or rest[:1].isupper():
        return any(token in lexicon.AUXILIARIES or token in lexicon.VERB_FORMS for token in tokens[1:12])
    if first in lexicon.IMPERATIVES:
        return not re.search(r",[^,]*\b(?:and|or)\b", rest)
    return any(token in lexicon.AUXILIARIES for token in tokens[1:8]) and not re.search(
        r"\b(?:and|or)\b", " ".join(tokens[:6])
    )


def trailing_end(text: str, start: int, end: int, fronted: bool) -> int:
    """Where the clause that starts at ``start`` ends at the latest ``end``: brackets, dashes, a new main clause."""
    depth = 0
    for position in range(start, end):
        if text[position] == "(":
            depth += 1
        elif text[position] == ")":
            depth -= 1
            if depth < 0:
                return position
    if fronted:
        return end
    for match in _CUT_OFF.finditer(text, start, end):
        if not _in_brackets(text, start, match.start()) and match.start() > start + 3:
            return match.start()
    return end


def _first_word(text: str) -> str:
    match = lexicon.WORD.match(text)
    return match[0].lower() if match else ""


def _in_brackets(text: str, start: int, position: int) -> bool:
    return text.count("(", start, position) > text.count(")", start, position)


def conjuncts(text: str, start: int, end: int) -> tuple[list[tuple[int, int]], list[str]]:
    """The pieces of ``text[start:end]`` that conjunctions part, and the operator between each two, "all" or "any"."""
    cuts = _cuts(text, start, end)
    bounds = [start, *(bound for cut_start, cut_end, _ in cuts for bound in (cut_start, cut_end)), end]
    pieces = [trim(text, *bounds[at : at + 2]) for at in range(0, len(bounds), 2)]
    if any(start >= end for start, end in pieces):  # "or or can": nothing stands between two conjunctions
        return [trim(text, start, end)], []
    return pieces, [operator for *_, operator in cuts]


def _cuts(text: str, start: int, end: int) -> list[tuple[int, int, str]]:
    """Where conjuncts part: (start, end, operator); a comma takes the operator of the conjunction after it."""
    found: list[tuple[int, int, str]] = []
    for match in _CONJUNCTION.finditer(text, start, end):
        if _in_brackets(text, start, match.start()):
            continue
        before, after = text[start : match.start()], text[match.end() : end]
        pair = f"{before[-3:]}{match[0]}{after[:4]}".lower().endswith((" he or she ", " she or he "))
        if match.start() > start and not pair and starts_predicate(after, before):
            found.append((match.start(), match.end(), "any" if match[1].lower() == "or" else "all"))
    commas = []
    for match in _COMMA.finditer(text, start, end):
        later = [cut for cut in found if cut[0] > match.start()]
        if not later or _in_brackets(text, start, match.start()):
            continue
        piece = text[match.end() : later[0][0]]
        if starts_predicate(piece, text[start : match.start()]) and not _CONJUNCTION.match(text, match.start()):
            commas.append((match.start(), match.end(), later[0][2]))
    return sorted(found + commas)


def starts_predicate(after: str, before: str = "") -> bool:
    """Whether a conjunct has a finite verb of its own; ``before`` is what it would be split from."""
    tokens = [word.lower() for word in _WORD.findall(after)[: _REACH + 4]]
    while tokens and tokens[0] in _ADVERBS and tokens[0] != "not":
        tokens = tokens[1:]
    first = tokens[0] if tokens else ""
    if first in lexicon.CONTRACTED or (first in lexicon.PRONOUNS and has_verb(tokens[1:5])):
        return True
    if first in lexicon.DETERMINERS or after.lstrip()[:1].isupper():
        return _noun_phrase_then_verb(tokens)
    if first in lexicon.AUXILIARIES:
        return not _in_relative_clause(before) and (
            first != "not" or not _HAVE_OR_BE.isdisjoint(lexicon.WORD.findall(before))
        )
    if first in lexicon.VERB_FORMS and not first.endswith("ing"):
        return _is_verb_here(tokens, before)
    return not _JOINED_NOUNS.search(before) and _noun_phrase_then_verb(tokens)


def has_verb(tokens: list[str]) -> bool:
    """Whether any of the tokens is an auxiliary or a verb form."""
    return any(token in lexicon.AUXILIARIES or token in lexicon.VERB_FORMS for token in tokens)


def _is_verb_here(tokens: list[str], before: str) -> bool:
    """A word that may be a noun counts as a verb only before something a verb takes."""
    if _in_relative_clause(before) or len(before.split()) < 3:
        return False
    first, following = tokens[0], tokens[1] if len(tokens) > 1 else ""
    if first in lexicon.BASE_VERBS and _INFINITIVE.search(before):
        return False
    if first in lexicon.NOUN_VERB_FORMS:
        return following in _OBJECT_STARTS and following != "of"
    if first in lexicon.PARTICIPLES and following in ("by", "in", "on", "for", "from", "with", "of"):
        return not _BEFORE_PARTICIPLE.isdisjoint(lexicon.WORD.findall(before))
    return True


def _noun_phrase_then_verb(tokens: list[str]) -> bool:
    """A noun phrase, then a finite verb, before any relative pronoun, comma or further conjunction."""
    for position, word in enumerate(tokens[:_REACH]):
        if position == 0:
            continue
        if word in lexicon.RELATIVES or word in ("and", "or", "but", "if", "when", "to", ",", ":", "(", ";"):
            return False
        if word in lexicon.AUXILIARIES and word != "not":
            return True
        if word in lexicon.THIRD_PERSON or word in lexicon.PURE_PASTS or (position > 1 and word in _CHANGES):
            return True
    return False


def _in_relative_clause(before: str) -> bool:
    """Whether the last clause before is a relative one, whose second verb would belong to it."""
    return bool(re.search(r"\b\w+ (?:who|which|whose)(?:'s|'ve|'re)?\b(?!.*\b(?:and|or)\b)", before))


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Shrink a span past spaces, punctuation and a trailing "and", "or" or "but"."""
    while True:
        before = (start, end)
        while start < end and text[start] in " ,;:.-\t\n":
            start += 1
        while end > start and text[end - 1] in " ,;:.-?!(\t\n":
            end -= 1
        for joint in _JOINTS:
            if text[start:end].endswith(joint) and (
                end - len(joint) == start or text[end - len(joint) - 1] in " \t\n,;"
            ):
                end -= len(joint)
        if (start, end) == before:
            return start, end
