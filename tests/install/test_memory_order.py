"""lib/MEMORY_ORDER.md lists every atomic: a new one, which AArch64 may order otherwise than x86-64, needs a row."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "lib" / "MEMORY_ORDER.md"
SUFFIXES = {".c", ".cpp", ".def", ".h"}
# Text that orders memory, or that compilers may not move.
ORDERS = re.compile(
    r"std::memory_order|std::atomic|std::(latch|barrier)\b|std::\w+_semaphore\b"
    r"|\b__(atomic|sync)_\w+\(|\b(asm|__asm__) volatile"
)
# From an atomic's type to the end of the line; the names that a declaration has there.
ATOMIC = re.compile(r"(?:std::atomic<|std::\w+_semaphore\b).*")
DECLARED = re.compile(r"(?:>|_semaphore|,) (\w+)\s*[\[{;=]")


def without_comments(text: str) -> str:
    return re.sub(r"//.*", "", text)


def declared(text: str) -> set[str]:
    """The atomics that source text declares, other than references and the definitions of members."""
    return {
        name
        for line in ATOMIC.findall(without_comments(text))
        for name in DECLARED.findall(line.partition("(new")[0])
    }


def listed(table: str) -> dict[str, set[str]]:
    """The files that the rows name, with their atomics. A row's first column has each file before its atomics."""
    rows = defaultdict(set)
    for column in re.findall(r"^\| (`[^|]*) \|", table, re.MULTILINE):
        file = ""
        for word in re.findall(r"`([\w./]+)`", column):
            file = word if "." in word else file
            rows[file] |= {word} - {file}
    return rows


def is_named(path: Path, file: str) -> bool:
    """Return True if a row's `file` is that source, its header, or a file that belongs to that header."""
    return f"/{path.with_suffix('')}".endswith(f"/{Path(file).with_suffix('')}")


@pytest.fixture(scope="module")
def sources() -> dict[Path, str]:
    """Sources that order memory, by their paths from the root."""
    texts = {
        path.relative_to(ROOT): without_comments(path.read_text())
        for folder in ("include", "lib", "python/src")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in SUFFIXES
    }
    return {path: text for path, text in sorted(texts.items()) if ORDERS.search(text)}


def test_every_atomic_has_a_row(sources):
    rows = listed(TABLE.read_text())
    missing = {}
    for path, text in sources.items():
        matching = [names for file, names in rows.items() if is_named(path, file)]
        absent = declared(text).difference(*matching)
        if absent or not matching:
            missing[str(path)] = absent or "the file"
    assert not missing, "lib/MEMORY_ORDER.md: say why the order is enough"


def test_every_row_is_about_a_source(sources):
    for file, names in listed(TABLE.read_text()).items():
        texts = [text for path, text in sources.items() if is_named(path, file)]
        assert texts, f"{file} orders nothing"
        for name in names:
            assert any(re.search(rf"\b{name}\b", text) for text in texts), f"{file}: no {name}"


@pytest.mark.parametrize(
    "text, names",
    [
        ("static inline std::atomic<int> running{0};", {"running"}),
        ("alignas(64) std::atomic<uint32_t> generation{", {"generation"}),
        ("  std::atomic<uint64_t> hits = 0, misses = 0;", {"hits", "misses"}),
        ("std::atomic<int (*)()> checkSignals{nullptr};", {"checkSignals"}),
        ("std::array<std::atomic<Chunk *>, kNumChunks> chunks{};", {"chunks"}),
        ("std::unique_ptr<std::atomic<Kernels *>[]> devices;", {"devices"}),
        ("std::atomic<uint64_t> slots[kSlots] = {};", {"slots"}),
        ("std::array<std::binary_semaphore, kMost> turns;", {"turns"}),
        ("std::binary_semaphore turn{0}; // std::atomic<int> other;", {"turn"}),
        ("std::atomic<CUcontext> &slot = (*contexts)[device];", set()),
        ("inline void futexWait(const std::atomic<uint32_t> &word, uint32_t value) {", set()),
        ("constinit std::atomic<bool> LoadedModule::anyCapture = false;", set()),
    ],
)
def test_what_counts_as_a_declaration(text, names):
    assert declared(text) == names


def test_rows_name_files_before_their_atomics():
    table = "| `cpu/A.h` `first`, `second`; `B.cpp` | how | why `C.h` |\n| file | what | why |\n"
    assert listed(table) == {"cpu/A.h": {"first", "second"}, "B.cpp": set()}
