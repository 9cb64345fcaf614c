"""Pictures of docs/images that a program draws are those of the layouts, and pages show all of them."""

import importlib.util
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[3] / "docs"


def program():
    path = DOCS / "images" / "draw_blackwell.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


DRAWN = program().PICTURES


@pytest.mark.parametrize("name", DRAWN)
def test_pictures_are_those_of_the_layouts(name):
    """After a change of a layout, or of a picture: python docs/images/draw_blackwell.py."""
    picture = DRAWN[name]()
    assert (DOCS / "images" / name).read_text(encoding="utf-8") == picture
    ElementTree.fromstring(picture)


def test_pages_show_all_pictures():
    shown = {
        name
        for page in DOCS.glob("*.md")
        for name in re.findall(r"!\[[^\]]+\]\(images/([^)]+)\)", page.read_text())
    }
    files = {path.name for path in (DOCS / "images").glob("*.svg")}
    assert files == set(DRAWN) | {"overview.svg"} and set(DRAWN) <= shown <= files
