"""Make the site's sources: docs/ unchanged, tutorials as pages, and stubs that turn docstrings into API pages."""

import re
import shutil
from pathlib import Path

from . import steps

DOCS = steps.ROOT / "docs"
TUTORIALS = steps.ROOT / "examples" / "tutorials"

# Module -> what its page is about.
MODULES = {
    "fairlead": "numeric types and compile-time words",
    "fairlead.cute": "the kernel language",
    "fairlead.cute.arch": "threads, warps, blocks",
    "fairlead.cute.math": "mathematical functions",
    "fairlead.cute.nvgpu": "operations of copy and MMA atoms",
    "fairlead.cute.nvgpu.warp": "operations of a warp",
    "fairlead.cute.nvgpu.cpasync": "asynchronous copies",
    "fairlead.cute.runtime": "stand-ins, and loading files",
    "fairlead.cute.testing": "assertions, measuring, tuning",
    "fairlead.tuning": "tuning",
    "fairlead.pictures": "pictures of layouts",
    "fairlead.ops": "ready kernels",
    "fairlead.primitives": "a function for each instruction",
    "fairlead.primitives.cuda": "tensor maps",
    "fairlead.pipeline": "barriers of parts of a block",
    "fairlead.utils": "helpers for kernels",
    "fairlead.kernels": "kernels in CUDA C++, PTX or machine code",
    "fairlead.torch": "operators of PyTorch",
    "fairlead.jax": "calls of JAX",
    "fairlead.plans": "functions that choose a kernel once for each kind of call",
    "fairlead.tasks": "kernels described by resources, schedules and tasks",
    "fairlead.checks": "findings of checked kernels",
    "fairlead.ffi": "functions, objects, modules and containers of the open ABI",
    "fairlead.bundles": "many functions in one library",
    "fairlead.timeline": "ranges that warps record while kernels run",
    "fairlead.coverage": "lines of kernels that threads execute",
    "fairlead.errors": "exceptions",
}

# A link, or code, which contains no links.
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)|(?<!\[)`[^`]*`")


def tutorials() -> list[Path]:
    return sorted(TUTORIALS.glob("[0-9]*.py"))


def write(source: Path, plots: Path) -> None:
    """Writes the sources of the site to a new folder."""
    source.mkdir(parents=True)
    for name in ("conf.py", "site.css"):
        shutil.copy(DOCS / name, source)
    shutil.copytree(DOCS / "images", source / "images", ignore=shutil.ignore_patterns("*.py"))
    for path in sorted(DOCS.glob("*.md")):
        (source / path.name).write_text(_relinked(path.read_text(), path, source))
    (source / "changelog.md").write_text(
        _relinked((steps.ROOT / "CHANGELOG.md").read_text(), steps.ROOT / "CHANGELOG.md", source)
    )
    folder = source / "tutorials"
    folder.mkdir()
    for path in tutorials():
        page = _relinked(tutorial_page(path.read_text()), path, source, depth=1)
        if (cpp := path.with_suffix(".cpp")).exists():
            page += f"\n## The same in C++\n\n```cpp\n{cpp.read_text().strip()}\n```\n"
        pictures = sorted(plots.glob(f"{path.stem}*.svg")) or sorted(
            plots.glob(f"{path.stem[:2]}_*.svg")
        )
        if pictures:
            page += "\n## Measured, drawn\n\n"
        for picture in pictures:
            shutil.copy(picture, folder)
            page += f"```{{image}} {picture.name}\n:alt: {picture.stem}\n```\n\n"
        (folder / f"{path.stem}.md").write_text(page)
    api = source / "api"
    api.mkdir()
    for name, about in MODULES.items():
        (api / f"{name}.rst").write_text(_module_page(name, about))


def tutorial_page(text: str) -> str:
    """A tutorial as Markdown: cells of comments as they are, cells of code as blocks."""
    page = []
    for cell in re.split(r"^# %%", text, flags=re.M)[1:]:
        head, _, body = cell.partition("\n")
        if "[markdown]" in head:
            page.append(
                "\n".join(
                    line.removeprefix("#").removeprefix(" ") for line in body.strip().splitlines()
                )
            )
        elif body.strip():
            page.append(f"```python\n{body.strip()}\n```")
    return "\n\n".join(page) + "\n"


def _relinked(text: str, origin: Path, source: Path, depth: int = 0) -> str:
    """Links to pages of the site as they are there; other files of the repository become downloads."""
    up = "../" * depth

    def target(match: re.Match) -> str:
        shown, link, anchor = match[1], match[2], match[3] or ""
        if link is None or "://" in link or link.startswith("mailto:"):
            return match[0]
        path = (origin.parent / link).resolve()
        if path.parent == DOCS and path.suffix == ".md":
            return f"[{shown}]({up}{path.name}{anchor})"
        if path.parent == TUTORIALS and path.name[0].isdigit() and path.suffix == ".py":
            return f"[{shown}]({up}tutorials/{path.stem}.md)"
        if not path.is_relative_to(steps.ROOT) or not path.exists():
            raise steps.StepFailed(f"{origin.name}: the link to {link} leads nowhere")
        if path == TUTORIALS:
            return f"[{shown}]({up}learn.md)"
        if path.name == "CHANGELOG.md":
            return f"[{shown}]({up}changelog.md)"
        if path.is_dir():
            return f"`{path.relative_to(steps.ROOT)}`"
        copy = source / "files" / path.relative_to(steps.ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
        return f"{{download}}`{shown.strip('`')} <{up}files/{path.relative_to(steps.ROOT)}>`"

    fence = False
    lines = []
    for line in text.splitlines():
        fence ^= line.lstrip().startswith("```")
        lines.append(line if fence else _LINK.sub(target, line))
    return "\n".join(lines) + "\n"


def _module_page(name: str, about: str) -> str:
    title = f"{name}: {about}"
    return (
        f"{title}\n{'=' * len(title)}\n\n.. automodule:: {name}\n   :members:\n   :imported-members:\n"
        "   :undoc-members:\n"
    )
