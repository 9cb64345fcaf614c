"""Every public class and macro of the C++ headers appears in one of the interop programs."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
HEADERS = ROOT / "include" / "tvm" / "ffi"
# Names that no user's program has, each with its purpose.
ELSEWHERE = {
    "TVM_FFI_UNSAFE_S_MUTATE_ASSIGN_OR_RETURN_SKIP_CHECK": "tests/unit/ffi: a name of 0.1.14",
    "TVM_FFI_S_MUTATE_UNSAFE_ASSIGN_OR_RETURN_UNCHECKED": "tests/unit/ffi: a name of 0.1.14",
    "TVM_FFI_S_VISIT_MAYBE_EARLY_RETURN_WITH_ERROR_CONTEXT": "tests/unit/ffi: a name of 0.1.13",
    "TVM_FFI_ALWAYS_LOG_BEFORE_THROW": "a switch for the compiler's command line",
    "TVM_FFI_CHECK_BINARY_OP": "what the checks are made of",
    "TVM_FFI_CLEAR_PTR_PADDING_IN_FFI_ANY": "32-bit machines",
    "TVM_FFI_DECLARE_OBJECT_INFO_LOOKUP": "tests/unit/ffi: for types that no header has",
    "TVM_FFI_DECLARE_OBJECT_INFO_STATIC": "types whose index the ABI fixes",
    "TVM_FFI_DLL": "what the library's functions are declared with",
    "TVM_FFI_DLL_EXPORT": "what TVM_FFI_DLL_EXPORT_TYPED_FUNC is made of",
    "TVM_FFI_EXTRA_CXX_API": "what the library's functions are declared with",
    "TVM_FFI_FUNC_SIG": "what the checks are made of; compilers differ",
    "TVM_FFI_RET_CHECK_BINARY_OP": "what the checks are made of",
    "TVM_FFI_WEAK": "what the library's functions are declared with",
    "ReflectionDefBase": "what the definitions are made of",
    "StructuralMapDynEngine": "what StructuralMap is made of",
    "StructuralMapEngine": "what StructuralMap is made of",
    "StructuralMutateEngine": "what StructuralMutate is made of",
    "StructuralVisitEngine": "what StructuralVisit is made of",
    "StructuralWalkEngine": "what StructuralWalk is made of",
}


def public_names() -> set[str]:
    names = set()
    for path in HEADERS.rglob("*.h"):
        folders = path.relative_to(HEADERS).parts
        if "inner" in folders or "cuda" in folders:
            continue  # our own; what needs the CUDA toolkit is in tests/unit/runtime/cuda
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"^#define (TVM_FFI_\w+)", text, re.M):
            if "INNER" not in name and not name.endswith("_"):
                names.add(name)
        text = re.sub(
            r"namespace (inner|details?) \{.*?\} // namespace \1", "", text, flags=re.DOTALL
        )
        declared = (
            r"^(?:template <[^;{]*?>\s*)?(?:class|struct|enum class) (?:TVM_FFI_\w+ )?(\w+)[^;]*?\{"
        )
        names.update(re.findall(declared, text, re.M))
    return names


def main() -> int:
    programs = [
        path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "interop").rglob("*.cpp")
    ]
    used = set(re.findall(r"\w+", "\n".join(programs)))
    public = public_names()
    assert len(public) > 150, len(public)
    missing = sorted(public - used - set(ELSEWHERE))
    unknown = sorted(set(ELSEWHERE) - public)
    needless = sorted(set(ELSEWHERE) & used & public)
    for name in missing:
        print(f"{name}: in no program under tests/interop")
    for name in unknown:
        print(f"{name}: listed here, and no public name")
    for name in needless:
        print(f"{name}: listed here, and used")
    print(f"{len(public)} public names, {len(ELSEWHERE)} of them elsewhere")
    return 1 if missing or unknown or needless else 0


if __name__ == "__main__":
    sys.exit(main())
