"""The reader that asks a language model: elements shown, one JSON reply, and code that decides what it is worth."""
