"""Sources for the tests of builds, and the files that a build leaves."""

from pathlib import Path

#: No include of the ABI's C++ headers: compiles in a fraction of the time.
PLAIN = """
#include <tvm/ffi/c_api.h>
extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi_{name}(void *, const TVMFFIAny *, int32_t, TVMFFIAny *result) {{
  result->type_index = kTVMFFIInt;
  result->zero_padding = 0;
  result->v_int64 = {value};
  return 0;
}}
"""


def plain(name: str, value: object) -> str:
    """C++ text of a function without parameters that returns `value`."""
    return PLAIN.format(name=name, value=value)


def entries(cache: Path) -> list[Path]:
    """The folders of builds."""
    return sorted(path for path in cache.iterdir() if path.is_dir()) if cache.exists() else []


def compiled(cache: Path) -> int:
    """How often a compiler or linker made something, over all builds of the cache."""
    logs = [path.read_text() for path in cache.rglob(".ninja_log")]
    return sum(line[:1].isdigit() for log in logs for line in log.splitlines())
