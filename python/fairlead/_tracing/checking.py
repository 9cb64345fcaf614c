"""What is checked in programs that are traced now, besides what their options and the environment say."""

from __future__ import annotations

#: The text of ``--check`` that ``fairlead.checks.on`` asks for; None outside of it.
active: str | None = None
#: The filter of threads that stop and print, which it asks for; None where FAIRLEAD_CHECK_THREADS has it.
threads: str | None = None
