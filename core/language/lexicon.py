"""The lexicon: words of English by class, numbers, months, denials, and verbs with their forms."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a text written as a table row."""
    return frozenset(text.split())


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
_BASES = (
    "accept add adopt agree allow apply arrange arrive ask attend avoid be become begin believe belong bring build"
    " buy calculate cancel carry choose close collect come commit complete confirm consider contain continue convict"
    " create decide declare deliver depend die disagree download drive earn employ end enrol ensure enter exist"
    " expect expire explain extend fail fill find finish fit follow form get give go grow happen have hear hire hold"
    " import include increase inform inherit intend join keep know lead learn leave let live look lose make manage"
    " marry mean meet miss move notify obtain occur open operate own park pay prepare print produce protect prove"
    " provide qualify read reach receive refuse register reject remain remove renew repay replace report represent"
    " require reside resign rest run say see sell send serve sign sit speak spend split stay stop submit suffer"
    " suggest take teach tell think travel try understand wait want wear write speak keep satisfy appear die"
    " exceed involve relate arise apply adopt foster breach object break owe retire separate divorce"
    " rise reduce raise vary decrease lend win stand treat assess consist publish deduct reclaim refund affect lower"
    " prevent recover restore assign appoint authorise recognise organise practise process transport"
)
_NOUN_VERBS = (
    "act appeal answer benefit book call care cause change charge check claim contact contract cost count cover deal"
    " delay email end fall file fish hand help hire increase land lead leave let limit match move name need offer"
    " order part park pass pay place plan play post present promise question rate record release rent repair reply"
    " report request rest return review run sale score share show sign sort start state stay stop study supply"
    " support switch talk tax test time trade train transfer travel turn use view visit watch wear wish work"
)
_IRREGULAR_FORMS = {
    "be": "is are was were been being am",
    "become": "became becoming becomes",
    "begin": "began begun beginning begins",
    "break": "broke broken breaks breaking",
    "bring": "brought brings bringing",
    "build": "built builds building",
    "buy": "bought buys buying",
    "choose": "chose chosen chooses choosing",
    "come": "came comes coming",
    "deal": "dealt deals dealing",
    "do": "does did done doing",
    "drive": "drove driven drives driving",
    "fall": "fell fallen falls falling",
    "find": "found finds finding",
    "get": "got gets getting",
    "give": "gave given gives giving",
    "go": "went gone goes going",
    "grow": "grew grown grows growing",
    "have": "has had having",
    "hear": "heard hears hearing",
    "hold": "held holds holding",
    "keep": "kept keeps keeping",
    "know": "knew known knows knowing",
    "lead": "led leads leading",
    "leave": "left leaves leaving",
    "lose": "lost loses losing",
    "make": "made makes making",
    "mean": "meant means meaning",
    "meet": "met meets meeting",
    "pay": "paid pays paying",
    "put": "put puts putting",
    "rise": "rose risen rises rising",
    "win": "won wins winning",
    "stand": "stood stands standing",
    "lend": "lent lends lending",
    "run": "ran runs running",
    "say": "said says saying",
    "see": "saw seen sees seeing",
    "sell": "sold sells selling",
    "send": "sent sends sending",
    "sit": "sat sits sitting",
    "speak": "spoke spoken speaks speaking",
    "spend": "spent spends spending",
    "take": "took taken takes taking",
    "teach": "taught teaches teaching",
    "tell": "told tells telling",
    "think": "thought thinks thinking",
    "understand": "understood understands understanding",
    "wear": "wore worn wears wearing",
    "write": "wrote written writes writing",
}
DOUBLED = word_set("stop plan ban fit submit refer commit occur permit travel cancel enrol split drop let transfer")


def forms(base: str) -> set[str]:
    """Base, third person, past and -ing of a verb."""
    if base in _IRREGULAR_FORMS:
        return {base, *_IRREGULAR_FORMS[base].split()}
    if base.endswith("y") and base[-2] not in "aeiou":
        return {base, base[:-1] + "ies", base[:-1] + "ied", base + "ing"}
    stem = base + base[-1] if base in DOUBLED else base
    if base.endswith("e"):
        return {base, base + "s", base + "d", base[:-1] + "ing"}
    third = base + ("es" if base.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")
    return {base, third, stem + "ed", stem + "ing"}


PURE_PASTS = word_set(
    "gave took went came became began chose broke drove fell knew wrote ran rose saw got wore spoke grew"
)
NOUN_VERBS = frozenset(_NOUN_VERBS.split())
BASE_VERBS = frozenset(_BASES.split()) | NOUN_VERBS | set(_IRREGULAR_FORMS)
VERB_FORMS = frozenset(form for base in BASE_VERBS for form in forms(base)) - {"being", "been", "land", "lands"}
NOUN_VERB_FORMS = frozenset(form for base in NOUN_VERBS for form in forms(base) if not form.endswith("ed")) | word_set(
    "form forms object objects separate foster"
)
THIRD_PERSON = frozenset(
    form for form in VERB_FORMS if form.endswith("s") and form not in BASE_VERBS and form not in NOUN_VERB_FORMS
)
PARTICIPLES = frozenset(form for form in VERB_FORMS if form.endswith(("ing", "ed", "en", "wn"))) | word_set(
    "made paid sent kept held found told built bought sold lost left got won done begun run put"
)
IMPERATIVES = BASE_VERBS - {"be", "need", "have", "mean", "die", "part", "end", "land", "rest", "sale"} | {
    "do",
    "always",
    "never",
    "please",
}


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
_MODALS = word_set("can cannot could may might must shall should will would")
_VOWELS = "aeiou"
# Verbs beside those of the word lists of conditions.
_MORE = word_set(
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


_ALL = BASE_VERBS | _MORE


def _doubled(base: str) -> str:
    return base + base[-1] if base in DOUBLED else base


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
        for form in sorted(forms(base)):
            found.setdefault(form, base)
        found.setdefault(participle(base), base)
        found.setdefault(gerund(base), base)
        found.setdefault(third_person(base), base)
    return found | {base: base for base in _ALL}


_BASE_OF_FORM = _by_form()
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


NOUNS_IN_ING = word_set(  # things, though verbs end so
    "planning driving training parking housing fishing working building funding supporting missing clothing"
)


def base_of_gerund(form: str) -> str | None:
    """The base of an -ing form of a known verb."""
    return _GERUNDS.get(form)
