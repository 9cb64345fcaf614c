"""Kernels, programs with their checks, and servers that several tests use. Imported as `support.name`."""
