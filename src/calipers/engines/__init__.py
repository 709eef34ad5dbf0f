"""How rows become evidence."""
