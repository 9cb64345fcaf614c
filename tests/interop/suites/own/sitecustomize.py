import fairlead.compat  # noqa: F401
