"""Published packages with binaries of other versions of apache-tvm-ffi, unchanged, over our runtime."""

import pytest
from conftest import FETCHED, HERE, VERSIONS, package, run


@pytest.mark.parametrize("version", ["0.2.3", "0.2.8"])
def test_xgrammar(version, package_dir):
    """The output over our runtime and our tvm_ffi is that over the newest of theirs."""
    pytest.importorskip("torch")
    pytest.importorskip("pydantic")
    folder = FETCHED / "xgrammar" / version
    if not folder.exists():
        pytest.skip(f"xgrammar {version} was not fetched")
    ours = run(HERE / "uses_xgrammar.py", "ours", path=[folder, package_dir.parent])
    assert ours == run(HERE / "uses_xgrammar.py", "theirs", path=[folder, package(VERSIONS[-1])])
    assert "['a', 'b', 'ab', '1']" in ours and "EBNF" in ours
