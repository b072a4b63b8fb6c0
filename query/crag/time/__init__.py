"""When is meant: a question's time, and the ranges that its words mean then; start at ``resolve.py``."""
