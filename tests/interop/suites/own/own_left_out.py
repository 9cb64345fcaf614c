"""Cases of the other package's tests that ours leaves out, by pytest's id (or a pattern), each with the reason."""

LEFT_OUT: dict[str, str] = {}
