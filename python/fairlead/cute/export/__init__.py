"""Exporting functions: flags for programs that link them (``aot_config``)."""
