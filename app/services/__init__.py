"""Use cases: a workspace and plain values in, JSON values out; they print nothing.

Every one raises ``NotFoundError`` for a corpus, epoch, page, entity, fact or run that is not there, and ``InputError``
for a name that several answer to. Docstrings name other errors only.
"""
