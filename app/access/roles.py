"""Who asks, and what that lets them do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What somebody may do; each may all that the ones before it may."""

    READER = "reader"
    CURATOR = "curator"
    ADMIN = "admin"

    @property
    def person(self) -> str:
        """Somebody who has it: "a reader", "an admin"."""
        return f"{'an' if self.value[0] in 'aeiou' else 'a'} {self.value}"

    def covers(self, needed: Role) -> bool:
        """Whether whoever has this role may do what needs the other."""
        order = list(Role)
        return order.index(self) >= order.index(needed)


@dataclass(frozen=True, slots=True)
class Principal:
    """Whoever a token was given to: its name, its role, and the corpora it is bound to (None: every one).

    ``token`` is the token's id, which is no secret.
    """

    name: str
    role: Role
    corpora: frozenset[str] | None
    token: str

    def may(self, needed: str) -> bool:
        """Whether their role covers one, by its name."""
        return self.role.covers(Role(needed))

    def may_see_run(self, corpus: str | None) -> bool:
        """Whether an evaluation is theirs to see: of one of their corpora; of none, where they are bound to none."""
        return self.corpora is None if corpus is None else self.may_see(corpus)

    def may_see(self, corpus: str) -> bool:
        """Whether a corpus, by its stored name, is one of theirs."""
        return self.corpora is None or corpus in self.corpora
