"""The ends of the stack: one module per driver, each with the one place that translates its errors."""
