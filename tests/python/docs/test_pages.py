"""Pages: their blocks of Python run, their links lead somewhere, and their lists are complete."""

import linecache
import re
from pathlib import Path

import pytest

from fairlead.cute._tuning import store

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted(
    [
        *(ROOT / "docs").glob("**/*.md"),
        *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "HACKING")),
    ]
)
# A comment above a block of Python that this machine cannot run.
NEEDS = re.compile(r"<!-- needs: (.*) -->\n\Z")
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def blocks(page: Path) -> list[tuple[int, str, str | None]]:
    """Return (line, text, needs) of each block of Python."""
    text = page.read_text()
    found = []
    for match in BLOCK.finditer(text):
        needs = NEEDS.search(text[: match.start()])
        found.append((text[: match.start(1)].count("\n"), match[1], needs and needs[1]))
    return found


WITH_BLOCKS = [page for page in PAGES if blocks(page)]


@pytest.mark.parametrize("page", WITH_BLOCKS, ids=lambda page: page.name)
def test_blocks_run(page, tmp_path, monkeypatch):
    """One after the other, in one namespace, as a reader would type them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAIRLEAD_TARGET", "cpu")
    if page.name == "tune.md":  # which says what is chosen by stored times
        monkeypatch.delenv("FAIRLEAD_NO_CACHE", raising=False)
        monkeypatch.setenv("FAIRLEAD_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setattr(store, "_loaded", {})  # its load_configs is for this page alone
    names: dict = {"__name__": page.stem}
    left_out = []
    for line, text, needs in blocks(page):
        # Functions are rewritten from their source, which Python looks up by the file's name.
        name = f"<{page.name}:{line + 1}>"
        source = "\n" * line + text
        linecache.cache[name] = len(source), None, source.splitlines(True), name
        code = compile(source, name, "exec")
        if needs:
            left_out.append(f"line {line + 1} needs {needs}")
        else:
            exec(code, names)
    if left_out:
        pytest.skip(f"the rest ran; {', '.join(left_out)}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    text = re.sub(r"(?<!\[)`[^`\n]*`", "", text)  # code
    for target in LINK.findall(text):
        path, _, anchor = target.partition("#")
        if "://" in path or path.startswith("mailto:"):
            continue
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file), target


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page: those of its headings, as GitHub makes them, and named ones."""
    found = set(re.findall(r'<a id="([^"]+)"', page.read_text()))
    for title in re.findall(r"^#+ (.*)$", page.read_text(), re.M):
        plain = re.sub(r"[^\w\- ]", "", title.lower())
        found.add(plain.replace(" ", "-"))
    return found


def test_every_page_is_in_a_table_of_contents():
    text = "".join(page.read_text() for page in PAGES)
    for page in PAGES:
        name = page.stem
        if page.parent == ROOT / "docs" and name != "index":
            assert re.search(rf"^{re.escape(name)}$", text, re.M), f"no toctree lists {name}"


def test_every_command_and_option_of_compile_is_documented():
    from fairlead.cli import commands
    from fairlead.cute._options import KNOWN

    page = (ROOT / "docs" / "command-line.md").read_text()
    assert [
        name for name in commands() if f"`{name}`" not in page and f"fairlead {name}" not in page
    ] == []
    page = (ROOT / "docs" / "compile.md").read_text()
    assert [option for option in KNOWN if f"`{option}" not in page] == []
