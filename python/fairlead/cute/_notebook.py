"""What notebooks show of layouts, copies, MMAs and compiled functions."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler

__all__ = ["card", "install"]

_DRAWN = ("Layout", "ComposedLayout", "TiledCopy", "TiledMma")


def _picture(value: Any) -> str | None:
    """The picture of a static value; None for others, of which a notebook then shows the text."""
    from fairlead import pictures  # late: no program but a notebook needs it

    try:
        return pictures.draw(value).svg
    except (TypeError, ValueError):
        return None


def install() -> None:
    """Gives the classes of the core the method that notebooks ask for."""
    for name in _DRAWN:
        getattr(_compiler, name)._repr_html_ = _picture


def card(function: Any) -> str:
    """A compiled function: signature, targets, milliseconds of each phase, and of GPU code registers and memory."""
    import html

    rows = [
        ("signature", f"<code>{html.escape(str(function.signature))}</code>"),
        ("targets", html.escape(", ".join(map(str, function.targets)))),
    ]
    if function.phases:
        times = ", ".join(f"{phase} {time:.1f} ms" for phase, time in function.phases.items())
        rows.append(("compiled in", html.escape(times) + (" (cached)" if function.cached else "")))
    for kernel in function.kernel_attributes():
        facts = ", ".join(f"{key} {value}" for key, value in kernel.items() if key != "name")
        rows.append((f"kernel {html.escape(kernel['name'])}", html.escape(facts)))
    body = "".join(f"<tr><th>{name}</th><td>{text}</td></tr>" for name, text in rows)
    return f"<table>{body}</table>"


install()
