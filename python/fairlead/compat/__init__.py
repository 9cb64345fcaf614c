"""Existing programs, unmodified: ``cutlass``, ``cutlass.cute``, ``tvm_ffi`` and ``jax_tvm_ffi`` become names of
Fairlead's modules.

``import fairlead.compat`` before them, or ``python -m fairlead.compat script.py arguments...``. ``tvm_ffi`` and
``jax_tvm_ffi`` are left to the packages of those names, if installed. Raises ImportError if another ``cutlass`` is
imported.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Iterator
from typing import Any

__all__ = ["install"]

_CUTLASS = {
    "cutlass.cute": "fairlead.compat._cute",
    "cutlass.cute.arch": "fairlead.compat._arch",
    "cutlass.cute.arch.nvvm_wrappers": "fairlead.compat._arch",
    "cutlass.cute.arch.clc": "fairlead.compat._arch",
    "cutlass.cute.arch.smem": "fairlead.compat._arch",
    "cutlass.cute.arch.elect": "fairlead.compat._arch",
    "cutlass.cute.arch.mbar": "fairlead.compat._arch",
    "cutlass.cute.arch.numeric_conversion": "fairlead.compat._arch",
    "cutlass.cute.arch.tmem": "fairlead.compat._arch",
    "cutlass.cute.algorithm": "fairlead.compat._cute",
    "cutlass.cute.cuda": "fairlead.cute.cuda",
    "cutlass.cute.experimental": "fairlead.compat._cute_experimental",
    "cutlass.cute.experimental.host_runtime": "fairlead.compat._device_workspaces",
    "cutlass.cute.experimental.iket": "fairlead.cute.experimental.iket",
    "cutlass.cute.iket": "fairlead.cute.experimental.iket",
    "cutlass.cute.math": "fairlead.compat._math",
    "cutlass.cute.runtime": "fairlead.compat._runtime",
    "cutlass.cute.testing": "fairlead.compat._testing",
    "cutlass.cute.typing": "fairlead.compat._typing",
    "cutlass.cute.viz": "fairlead.compat._viz",
    "cutlass.cute.tensor": "fairlead.compat._tensor",
    "cutlass.cute.atom": "fairlead.compat._atom",
    "cutlass.cute._tvm_ffi_args_spec_converter": "fairlead.compat._argument_specs",
    "cutlass.cute.export": "fairlead.cute.export",
    "cutlass.cute.export.aot_config": "fairlead.cute.export.aot_config",
    "cutlass.cuda": "fairlead.cute.cuda",
    "cutlass.runtime": "fairlead.compat._runtime",
    "cutlass.testing": "fairlead.compat._testing",
    "cutlass.cute.core": "fairlead.compat._core",
    "cutlass.cute.nvgpu": "fairlead.compat._nvgpu",
    "cutlass.cute.nvgpu.common": "fairlead.compat._nvgpu",
    "cutlass.cute.nvgpu.cpasync": "fairlead.compat._tma_atoms",
    "cutlass.cute.nvgpu.cpasync.copy": "fairlead.compat._tma_atoms",
    "cutlass.cute.nvgpu.cpasync.helpers": "fairlead.compat._tma_atoms",
    "cutlass.cute.nvgpu.helpers": "fairlead.compat._nvgpu",
    "cutlass.cute.nvgpu.warp": "fairlead.compat._warp",
    "cutlass.cute.nvgpu.warp.copy": "fairlead.compat._warp",
    "cutlass.cute.nvgpu.warp.mma": "fairlead.compat._warp",
    "cutlass.cute.nvgpu.warpgroup": "fairlead.compat._warpgroup",
    "cutlass.cute.nvgpu.warpgroup.helpers": "fairlead.compat._warpgroup",
    "cutlass.cute.nvgpu.warpgroup.mma": "fairlead.compat._warpgroup",
    "cutlass.cute.nvgpu.tcgen05": "fairlead.compat._tcgen05",
    "cutlass.cute.nvgpu.tcgen05.copy": "fairlead.compat._tcgen05",
    "cutlass.cute.nvgpu.tcgen05.helpers": "fairlead.compat._tcgen05",
    "cutlass.cute.nvgpu.tcgen05.mma": "fairlead.compat._tcgen05",
    "cutlass.pipeline": "fairlead.compat._pipeline",
    "cutlass.pipeline.helpers": "fairlead.compat._pipeline",
    "cutlass.pipeline.sm90": "fairlead.compat._pipeline",
    "cutlass.pipeline.sm100": "fairlead.compat._pipeline",
    "cutlass.utils": "fairlead.compat._utils",
    "cutlass.utils.hopper_helpers": "fairlead.utils.hopper_helpers",
    "cutlass.utils.sm90": "fairlead.utils.hopper_helpers",
    "cutlass.utils.distributed": "fairlead.compat._distributed",
    "cutlass.utils.mixed_input_helpers": "fairlead.compat._mixed_input",
    "cutlass.utils.rubin_helpers": "fairlead.compat._rubin",
    "cutlass.utils.sm107": "fairlead.compat._rubin",
    "cutlass.block": "fairlead.compat._utils",
    "cutlass.memory": "fairlead.compat._utils",
    "cutlass.memory.smem": "fairlead.compat._utils",
    "cutlass.memory.tmem": "fairlead.compat._utils",
    "cutlass.tensor_utils": "fairlead.compat._utils",
    "cutlass.utils.dynamic_persistent_tile_scheduler": "fairlead.compat._utils",
    "cutlass.utils.layout": "fairlead.compat._utils",
    "cutlass.utils.smem_allocator": "fairlead.compat._utils",
    "cutlass.utils.tmem_allocator": "fairlead.compat._utils",
    "cutlass.utils.grouped_gemm_persistent_tile_scheduler": "fairlead.compat._utils",
    "cutlass.utils.tensormap_manager": "fairlead.compat._utils",
    "cutlass.utils.hardware_info": "fairlead.compat._utils",
    "cutlass.utils.static_persistent_tile_scheduler": "fairlead.compat._utils",
    "cutlass.utils.tensor_helpers": "fairlead.utils.tensor_helpers",
    "cutlass.utils.blackwell_helpers": "fairlead.compat._blackwell",
    "cutlass.utils.sm100": "fairlead.compat._blackwell",
    "cutlass.utils.blockscaled_layout": "fairlead.utils.blockscaled_layout",
    "cutlass.utils.gemm": "fairlead.compat._blackwell",
    "cutlass.utils.gemm.sm100": "fairlead.compat._blackwell",
    "cutlass.utils.gemm.tensor_utils": "fairlead.compat._decoding",
    "cutlass.experimental": "fairlead.compat._experimental",
    "cutlass.experimental.cuda": "fairlead.compat._tensor_maps",
    "cutlass.experimental.cuda.tensor_map": "fairlead.compat._tensor_maps",
    "cutlass.experimental.primitives": "fairlead.compat._primitives",
    "cutlass.experimental.primitives.nvvm_wrapper": "fairlead.compat._primitives",
    "cutlass.primitives": "fairlead.compat._primitives",
    "cutlass.experimental.task_scheduling": "fairlead.compat._tasks",
    "cutlass.experimental.task_scheduling.enums": "fairlead.compat._tasks",
    "cutlass.experimental.task_scheduling.memory": "fairlead.compat._tasks",
    "cutlass.experimental.task_scheduling.pipeline_group": "fairlead.compat._tasks",
    "cutlass.experimental.task_scheduling.resources": "fairlead.compat._tasks",
    "cutlass.experimental.task_scheduling.schedule_builder": "fairlead.compat._tasks",
    "cutlass.experimental.task_scheduling.task": "fairlead.compat._tasks",
    "cutlass.experimental.task_scheduling.task_manager": "fairlead.compat._tasks",
    "cutlass.cutlass_dsl": "fairlead.compat.cutlass_dsl",
    "cutlass.cutlass_dsl.cutlass": "fairlead.compat.cutlass_dsl",
    "cutlass.base_dsl": "fairlead.compat.cutlass_dsl",
    "cutlass.base_dsl.arch": "fairlead.compat._architecture",
    "cutlass.base_dsl.ast_preprocessor": "fairlead.compat._ast_preprocessor",
    "cutlass.base_dsl.common": "fairlead.compat.cutlass_dsl",
    "cutlass.base_dsl.compiler": "fairlead.compat._compiler_options",
    "cutlass.base_dsl.enums": "fairlead.compat._architecture",
    "cutlass.base_dsl.export": "fairlead.cute.export",
    "cutlass.base_dsl.export.external_binary_module": "fairlead.compat._external_modules",
    "cutlass.base_dsl.version_info": "fairlead.compat.cutlass_dsl",
    "cutlass.base_dsl.dsl": "fairlead.compat.cutlass_dsl",
    "cutlass.base_dsl.typing": "fairlead.compat.cutlass_dsl",
    "cutlass.base_dsl.runtime": "fairlead.compat.cutlass_dsl",
    "cutlass.base_dsl.runtime.jit_arg_adapters": "fairlead.compat._jit_arg_adapters",
    "cutlass.base_dsl.tvm_ffi_builder": "fairlead.compat._argument_specs",
    "cutlass.base_dsl.tvm_ffi_builder.spec": "fairlead.compat._argument_specs",
    "cutlass.base_dsl.runtime.cuda": "fairlead.compat._runtime_cuda",
    "cutlass.impl_utils": "fairlead.compat._impl_utils",
    "cutlass.jax": "fairlead.compat._jax",
    "cutlass.jax.types": "fairlead.compat._jax",
    "cutlass.jax.testing": "fairlead.compat._jax_testing",
    "cutlass.torch": "fairlead.compat._torch",
    "cutlass._mlir": "fairlead.compat._mlir",
    "cutlass._mlir.ir": "fairlead.compat._mlir.ir",
    "cutlass._mlir.extras": "fairlead.compat._mlir.extras",
    "cutlass._mlir_helpers": "fairlead.compat._mlir_helpers",
    "cutlass._mlir_helpers.arith": "fairlead.compat._mlir.dialects.arith",
    "cutlass._mlir_helpers.dialect_proxy": "fairlead.compat._dialect_proxy",
    "cutlass._mlir_helpers.math": "fairlead.compat._mlir.dialects.math",
    "cutlass._mlir_helpers.op": "fairlead.compat._mlir_op",
    "cutlass.base_dsl._mlir_helpers": "fairlead.compat._mlir_helpers",
    "cutlass.base_dsl._mlir_helpers.arith": "fairlead.compat._mlir.dialects.arith",
    "cutlass.base_dsl._mlir_helpers.math": "fairlead.compat._mlir.dialects.math",
    "cutlass._mlir_helpers.vector": "fairlead.primitives.vector",
    "cutlass.base_dsl._mlir_helpers.op": "fairlead.compat._mlir_op",
    "cutlass._mlir.dialects": "fairlead.compat._mlir.dialects",
    **{
        f"cutlass._mlir.dialects.{name}": f"fairlead.compat._mlir.dialects.{name}"
        for name in (
            "arith",
            "builtin",
            "cuda",
            "cute",
            "cute_nvgpu",
            "llvm",
            "math",
            "nvgpu",
            "nvvm",
            "scf",
            "vector",
        )
    },
    "cutlass._mlir._mlir_libs": "fairlead.compat._mlir",
    "cutlass._mlir._mlir_libs._cutlass_ir": "fairlead.compat._mlir",
    "cutlass._mlir._mlir_libs._cutlass_ir._mlir": "fairlead.compat._mlir",
    "cutlass._mlir._mlir_libs._cutlass_ir._mlir.ir": "fairlead.compat._mlir.ir",
}


#: Names of ``cutlass.cute`` that ``cutlass`` has as well.
_FROM_CUTE = (
    "ComposedLayout Coord IntTuple Layout ScaledBasis Shape Stride Swizzle Tensor Tile is_int_tuple "
    "is_integer sym_int sym_int32 sym_int64"
)


class _Parts:
    """Finds ``tvm_ffi.cpp`` and the like when they are imported: they are modules of fairlead.ffi."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        inner_name = name.removeprefix("tvm_ffi.")
        if inner_name == name or sys.modules.get("tvm_ffi") is not sys.modules.get("fairlead.ffi"):
            return None
        if importlib.util.find_spec(f"fairlead.ffi.{inner_name}") is None:
            return None
        loader: Any = self
        return importlib.util.spec_from_loader(name, loader)

    def create_module(self, spec: Any) -> Any:
        module = importlib.import_module("fairlead.ffi" + spec.name.removeprefix("tvm_ffi"))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: Any) -> None:
        # Importing it under another name set this one's.
        module.__spec__ = module.__spec__.loader_state
        _name_loaded()

    def get_code(self, name: str) -> Any:
        """Return the loader of the module that ``python -m tvm_ffi.config`` runs."""
        spec: Any = importlib.util.find_spec("fairlead.ffi" + name.removeprefix("tvm_ffi"))
        return spec.loader.get_code(spec.name)


