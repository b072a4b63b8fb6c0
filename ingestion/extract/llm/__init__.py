"""Triplets from a language model: numbered pages out, triplets with conditions back."""
