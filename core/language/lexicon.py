"""The lexicon: words of English by class, numbers, months, denials, and verbs with their forms."""

from __future__ import annotations

import re


def word_set(text: str) -> frozenset[str]:
    """The words of a text written as a table row."""
    return frozenset(text.split())


WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")  # of letters, with its apostrophes and hyphens


def phrases(text: str) -> re.Pattern[str]:
    """A pattern that finds any of the phrases of "a|b c" as whole words, in upper or lower case."""
    return re.compile(rf"\b(?:{text})\b", re.IGNORECASE)


NUMBERS = {  # spelled, with their value
    word: number
    for number, word in enumerate(
        (
            *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
            *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
        )
    )
} | {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50}
MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
MONTH = "(?:" + "|".join(name.capitalize() for name in MONTHS) + ")"  # as a pattern
SHORT_MONTHS = tuple(name[:3] for name in MONTHS)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
PLACES = frozenset(
    (
        *("England", "Scotland", "Wales", "Northern Ireland", "Ireland", "Great Britain", "UK", "United Kingdom", "EU"),
        *("EEA", "European Union", "European Economic Area", "Switzerland", "Isle of Man", "Channel Islands", "London"),
    )
)
DENIALS = word_set("not no never none neither nor cannot")
DENIAL = "(?:not|never|no longer)"  # as a pattern, behind an auxiliary
AUXILIARIES = word_set(
    "is are was were am be been has have had do does did can cannot could may might must shall should will would"
    " need needs isn't aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't can't couldn't mustn't"
    " shouldn't won't wouldn't needn't not"
)
PRONOUNS = word_set(
    "i you he she it we they there this that these those nobody anyone someone everyone anybody somebody everybody"
    " one both either neither neither"
)
CONTRACTED = word_set(  # subject and verb in one word
    "i'm you're he's she's it's we're they're you've we've they've i've you'll we'll they'll it'll he'll she'll"
    " you'd we'd they'd there's that's who's"
)
DETERMINERS = word_set(
    "a an the your his her its our their my this that these those any each every some no most all another other"
    " both either neither"
)
RELATIVES = word_set("who which whose whom that")
PREPOSITIONS = word_set(
    "about above after against along among around as at before behind below between beyond by during for from in"
    " inside into near of off on onto out outside over past since through throughout to towards under until up"
    " upon with within without"
)
# Verbs of policy pages in their base form. Most English verbs are nouns too: those are in NOUN_VERBS.
_VERBS = word_set(
    "accept add adopt affect agree allow appear apply appoint arise arrange arrive ask assess assign attend authorise"
    " avoid be become begin believe belong breach break bring build buy calculate cancel carry choose close collect"
    " come commit complete confirm consider consist contain continue convict create decide declare decrease deduct"
    " deliver depend die disagree divorce do download drive earn employ enrol ensure enter exceed exist expect expire"
    " explain extend fail fill find finish fit follow form foster get give go grow happen have hear hold import"
    " include inform inherit intend involve join keep know learn lend live look lose lower make manage marry mean meet"
    " miss notify object obtain occur open operate organise owe own practise prepare prevent print process produce"
    " protect prove provide publish put qualify raise reach read receive reclaim recognise recover reduce refund"
    " refuse register reject relate remain remove renew repay replace represent require reside resign restore retire"
    " rise satisfy say see sell send separate serve sit speak spend split stand submit suffer suggest take teach tell"
    " think transport treat try understand vary wait want win write"
)
NOUN_VERBS = word_set(
    "act answer appeal benefit book call care cause change charge check claim contact contract cost count cover deal"
    " delay email end fall file fish hand help hire increase land lead leave let limit match move name need offer"
    " order park part pass pay place plan play post present promise question rate record release rent repair reply"
    " report request rest return review run sale score share show sign sort start state stay stop study supply support"
    " switch talk tax test time trade train transfer travel turn use view visit watch wear wish work"
)
# Those beside them that the rules of conditions do not look for.
_MORE_VERBS = word_set(
    "access accompany achieve acknowledge acquire address advertise advise aim allocate amend announce approve argue"
    " arrest assist associate assume attach authenticate award backdate ballot ban base borrow breastfeed certify"
    " challenge clear combine compare compensate complain concern conduct confiscate consult contest copy correct"
    " damage define delete demand deposit describe design destroy detain determine develop differ discharge disclose"
    " discuss dismiss display dispose dispute dissolve donate draw edit elect emigrate empty enable enclose encourage"
    " enforce enquire equal establish estimate evict exchange exclude exempt exercise export feel fine fund gain"
    " gather grant guarantee guide handle highlight identify ignore imply impose improve indicate influence injure"
    " inspect install instruct insure interpret interview introduce invest investigate invite invoice issue itemise"
    " justify label last launch lease legalise levy list load lodge log maintain mark mediate mention modify monitor"
    " negotiate nominate note notice number obey observe opt ought outline overlook overpay oversee perform permit"
    " persuade postpone prefer preserve press proceed prohibit propose prosecute pursue quote range reapply reassess"
    " recommend reconsider refer regard regulate reinstate relieve rely remind renounce rescue resell reserve resolve"
    " respect respond resume retain retake revalue reveal revoke ride sack scan schedule search secure seek select set"
    " settle ship signal solve specify store strip substitute succeed sue suit summarise supervise surrender suspend"
    " terminate testify total tow trace translate transmit trigger trust underpay undertake update upgrade upload"
    " value verify volunteer vote warn weigh welcome withdraw withhold witness worry"
)
_PASTS = (  # base, past and participle
    "be was been are were am, become became become, begin began begun, break broke broken, bring brought brought,"
    " build built built, buy bought bought, choose chose chosen, come came come, cut cut cut, deal dealt dealt, do did"
    " done, draw drew drawn, drive drove driven, fall fell fallen, find found found, get got got, give gave given, go"
    " went gone, grow grew grown, have had had, hear heard heard, hit hit hit, hold held held, hurt hurt hurt, keep"
    " kept kept, know knew known, lead led led, leave left left, lend lent lent, let let let, lose lost lost, make"
    " made made, mean meant meant, meet met met, pay paid paid, put put put, rise rose risen, run ran run, say said"
    " said, see saw seen, sell sold sold, send sent sent, set set set, show showed shown, sit sat sat, speak spoke"
    " spoken, spend spent spent, split split split, stand stood stood, take took taken, teach taught taught, tell told"
    " told, think thought thought, understand understood understood, wear wore worn, win won won, write wrote written"
)
_IRREGULAR = {base: tuple(pasts) for base, *pasts in map(str.split, _PASTS.split(","))}
_DOUBLED = word_set(
    "ban begin cancel commit cut drop enrol fit get hit let occur permit plan put refer run set sit split stop submit"
    " transfer travel win"
)
_IRREGULAR_THIRD = {"be": "is", "have": "has", "do": "does", "go": "goes"}
_MODALS = word_set("can cannot could may might must shall should will would")


