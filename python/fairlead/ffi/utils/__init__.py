"""Tools for building libraries of functions."""
