"""Forms of questions that one or two calls answer, by domain. Each is precise: what does not fit is left to others."""
