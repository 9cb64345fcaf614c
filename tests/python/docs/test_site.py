"""The site builds without a warning, and contains all that the pages promise."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    for needed in ("sphinx", "myst_parser", "furo", "sphinx_copybutton", "sphinx_design"):
        pytest.importorskip(
            needed, reason=f"the site needs {needed}: scripts/requirements/docs.txt"
        )
    from fairlead_dev import site_pages

    folder = tmp_path_factory.mktemp("site")
    site_pages.write(folder / "source", folder / "no plots")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    done = subprocess.run(
        [*command, folder / "source", folder / "html"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder / "html"


def test_every_error_has_an_anchor(site):
    from fairlead import _compiler

    page = (site / "errors.html").read_text()
    assert [id for id, _, _ in _compiler.diagnostics() if f'id="{id}"' not in page] == []


def test_every_tutorial_is_a_page(site):
    from fairlead_dev import site_pages

    for path in site_pages.tutorials():
        page = (site / "tutorials" / f"{path.stem}.html").read_text()
        assert "<h1>" in page and "%%" not in page and "[markdown]" not in page


def test_a_tutorial_shows_its_form_in_cpp(site):
    pages = {path.stem: path.read_text() for path in (site / "tutorials").glob("*.html")}
    assert [name for name, page in pages.items() if "The same in C++" in page] == ["01_vector_add"]
    assert "vectorAdd" in pages["01_vector_add"]


def test_public_functions_are_described(site):
    pages = "".join(page.read_text() for page in (site / "api").glob("*.html"))
    for name in ("make_fake_compact_tensor", "local_tile", "sync_threads", "thread_values", "gemm"):
        assert f">{name}<" in pages, name


def test_functions_for_frameworks_are_described_with_their_types(site):
    for module, text in (
        ("torch", "op(function: Callable"),
        ("jax", "call(function: Callable"),
        ("ffi", "get_global_func(name: str"),
        ("checks", "to_sarif(findings: Iterable"),
    ):
        page = (site / "api" / f"fairlead.{module}.html").read_text()
        assert text in re.sub("<[^>]*>", "", page), module
