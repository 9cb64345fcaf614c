"""Displays of notebooks: pictures of layouts, copies and MMAs, and cards of compiled functions."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler

__all__ = ["card", "install"]

_DRAWN = ("Layout", "ComposedLayout", "TiledCopy", "TiledMma")


def _picture(value: object) -> str | None:
    """The picture of a static value; None for others, which a notebook then shows as text."""
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


_FACTS = (
    "name",
    "registers",
    "shared_bytes",
    "dynamic_shared_bytes",
    "local_bytes",
    "max_threads",
)


def _kernels(function: Any) -> list[dict[str, Any]]:
    """Return the facts of each kernel: from the driver, or the machine code, or the PTX, where
    registers are None."""
    try:
        attributes: list[dict[str, Any]] = function.kernel_attributes()
        if attributes:
            return attributes
    except RuntimeError:  # no driver, or a GPU of another architecture
        pass
    try:
        image = function.__cubin__
    except RuntimeError:  # no assembler
        image = b""
    image = image or function.ptx.encode()
    if not image:
        return []
    dynamic = function.artifact.shared_memory
    kernels = [
        kernel for part in _compiler.read_image(image)["parts"] for kernel in part["kernels"]
    ]
    return [
        {
            name: {**kernel, "dynamic_shared_bytes": dynamic.get(kernel["name"])}[name]
            for name in _FACTS
        }
        for kernel in kernels
    ]


def card(function: Any) -> str:
    """Return a table of a compiled function: signature, targets, milliseconds of each phase, and registers and memory
    of GPU kernels."""
    import html

    rows = [
        ("signature", f"<code>{html.escape(str(function.signature))}</code>"),
        ("targets", html.escape(", ".join(map(str, function.targets)))),
    ]
    if function.phases:
        times = ", ".join(f"{phase} {time:.1f} ms" for phase, time in function.phases.items())
        rows.append(("compiled in", html.escape(times) + (" (cached)" if function.cached else "")))
    for kernel in _kernels(function):
        facts = ", ".join(
            f"{key} {value}" for key, value in kernel.items() if key != "name" and value is not None
        )
        if kernel["registers"] is not None:
            warps = _resident_warps(kernel["registers"])
            facts += f", registers for {warps} warps of a multiprocessor"
        rows.append((f"kernel {html.escape(kernel['name'])}", html.escape(facts)))
    body = "".join(f"<tr><th>{name}</th><td>{text}</td></tr>" for name, text in rows)
    return f"<table>{body}</table>"


install()
