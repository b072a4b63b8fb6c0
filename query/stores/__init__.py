"""A published epoch as LlamaIndex's own kinds of store: read-only, pinned, nothing written by opening them."""
