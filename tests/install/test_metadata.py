"""The package's metadata, README and workflow agree about supported Pythons and extras."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from fairlead_dev import project_urls, steps, wheel_verb  # noqa: E402

tomllib = pytest.importorskip("tomllib")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_classifiers_name_the_pythons_of_the_wheels():
    named = re.findall(r"Python :: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.MULTILINE)
    assert named == [version for version in wheel_verb._VERSIONS if not version.endswith("t")]
    assert PROJECT["requires-python"] == f">={named[0]}"


def test_the_workflow_builds_these_wheels():
    workflow = (ROOT / ".github" / "workflows" / "test.yml").read_text()
    (matrix,) = re.findall(r"python: \[(.*)\]", workflow)
    assert tuple(re.findall(r'"(.*?)"', matrix)) == wheel_verb._VERSIONS


def test_extras_bring_the_versions_that_the_docs_support():
    supported = (ROOT / "docs" / "compatibility.md").read_text()
    for extra, name in (("torch", "PyTorch"), ("jax", "JAX")):
        (requirement,) = PROJECT["optional-dependencies"][extra]
        (least,) = re.findall(rf"\| {name} \| ([\d.]+) and newer", supported)
        assert requirement == f"{extra}>={least}"


def test_one_release_and_one_version_of_the_abi():
    """Pages and files state the versions of the package and the C header."""

    def found(path, pattern):
        return set(re.findall(pattern, (ROOT / path).read_text()))

    (release,) = found("python/fairlead/ffi/__init__.py", r'\n__version__ = "([\d.]+)"')
    (pin,) = found("scripts/requirements/peers.txt", r"apache-tvm-ffi==(\S+)")
    assert pin.partition(".post")[0] == release
    assert found("docs/open-abi.md", r"apache-tvm-ffi (\d[\w.]*\w)") == {pin}
    assert found("docs/compatibility.md", r"compatible with apache-tvm-ffi (\d[\w.]*\w)") == {pin}
    assert found("cmake/FairleadPackage.cmake", r"\n  VERSION ([\d.]+) ") == {release}
    header = "include/tvm/ffi/c_api.h"
    abi = ".".join(
        number
        for part in ("MAJOR", "MINOR", "PATCH")
        for number in found(header, rf"#define TVM_FFI_VERSION_{part} (\d+)")
    )
    assert found(header, r"TVM FFI ABI, version ([\d.]+\d)") == {abi}
    assert found("docs/open-abi.md", r"a number of its own, ([\d.]+\d)") == {abi}


@pytest.mark.parametrize(
    "remote",
    [
        "https://example.org/owner/fairlead.git",
        "https://user:token@example.org/owner/fairlead",
        "git@example.org:owner/fairlead.git",
        "ssh://git@example.org/owner/fairlead.git",
    ],
)
def test_addresses_are_those_of_the_repository(remote):
    addresses = project_urls.urls_of(remote)
    assert addresses["Homepage"] == "https://example.org/owner/fairlead"
    assert addresses["Issues"] == "https://example.org/owner/fairlead/issues"
    assert all(address.startswith(addresses["Homepage"]) for address in addresses.values())
    for page in (address.partition("/main/")[2] for address in addresses.values()):
        assert (ROOT / page).exists() or not page


@pytest.mark.parametrize("remote", ["", "/home/me/fairlead", "file:///home/me/fairlead"])
def test_a_clone_of_a_folder_has_no_addresses(remote):
    assert project_urls.urls_of(remote) == {}


def test_readme_begins_with_the_installation():
    blocks = re.findall(r"^    (.+)", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert blocks[0].startswith("pip install fairlead ")


@pytest.mark.parametrize("version", ["3", "py312", "3.12.1", "cp312"])
def test_a_version_that_is_none(version, capsys):
    with pytest.raises(SystemExit):
        wheel_verb.main([version])
    assert f"expected a Python version such as 3.12 or 3.13t, or all, but got {version!r}" in (
        " ".join(capsys.readouterr().err.split())
    )


def test_a_python_that_is_nowhere(monkeypatch, tmp_path):
    """The error says where it was looked for and how to install it."""
    for name, value in {
        "PATH": str(tmp_path),
        "PYENV_ROOT": "/none",
        "UV_PYTHON_INSTALL_DIR": "/none",
    }.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(steps.StepFailed) as raised:
        wheel_verb._obtained(["3.99", "3.98t"])
    text = str(raised.value)
    assert "Found no Python 3.99" in text and "Found no Python 3.98t" in text
    assert "Debian's archive: apt-get is not installed" in text
    assert "uv python install 3.99, or pyenv install 3.99" in text
