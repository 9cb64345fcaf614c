"""The cache, targets beyond this machine, and bundles."""

import kernels
from cases_calls import in_process
from error_cases import case

from fairlead import bundles, cute


def compile_nothing(options="--target cpu"):
    return cute.compile(kernels.nothing, kernels.vector(), kernels.vector(), options=options)


@case
def CacheFolder(cache_dir):
    cache_dir.write_text("")
    compile_nothing()


@case
def CacheSize(cache_dir, monkeypatch):
    monkeypatch.setenv("FAIRLEAD_CACHE_SIZE", "much")
    compile_nothing()


@case
def CacheRelative(cache_dir, monkeypatch):
    monkeypatch.setenv("FAIRLEAD_CACHE_DIR", "cache")
    compile_nothing()


@case
def RemoteCache(cache_dir, monkeypatch):
    monkeypatch.setenv("FAIRLEAD_REMOTE_CACHE", "redis://cache.internal")  # and no list of keys
    compile_nothing()


@case
def NeverCompile(cache_dir, monkeypatch):
    monkeypatch.setenv("FAIRLEAD_NEVER_COMPILE", "1")
    compile_nothing()


@case
def HostUnknown():
    compile_nothing("--target cpu --host-target linux-sparc")


@case
def HostTarget():
    compile_nothing("--target cpu:x86-64-v3 --host-target linux-aarch64")


@case
def HostForeign():
    compile_nothing("--target cpu --host-target linux-aarch64")(kernels.zeros(), kernels.zeros())


_OLD_PROCESSOR = """
import kernels
from fairlead import cute
f = cute.compile(kernels.nothing, kernels.vector(), kernels.vector(), options="--target cpu:x86-64-v3")
try:
    f(kernels.zeros(), kernels.zeros())
except Exception as error:
    print(f"{type(error).__name__}: {error}")
"""


@case
def CpuLevel():
    in_process(_OLD_PROCESSOR, FAIRLEAD_CPU_LEVEL="2")


@case
def BundleInput(tmp_path):
    (tmp_path / "text.o").write_text("text")
    bundles.bundle([tmp_path / "text.o"], tmp_path / "lib.so")


@case
def BundleClash(tmp_path):
    for name in ("first.o", "second.o"):
        compile_nothing().export_to_c(tmp_path / name, function_name="same")
    bundles.bundle([tmp_path], tmp_path / "lib.so")
