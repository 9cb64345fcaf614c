"""CUDA C++ text to CUBIN with NVIDIA's run-time compiler, without a toolkit."""

from __future__ import annotations

from collections.abc import Sequence

from fairlead.ffi.cpp._devices import current_arch

__all__ = ["nvrtc_compile"]


def nvrtc_compile(
    source: str,
    *,
    name: str = "kernel.cu",
    arch: str | None = None,
    extra_opts: Sequence[str] | None = None,
) -> bytes:
    """Compile CUDA C++ to a CUBIN, or to PTX for an architecture such as ``compute_90``. Needs no GPU.

    Args:
        source: the text; CUDA's own headers are found where a toolkit or its Python packages bring them.
        name: what messages call the source.
        arch: such as ``sm_90a``; that of the current CUDA device if None.
        extra_opts: more of NVRTC's options, such as ``-DN=4``.

    Raises RuntimeError with NVRTC's log when the source does not compile; also when there is neither ``arch`` nor a
    device, or no NVRTC (``$FAIRLEAD_NVRTC``, a CUDA toolkit, or the package nvidia-cuda-nvrtc).
    """
    from fairlead import _compiler

    if not isinstance(source, str):
        raise TypeError(f"nvrtc_compile: source: expected str, but got {type(source).__name__}")
    if isinstance(extra_opts, str):
        raise TypeError(
            f"nvrtc_compile: extra_opts: expected a list of options, but got str {extra_opts!r}"
        )
    if arch is None:
        arch = current_arch()
        if arch is None:
            raise RuntimeError(
                "nvrtc_compile: there is no CUDA device to compile for; give the architecture, as arch='sm_90a'"
            )
    options = ["-default-device", *map(str, extra_opts or ())]
    image: bytes
    image, _, _ = _compiler.nvrtc_compile(source, arch, name, options)
    return image
