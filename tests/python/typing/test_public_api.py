"""The public interface is what `public_api.txt` lists."""

import difflib

import public_api
import pytest


def test_listing_is_current():
    """Fail if the interface changes: update the listing, and name the change in CHANGELOG.md."""
    listed = public_api.LISTING.read_text().splitlines()
    changes = difflib.unified_diff(listed, public_api.listing().splitlines(), lineterm="", n=0)
    assert [*changes] == [], "python tests/python/typing/public_api.py updates the listing"


@pytest.mark.parametrize(
    "line",
    [
        "def ceil_div(",
        "class JitFunction(",
        "    def launch(self, *, grid: ",
        "@overload",
        "class Tensor:",
        "import fairlead.cute.arch",
        "Float32 = fairlead.cute.Float32",
    ],
)
def test_listing_has_every_kind_of_declaration(line):
    assert any(each.startswith(line) for each in public_api.LISTING.read_text().splitlines())


def test_a_change_of_a_signature_is_seen():
    _, _, [function] = public_api.definition("fairlead.cute", "make_swizzle")
    before = public_api.listing()
    function.args.args.pop()
    changed = public_api.listing()
    public_api._tree.cache_clear()
    assert changed != before == public_api.listing()
