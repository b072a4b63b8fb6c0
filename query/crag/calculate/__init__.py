"""What a question needs computed: an expression of a model's, evaluated by a safe evaluator, as a reference."""
