"""What the tables share: their metadata, the corpus that a row belongs to, the epochs at which it is visible."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, MetaData

OPEN = 2**63 - 1  # until, of a row that no epoch has closed

metadata = MetaData()


def corpus_id() -> Column[int]:
    """The corpus of a row: it goes with it."""
    return Column("corpus_id", ForeignKey("corpora.id", ondelete="CASCADE"), nullable=False)


def interval() -> list[Column[int]]:
    """The epochs ``[since, until)`` at which a row is visible."""
    return [Column("since", BigInteger, nullable=False), Column("until", BigInteger, nullable=False)]
