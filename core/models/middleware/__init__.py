"""The layers between a call and its client, outermost first: cache, retry, budget, limiter, record."""
