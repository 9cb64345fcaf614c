"""Builds kernel libraries from C++ and CUDA sources, in the text or in files, and loads them.

Builds go through ninja and are kept on disk: the same sources, flags, compilers, architectures and included headers
give the same library without a compiler. Processes that want the same build wait for each other.
"""

from fairlead.ffi.cpp import nvrtc
from fairlead.ffi.cpp._dtype import to_cpp_dtype
from fairlead.ffi.cpp._errors import BuildError
from fairlead.ffi.cpp._extension import build, build_inline, load, load_inline

__all__ = [
    "BuildError",
    "build",
    "build_inline",
    "load",
    "load_inline",
    "nvrtc",
    "to_cpp_dtype",
]
