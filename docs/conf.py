"""The site's settings, for Sphinx; ./run docs builds it."""

import importlib

import fairlead

project = "Fairlead"
author = "the Fairlead authors"
version = release = fairlead.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
]
html_theme = "furo"
html_title = f"Fairlead {version}"
html_show_sourcelink = False
html_show_copyright = False
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = False
exclude_patterns = ["files/**"]
myst_heading_anchors = 4
# Attributes of docstrings as a list, as autodoc describes them itself.
napoleon_use_ivar = True
# In docstrings a name between single backticks is code.
default_role = "code"
autodoc_typehints = "signature"
autodoc_class_signature = "separated"
copybutton_prompt_text = r">>> |\$ "
copybutton_prompt_is_regexp = True
# Blocks that are no language's: messages, grammars.
highlight_language = "none"
# Several modules have a Tensor, a dtype and a type: a name alone leads to none of them.
suppress_warnings = ["misc.highlighting_failure", "ref.python"]


def _without_lazy_names(app) -> None:
    """Loads what modules hand out on first use, which autodoc would not see."""
    for name in ("fairlead", "fairlead.cute", "fairlead.cute.runtime"):
        module = importlib.import_module(name)
        for public_name in module.__all__:
            getattr(module, public_name)


_described: dict[int, str] = {}
_inner: set[int] = set()


def _skip(app, what: str, name: str, value: object, skip: bool, options: object) -> bool | None:
    """Describe a name that several modules offer on one page only."""
    if what == "class" and isinstance(value, type):
        # If two classes share a member, it is documented with the first.
        first = id(value) not in _inner
        _inner.add(id(value))
        return None if first else True
    if name in ("__init__", "__new__") and not _documented(value):
        return True
    if what != "module" or skip:
        return None
    return True if _described.setdefault(id(value), app.env.docname) != app.env.docname else None


def _documented(value: object) -> bool:
    """True if a constructor's docstring says more than that of `object`."""
    text = getattr(value, "__doc__", None) or ""
    return text not in (object.__init__.__doc__, object.__new__.__doc__) and "\n\n" in text


def setup(app) -> None:
    app.connect("autodoc-skip-member", _skip)
    app.connect("builder-inited", _without_lazy_names)
