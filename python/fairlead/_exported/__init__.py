"""Files of exported functions: their contents, read without running any of their code."""
