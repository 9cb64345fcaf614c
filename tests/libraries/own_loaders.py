"""Modules of libraries that stop when they are imported without parameters, loaded as their package does it."""

from __future__ import annotations

import dataclasses
import importlib
import re
from collections.abc import Callable
from pathlib import Path

_CUDNN_FLOAT8 = re.compile(
    r"cudnn\.sdpa\.fwd\.kernels\.(sm107|sm100(?=.*_d[12]))\.(prefill_\w*fp8)"
)


def _load_cudnn_float8(module: str) -> None:
    """Attention of float8: the parameters' default is a type that these kernels do not take."""
    architecture, name = _CUDNN_FLOAT8.fullmatch(module).groups()
    config = importlib.import_module(f"cudnn.sdpa.fwd.config_{architecture}")
    folder = Path(config.__file__).parent / "kernels" / architecture
    parameters = dataclasses.replace(config.TemplateParams(), dtype_qkv=0)  # Float8E4M3FN
    if architecture == "sm100" and "d256" in name:
        parameters = dataclasses.replace(parameters, cta_mma=1)
    loader = importlib.import_module("cudnn.frost.template_loader")
    loader.load_template(str(folder / f"{name}.py"), parameters)


def loader_of(module: str) -> Callable[[str], None] | None:
    """The function that loads a module with parameters, or None if its package only imports it."""
    return _load_cudnn_float8 if _CUDNN_FLOAT8.fullmatch(module) else None
