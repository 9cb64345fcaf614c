"""Tools for building and calling libraries of functions."""

from fairlead.ffi.utils.lockfile import FileLock

__all__ = ["FileLock"]