def third_person(base: str) -> str:
    """ "pay" to "pays", "be" to "is"; a modal stays."""
    if base in _IRREGULAR_THIRD or base in _MODALS:
        return _IRREGULAR_THIRD.get(base, base)
    if base.endswith("y") and base[-2:-1] not in tuple("aeiou"):
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
    return base + (base[-1] if base in _DOUBLED else "") + "ing"


def forms(base: str) -> set[str]:
    """Base, third person, past, participle and -ing form of a verb."""
    if base in _IRREGULAR:
        past = _IRREGULAR[base]
    elif base.endswith("y") and base[-2:-1] not in tuple("aeiou"):
        past = (base[:-1] + "ied",)
    else:
        past = (base + ("d" if base.endswith("e") else (base[-1] if base in _DOUBLED else "") + "ed"),)
    return {base, third_person(base), gerund(base), *past}


PURE_PASTS = word_set(
    "gave took went came became began chose broke drove fell knew wrote ran rose saw got wore spoke grew"
)
BASE_VERBS = _VERBS | NOUN_VERBS
_ALL = BASE_VERBS | _MORE_VERBS
VERB_FORMS = frozenset(form for base in BASE_VERBS for form in forms(base)) - word_set("being been land lands shown")
_NOUN_FORMS = {form for base in NOUN_VERBS for form in forms(base) & VERB_FORMS if not form.endswith("ed")}
NOUN_VERB_FORMS = _NOUN_FORMS | word_set("form forms object objects separate foster land lands")
THIRD_PERSON = frozenset(
    form for form in VERB_FORMS if form.endswith("s") and form not in BASE_VERBS and form not in NOUN_VERB_FORMS
)
PARTICIPLES = frozenset(form for form in VERB_FORMS if form.endswith(("ing", "ed", "en", "wn"))) | word_set(
    "made paid sent kept held found told built bought sold lost left got won done begun run put"
)
IMPERATIVES = BASE_VERBS - word_set("be need have mean die part end land rest sale") | word_set(
    "do always never please"
)


NOUNS_IN_ING = word_set(  # things, though verbs end so
    "planning driving training parking housing fishing working building funding supporting missing clothing"
)
_BASE_OF_FORM = {form: base for base in sorted(_ALL, reverse=True) for form in forms(base)} | {b: b for b in _ALL}
_THIRD = {third_person(base): base for base in sorted(_ALL)}
_GERUNDS = {gerund(base): base for base in sorted(_ALL)}


def is_base(word: str) -> bool:
    """Whether a word is the base of a known verb."""
    return word in _ALL


def base_form(form: str) -> str | None:
    """The base of a verb form; none of a word that is no known verb."""
    return _BASE_OF_FORM.get(form)


def base_of_third_person(form: str) -> str | None:
    """The base of a third person form of a known verb."""
    return _THIRD.get(form)


def base_of_gerund(form: str) -> str | None:
    """The base of an -ing form of a known verb."""
    return _GERUNDS.get(form)
