"""Dialects, as far as their types are named."""
