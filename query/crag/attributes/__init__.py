"""What a question is like: domain, kind and dynamism, by rules, by a model, by a trained classifier, or by all."""
