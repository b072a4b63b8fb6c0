"""``python -m clausegraph`` is the command."""

from clausegraph import main

main()
