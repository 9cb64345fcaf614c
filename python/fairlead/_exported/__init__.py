"""Files of exported functions: what is in them, read without running anything of theirs."""
