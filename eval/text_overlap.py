"""Token F1 between two texts, as the SQuAD evaluation defines it.

Source: Rajpurkar et al., "SQuAD: 100,000+ Questions for Machine Comprehension of Text", 2016.
"""

from __future__ import annotations

import re
import string
from collections import Counter

_DROP_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")


def normalise_answer(text: str) -> str:
    """Lower the case, drop ASCII punctuation, then English articles, then extra whitespace.

    The order matters: ``a-n`` becomes ``an`` and is then dropped.
    """
    bare = text.lower().translate(_DROP_PUNCTUATION)
    return " ".join(_ARTICLE.sub(" ", bare).split())


def token_f1(first: str, second: str) -> float:
    """Return the F1 of the two bags of tokens of the normalised texts, 0 to 1; symmetric.

    Where a text has no token left, the score is 1 if both have none and 0 otherwise.
    """
    ours = Counter(normalise_answer(first).split())
    theirs = Counter(normalise_answer(second).split())
    if not ours or not theirs:
        return float(ours == theirs)
    return 2.0 * (ours & theirs).total() / (ours.total() + theirs.total())