def _name_loaded() -> None:
    """Gives the loaded modules of fairlead.ffi their other names: each is known at once, so that the import of a part
    does not put the module in place of a function of the same name, such as ``tvm_ffi.dataclasses.c_class``.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith("fairlead.ffi."):
            sys.modules["tvm_ffi" + name.removeprefix("fairlead.ffi")] = module


class _Portions:
    """The folders of other packages that add modules to the namespace ``cutlass``: those on ``sys.path`` without an
    ``__init__.py``."""

    def __iter__(self) -> Iterator[str]:
        for entry in sys.path:
            folder = os.path.join(entry, "cutlass")
            if os.path.isdir(folder) and not os.path.exists(os.path.join(folder, "__init__.py")):
                yield folder


class _Cutlass(types.ModuleType):
    """The module ``cutlass``: the names of the package fairlead, and its own modules with names of Fairlead's modules,
    such as ``cutlass.torch``."""

    __path__: Any = _Portions()

    def __getattr__(self, name: str) -> Any:
        places = importlib.import_module("fairlead.compat._places")
        value = places.taking_place(getattr(sys.modules["fairlead"], name))
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *dir(sys.modules["fairlead"])})


def install() -> None:
    """Puts the names into ``sys.modules``; doing it again changes nothing."""
    present = sys.modules.get("cutlass")
    if present is not None and not isinstance(present, _Cutlass):
        raise ImportError("cutlass is imported already: import fairlead.compat before it")
    if present is None:
        cutlass = sys.modules["cutlass"] = _Cutlass("cutlass", sys.modules["fairlead"].__doc__)
        # importlib.util.find_spec("cutlass") asks whether there is one.
        cutlass.__spec__ = importlib.machinery.ModuleSpec("cutlass", None, is_package=True)
        version = importlib.import_module("fairlead.compat._version")
        cutlass.__version__ = version.VERSION  # type: ignore[attr-defined]
        version.install()
    language = importlib.import_module("fairlead.compat.cutlass_dsl")
    sys.modules["cutlass"].CUDA_VERSION = language.CUDA_VERSION  # type: ignore[attr-defined]
    cute = importlib.import_module("fairlead.compat._cute")
    for public_name in _FROM_CUTE.split():
        setattr(sys.modules["cutlass"], public_name, getattr(cute, public_name))
    for public_name in (
        "DSLRuntimeError",
        "NumericMeta",
        "and_",
        "as_numeric",
        "extract_mlir_values",
        "if_generate",
        "new_from_mlir_values",
        "not_",
        "or_",
        "target_version",
        "while_generate",
    ):
        setattr(sys.modules["cutlass"], public_name, getattr(language, public_name))
    sys.modules["cutlass"].select_ = cute.where  # type: ignore[attr-defined]
    importlib.import_module("fairlead.compat._arrays").install(sys.modules["cutlass"])
    importlib.import_module("fairlead.compat._packed_floats").install(sys.modules["cutlass"])
    later = importlib.import_module("fairlead.compat._later_gpus").stand_in
    narrow = "a float of compute capability 10.7, which no other GPU has"
    sys.modules["cutlass"].FloatNV8E5M3FNU = later("FloatNV8E5M3FNU", narrow)  # type: ignore[attr-defined]
    for alias, name in _CUTLASS.items():
        module = sys.modules[alias] = importlib.import_module(name)
        if name.startswith("fairlead.compat.") and not hasattr(module, "__path__"):
            module.__path__ = []  # so that find_spec says that it has no other part
        parent, _, public_name = alias.rpartition(".")
        # Modules of Fairlead's keep their own names.
        if parent == "cutlass" or sys.modules[parent].__name__.startswith("fairlead.compat."):
            setattr(sys.modules[parent], public_name, module)
    if "jax_tvm_ffi" not in sys.modules and importlib.util.find_spec("jax_tvm_ffi") is None:
        sys.modules["jax_tvm_ffi"] = importlib.import_module("fairlead.compat._jax_tvm_ffi")
    if "tvm_ffi" not in sys.modules and importlib.util.find_spec("tvm_ffi") is None:
        ffi = importlib.import_module("fairlead.ffi")
        sys.modules["tvm_ffi"] = ffi
        _name_loaded()
        sys.meta_path.insert(0, _Parts())  # The package's own path would make second copies.


install()
