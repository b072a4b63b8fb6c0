"""ConditionalQA: its files, its prediction format and its scorer."""
