"""Builds of others, and in folders that others may write, are not loaded."""

import os

import pytest
from support.build_support import entries, plain

from fairlead.ffi import cpp

SOURCE = plain("value", 7)


def places(folder, path):
    """From the library up to the folder of all builds."""
    found = [path]
    while found[-1] != str(folder):
        found.append(os.path.dirname(found[-1]))
    return found


@pytest.mark.parametrize("level", range(4))
def test_what_others_may_write_is_not_loaded(build_cache, monkeypatch, level):
    path = cpp.build_inline("trust", cpp_sources=SOURCE)
    place = places(build_cache, path)[level]
    before = os.stat(place).st_mode
    os.chmod(place, before | 0o002)
    with pytest.raises(
        cpp.BuildError, match=f"others may write to `{place}`.*FAIRLEAD_CACHE_TRUST"
    ):
        cpp.load_inline("trust", cpp_sources=SOURCE)
    monkeypatch.setenv("FAIRLEAD_CACHE_TRUST", str(build_cache))
    assert cpp.build_inline("trust", cpp_sources=SOURCE) == path
    monkeypatch.delenv("FAIRLEAD_CACHE_TRUST")
    os.chmod(place, before)
    assert cpp.load_inline("trust", cpp_sources=SOURCE).value() == 7


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("level", range(4))
def test_builds_of_another_user_are_not_loaded(build_cache, level):
    path = cpp.build_inline("trust", cpp_sources=SOURCE)
    place = places(build_cache, path)[level]
    os.chown(place, 65534, 0)
    with pytest.raises(cpp.BuildError, match=f"`{place}` belongs to user 65534"):
        cpp.load_inline("trust", cpp_sources=SOURCE)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_link_of_another_user(build_cache, tmp_path):
    cpp.build_inline("trust", cpp_sources=SOURCE)
    (folder,) = entries(build_cache)
    folder.rename(tmp_path / "moved")
    folder.symlink_to(tmp_path / "moved")
    assert cpp.build_inline("trust", cpp_sources=SOURCE)
    os.lchown(folder, 65534, 0)
    with pytest.raises(cpp.BuildError, match="belongs to user 65534"):
        cpp.build_inline("trust", cpp_sources=SOURCE)


def test_nothing_is_built_where_others_may_write(build_cache):
    build_cache.mkdir()
    build_cache.chmod(0o777)
    with pytest.raises(cpp.BuildError, match=r"its mode is 0777"):
        cpp.load_inline("trust", cpp_sources=SOURCE)


def test_a_build_folder_of_the_caller(tmp_path):
    """The folder is the caller's choice; the build in it is not."""
    given = tmp_path / "given"
    cpp.build_inline("trust", cpp_sources=SOURCE, build_directory=given)
    (given / "trust.so.build").chmod(0o777)
    with pytest.raises(cpp.BuildError, match="others may write to"):
        cpp.build_inline("trust", cpp_sources=SOURCE, build_directory=given)


def test_no_umask_opens_a_folder(build_cache):
    before = os.umask(0)
    try:
        cpp.build_inline("trust", cpp_sources=SOURCE)
        assert cpp.load_inline("trust", cpp_sources=SOURCE).value() == 7
    finally:
        os.umask(before)


@pytest.mark.parametrize(
    "variable", ["TVM_FFI_CACHE_DIR", "FAIRLEAD_CACHE_DIR", "CUTE_DSL_CACHE_DIR"]
)
def test_relative_folders_are_refused(monkeypatch, variable):
    monkeypatch.delenv("TVM_FFI_CACHE_DIR")
    monkeypatch.delenv("FAIRLEAD_CACHE_DIR", raising=False)
    monkeypatch.setenv(variable, "some/cache")
    with pytest.raises(
        ValueError,
        match=f"{variable}, expected a folder by its absolute path, but got `some/cache`",
    ):
        cpp.build_inline("trust", cpp_sources=SOURCE)
