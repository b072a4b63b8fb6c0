"""Published systems and baselines as engines over the same parts."""
