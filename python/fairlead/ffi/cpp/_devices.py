"""The CUDA devices of this machine, as far as building for them asks."""

from __future__ import annotations

import sys


def current_arch() -> str | None:
    """Architecture of the current CUDA device: PyTorch's, where it is in use, else the first. None without one."""
    from fairlead import _compiler

    torch = sys.modules.get("torch")
    index = 0
    if torch is not None and torch.cuda.is_initialized():
        index = torch.cuda.current_device()
    return _compiler.device_arch(index) or None


def all_archs() -> list[str]:
    """Architectures of all devices of this machine, sorted, each once. None are known without Fairlead's compiler."""
    try:
        from fairlead import _compiler
    except ModuleNotFoundError:
        return []
    archs = {_compiler.device_arch(index) for index in range(_compiler.device_count())}
    return sorted(archs - {""})
