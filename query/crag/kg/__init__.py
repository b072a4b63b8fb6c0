"""Knowledge graphs that questions about the world are asked of: ours, endpoints, and APIs of functions."""
