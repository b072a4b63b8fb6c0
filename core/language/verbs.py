"""Forms of English verbs: a form to its base, a base to its third person and its -ing form.

Verbs are those of the word lists, with regular endings for the rest.
"""

from __future__ import annotations

from clausegraph.core.language import words

_IRREGULAR_THIRD = {"be": "is", "have": "has", "do": "does", "go": "goes"}
_IRREGULAR_PARTICIPLES = {
    "be": "been",
    "become": "become",
    "begin": "begun",
    "break": "broken",
    "bring": "brought",
    "build": "built",
    "buy": "bought",
    "choose": "chosen",
    "come": "come",
    "do": "done",
    "draw": "drawn",
    "drive": "driven",
    "fall": "fallen",
    "find": "found",
    "get": "got",
    "give": "given",
    "go": "gone",
    "grow": "grown",
    "have": "had",
    "hear": "heard",
    "hold": "held",
    "keep": "kept",
    "know": "known",
    "lead": "led",
    "leave": "left",
    "lend": "lent",
    "lose": "lost",
    "make": "made",
    "mean": "meant",
    "meet": "met",
    "pay": "paid",
    "put": "put",
    "rise": "risen",
    "run": "run",
    "say": "said",
    "see": "seen",
    "sell": "sold",
    "send": "sent",
    "set": "set",
    "show": "shown",
    "sit": "sat",
    "speak": "spoken",
    "spend": "spent",
    "stand": "stood",
    "take": "taken",
    "teach": "taught",
    "tell": "told",
    "think": "thought",
    "understand": "understood",
    "wear": "worn",
    "win": "won",
    "write": "written",
    "cut": "cut",
    "hit": "hit",
    "hurt": "hurt",
    "split": "split",
    "let": "let",
}
_MODALS = words.word_set("can cannot could may might must shall should will would")
_VOWELS = "aeiou"
# Verbs beside those of the word lists of conditions.
_MORE = words.word_set(
    "accompany access achieve acknowledge acquire address advertise advise aim allocate amend announce approve"
    " argue arrest assist associate assume attach authenticate award backdate ballot ban base borrow breastfeed"
    " certify challenge clear combine compare compensate complain concern conduct confiscate consult contest copy"
    " correct damage define delete demand deposit describe design destroy detain determine develop differ disclose"
    " discharge discuss dismiss display dispose dispute dissolve donate draw edit elect email emigrate employ empty"
    " enable enclose encourage enforce enquire equal establish estimate evict exchange exclude exempt exercise export"
    " feel file fine fit fund gain gather grant guarantee guide handle happen help highlight hold identify ignore imply"
    " import impose improve indicate influence injure inspect install instruct insure interpret interview introduce"
    " invest investigate invite invoice issue itemise justify label last launch lease legalise levy list load lodge"
    " log maintain mark mediate mention modify monitor negotiate nominate note notice number obey observe opt ought"
    " outline overlook overpay oversee perform permit persuade post postpone prefer preserve press prevent print"
    " proceed process prohibit propose prosecute pursue qualify question quote range reach reapply reassess receive"
    " recognise recommend reconsider reduce refer refuse regard regulate reinstate release relieve rely remind"
    " renounce request rescue resell reserve resolve respect respond resume retain retake revalue reveal revoke ride"
    " sack satisfy scan schedule search secure seek select separate set settle share ship signal solve specify start"
    " store strip submit substitute succeed sue suit summarise supervise surrender suspend take terminate testify"
    " total tow trace translate transmit trigger trust underpay undertake update upgrade upload value vary verify"
    " volunteer vote warn weigh welcome withdraw withhold witness worry"
)


_ALL = words.BASE_VERBS | _MORE


def _doubled(base: str) -> str:
    return base + base[-1] if base in words.DOUBLED else base


def third_person(base: str) -> str:
    """ "pay" to "pays", "be" to "is"; a modal stays."""
    if base in _IRREGULAR_THIRD or base in _MODALS:
        return _IRREGULAR_THIRD.get(base, base)
    if base.endswith("y") and base[-2:-1] not in tuple(_VOWELS):
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")


def gerund(base: str) -> str:
    """ "pay" to "paying", "make" to "making", "be" to "being"."""
    if base in ("be", "see", "agree", "disagree", "free"):
        return base + "ing"
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e"):
        return base[:-1] + "ing"
    if base in ("get", "put", "run", "sit", "set", "win", "cut", "hit", "let", "begin"):
        return base + base[-1] + "ing"
    return _doubled(base) + "ing"


def participle(base: str) -> str:
    """ "pay" to "paid", "stop" to "stopped"."""
    if base in _IRREGULAR_PARTICIPLES:
        return _IRREGULAR_PARTICIPLES[base]
    if base.endswith("y") and base[-2:-1] not in tuple(_VOWELS):
        return base[:-1] + "ied"
    return base + "d" if base.endswith("e") else _doubled(base) + "ed"


def _by_form() -> dict[str, str]:
    """Every form of the known verbs with its base; a form that is itself a base stays."""
    found: dict[str, str] = {}
    for base in sorted(_ALL):
        for form in sorted(words.forms(base)):
            found.setdefault(form, base)
        found.setdefault(participle(base), base)
        found.setdefault(gerund(base), base)
        found.setdefault(third_person(base), base)
    return found | {base: base for base in _ALL}


_BASES = _by_form()
_THIRD = {third_person(base): base for base in sorted(_ALL)}
_GERUNDS = {gerund(base): base for base in sorted(_ALL)}


def is_base(word: str) -> bool:
    """Whether a word is the base of a known verb."""
    return word in _ALL


def base_form(form: str) -> str | None:
    """The base of a verb form; none of a word that is no known verb."""
    return _BASES.get(form)


def base_of_third_person(form: str) -> str | None:
    """The base of a third person form of a known verb."""
    return _THIRD.get(form)


NOUNS_IN_ING = words.word_set(  # things, though verbs end so
    "planning driving training parking housing fishing working building funding supporting missing clothing"
)


def base_of_gerund(form: str) -> str | None:
    """The base of an -ing form of a known verb."""
    return _GERUNDS.get(form)
