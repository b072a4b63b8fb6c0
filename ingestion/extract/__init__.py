"""Extractors: statements of a chunk, by rules (``rules.RuleExtractor``) or by a language model."""
