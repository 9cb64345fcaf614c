"""Messages about compilations, if the environment asks for them.

``CUTE_DSL_LOG_TO_CONSOLE=1`` writes them to stderr, ``CUTE_DSL_LOG_TO_FILE=path`` to the end of a file, both where both
are set. ``CUTE_DSL_LOG_LEVEL`` is 0 for none, 1 (the default) for all, else the least of Python's levels: 10 debug, 20
info, 30 warning, 40 error, 50 critical. The logger is called ``fairlead``; handlers of the program's own work as well.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from typing import Any

from fairlead.errors import make_error

logger = logging.getLogger("fairlead")
_FORMAT = logging.Formatter("%(asctime)s %(levelname)s fairlead: %(message)s")
#: The last setting of the environment, and the handlers made for it.
_asked: tuple[str, ...] = ("", "", "")
_handlers: list[logging.Handler] = []


def _set_up(console: str, path: str, level_text: str) -> None:
    try:
        level = int(level_text or "1")
    except ValueError:
        level = -1
    if level < 0:
        raise make_error(
            "OptionValue",
            option="CUTE_DSL_LOG_LEVEL",
            expected="0, 1, 10, 20, 30, 40 or 50",
            got=level_text,
        )
    for handler in _handlers:
        logger.removeHandler(handler)
        handler.close()
    _handlers.clear()
    logger.setLevel(logging.NOTSET)
    if not level:
        return
    if console not in ("", "0"):
        _handlers.append(logging.StreamHandler())
    if path not in ("", "0"):
        try:
            _handlers.append(logging.FileHandler("fairlead.log" if path == "1" else path))
        except OSError as error:
            raise make_error("ExportPath", path=path, reason=error.strerror or str(error)) from None
    for handler in _handlers:
        handler.setFormatter(_FORMAT)
        logger.addHandler(handler)
    if _handlers:
        logger.setLevel(level)


def is_wanted(level: int = logging.INFO) -> bool:
    """True if messages of this level are read; looks at the environment."""
    global _asked
    now = tuple(
        os.environ.get(f"CUTE_DSL_LOG_{what}", "") for what in ("TO_CONSOLE", "TO_FILE", "LEVEL")
    )
    if now != _asked:
        _set_up(*now)
        _asked = now
    return logger.isEnabledFor(level) and logger.hasHandlers()


def log_compiled(name: str, compiled: Any, targets: Iterable[object], options: Any) -> None:
    """One line for a compiled function, and one with its compile options."""
    if not is_wanted():
        return
    phases = ", ".join(
        f"{stage} {milliseconds:.1f}" for stage, milliseconds in compiled.phases.items()
    )
    total = sum(compiled.phases.values())
    logger.info(
        "compiled %s for %s in %.1f ms (%s)", name, ",".join(map(str, targets)), total, phases
    )
    logger.debug(
        "%s is %s; opt level %d, cache %s",
        name,
        compiled.signature,
        options.opt_level,
        options.cache,
    )
