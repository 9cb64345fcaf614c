"""Tuning: which values of its compile-time parameters make a function the fastest."""
