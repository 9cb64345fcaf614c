"""Errors of building."""


class BuildError(RuntimeError):
    """A build failed, or a tool that it needs is missing; the text says which, and how to get it."""
