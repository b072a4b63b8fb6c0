"""CRAG's questions and score, its grading, and what every module of the engine adds."""
