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


def _resident_warps(registers: int) -> int:
    """The warps whose registers a multiprocessor has: four parts of 16,384 registers, given out to warps by 256."""
    granted = (max(registers, 1) * 32 + 255) // 256 * 256
    return min(64, 4 * (16384 // granted))


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
    try:
        kernels = function.kernel_attributes()
    except (
        RuntimeError
    ):  # no driver, or a GPU of another architecture: the card shows what is known without
        kernels = []
    for kernel in kernels:
        facts = ", ".join(f"{key} {value}" for key, value in kernel.items() if key != "name")
        facts += f", registers for {_resident_warps(kernel['registers'])} warps of a multiprocessor"
        rows.append((f"kernel {html.escape(kernel['name'])}", html.escape(facts)))
    body = "".join(f"<tr><th>{name}</th><td>{text}</td></tr>" for name, text in rows)
    return f"<table>{body}</table>"


install()
