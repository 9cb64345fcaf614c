"""Every library of the package runs with glibc 2.28 and the libstdc++ of GCC 8: it takes no newer symbol from them."""

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# The symbol versions that manylinux_2_28 allows.
NEWEST = {"GLIBC": (2, 28), "GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11), "GCC": (8, 0, 0)}
SYSTEM = {
    "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libc.so.6", "libdl.so.2", "libgcc_s.so.1",
    "libm.so.6", "libpthread.so.0", "librt.so.1", "libstdc++.so.6",
}  # fmt: skip
_UNDEFINED = re.compile(r" UND (\S+)@(\w+?)_([\d.]+) \(\d+\)$", re.MULTILINE)


def newer_symbols(library: Path) -> list[str]:
    """The symbols that the library takes from others in a version that manylinux_2_28 does not allow."""
    listing = subprocess.run(
        ["readelf", "--dyn-syms", "-W", library], check=True, capture_output=True, text=True
    ).stdout
    return [
        f"{name}@{family}_{number}"
        for name, family, number in _UNDEFINED.findall(listing)
        if tuple(map(int, number.split("."))) > NEWEST.get(family, ())
    ]


def stub_writer():
    """cmake/link_stubs.py as a module."""
    spec = importlib.util.spec_from_file_location("link_stubs", ROOT / "cmake" / "link_stubs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def libraries(build_dir) -> list[Path]:
    if "FAIRLEAD_OLD_GLIBC:BOOL=OFF" in (build_dir / "CMakeCache.txt").read_text():
        pytest.skip("this build links against the installed glibc")
    package = build_dir / "python" / "fairlead"
    found = [*package.glob("*.so"), *(package / "lib").glob("*.so")]
    assert {path.name.partition(".")[0] for path in found} >= {"_core", "libtvm_ffi"}
    return found


def test_no_symbol_is_newer_than_manylinux_2_28(libraries):
    assert {path.name: newer for path in libraries if (newer := newer_symbols(path))} == {}


def test_nothing_but_system_libraries_is_needed(libraries):
    own = {path.name for path in libraries}
    for path in libraries:
        listing = subprocess.run(
            ["readelf", "-dW", path], check=True, capture_output=True, text=True
        ).stdout
        needed = set(re.findall(r"\(NEEDED\).*\[(.+)\]", listing))
        assert needed <= SYSTEM | own, path.name


def test_a_newer_symbol_is_seen(tmp_path):
    source = tmp_path / "newer.c"
    source.write_text(
        "#include <stdlib.h>\n#include <threads.h>\n"
        "void *use(char *p) { return reallocarray(p, 2, 3); }\n"
        '__asm__(".symver use_it, pthread_cond_clockwait@GLIBC_2.30"); extern int use_it(void);\n'
        "int call(void) { return use_it(); }\n"
    )
    library = tmp_path / "newer.so"
    subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", library], check=True)
    assert newer_symbols(library) == ["pthread_cond_clockwait@GLIBC_2.30"]


def test_stubs_take_the_newest_version_that_is_old_enough():
    listing = """
   Num:    Value          Size Type    Bind   Vis      Ndx Name
   100: 00000000000a2d70    40 FUNC    GLOBAL DEFAULT   15 memcpy@GLIBC_2.2.5
   101: 000000000009be70   265 IFUNC   GLOBAL DEFAULT   15 memcpy@@GLIBC_2.14
   102: 00000000000130c0   353 FUNC    GLOBAL DEFAULT   15 pow@GLIBC_2.2.5
   103: 00000000000392b0   181 FUNC    GLOBAL DEFAULT   15 pow@@GLIBC_2.29
   104: 00000000000f77e0    18 FUNC    WEAK   DEFAULT   15 stat@@GLIBC_2.33
   105: 00000000001db5d8     8 OBJECT  GLOBAL DEFAULT   36 stdout@@GLIBC_2.2.5
   106: 0000000000000010     8 TLS     GLOBAL DEFAULT   29 _ZSt11__once_call@@GLIBCXX_3.4.11
   107: 00000000000b0b10    20 FUNC    GLOBAL DEFAULT   15 __libc_start_call@@GLIBC_PRIVATE
   108: 0000000000000000     0 OBJECT  GLOBAL DEFAULT  ABS GLIBC_2.14@@GLIBC_2.14
   109: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND __tls_get_addr@GLIBC_2.3
"""
    assert stub_writer().old_symbols(listing) == {
        "memcpy": ("GLIBC_2.14", "IFUNC", 265),
        "pow": ("GLIBC_2.2.5", "FUNC", 353),
        "stdout": ("GLIBC_2.2.5", "OBJECT", 8),
        "_ZSt11__once_call": ("GLIBCXX_3.4.11", "TLS", 8),
    }


CLOCKS = """
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

static struct timespec after(clockid_t clock, long nanoseconds) {
  struct timespec t;
  clock_gettime(clock, &t);
  t.tv_nsec += nanoseconds;
  t.tv_sec += t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int isSet;

static void *set(void *unused) {
  pthread_mutex_lock(&mutex);
  isSet = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(int count, char **arguments) {
  (void)count;
  struct timespec past = after(CLOCK_MONOTONIC, 0), soon;
  pthread_mutex_lock(&mutex);
  assert(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
  soon = after(CLOCK_MONOTONIC, 30000000);
  while (pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &soon) == 0)
    ;
  struct timespec now = after(CLOCK_MONOTONIC, 0);
  assert(now.tv_sec > soon.tv_sec || (now.tv_sec == soon.tv_sec && now.tv_nsec >= soon.tv_nsec));
  soon = after(CLOCK_REALTIME, 1000000);
  assert(pthread_cond_clockwait(&condition, &mutex, CLOCK_REALTIME, &soon) == ETIMEDOUT);
  assert(pthread_cond_clockwait(&condition, &mutex, 12345, &soon) == EINVAL);
  pthread_t thread;
  pthread_create(&thread, NULL, set, NULL);
  struct timespec late = after(CLOCK_MONOTONIC, 0);
  late.tv_sec += 100;
  while (!isSet)
    assert(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &late) == 0);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);

  struct stat status;
  assert(stat(arguments[0], &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 1000);
  assert(lstat("/proc/self/exe", &status) == 0 && S_ISLNK(status.st_mode));
  assert(fstat(0, &status) == 0 && stat("/no/such", &status) == -1 && errno == ENOENT);
  uint32_t first = arc4random(), other = arc4random(), third = arc4random();
  assert(first != other || other != third);
  return 0;
}
"""


def test_the_shim_does_what_glibc_does(tmp_path):
    """A program that is linked against the stubs and the shim."""
    stubs = tmp_path / "stubs"
    subprocess.run(
        [
            *("python3", "-B", ROOT / "cmake" / "link_stubs.py", "--compiler", "g++"),
            *("--readelf", "readelf", "--output", stubs),
        ],
        check=True,
    )
    (tmp_path / "main.c").write_text(CLOCKS)
    program = tmp_path / "main"
    subprocess.run(
        [
            *("gcc", "-Wall", "-Werror", f"-L{stubs}", tmp_path / "main.c"),
            *(ROOT / "lib" / "oldglibc" / "Shim.c", "-o", program),
        ],
        check=True,
    )
    # The start code of programs since 2.34 has no old version: it belongs to the program, not to the libraries.
    assert [name for name in newer_symbols(program) if "__libc_start_main" not in name] == []
    subprocess.run([program], check=True, stdin=subprocess.DEVNULL, timeout=60)
