"""docs/mistakes.md, made from the table of mistakes and their errors."""

import re
import warnings
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "mistakes.md"

HEAD = """# Common mistakes

The messages for mistakes that most people make at first, each as one small program raised it. If Fairlead knows what
you probably meant, the last line begins with `help:`. All errors: [errors](errors.md).

`python tests/errors/mistakes_page.py` writes this page; a test compares it with the errors that are raised.
"""


def message_of(program) -> str:
    """Return the message of a program: the text of its exception with its notes, or its warning."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            program()
        except Exception as error:
            return "\n".join([str(error), *getattr(error, "__notes__", ())])
    assert said, "neither an exception nor a warning"
    return str(said[-1].message)


def page() -> str:
    import mistakes_of_cuda  # noqa: F401  further rows
    from mistakes import MISTAKES, SECTIONS

    text = [HEAD]
    for name, (title, program, _) in MISTAKES.items():
        if name in SECTIONS:
            text.append(f"\n## {SECTIONS[name]}\n")
        # Without the place, which is one of the table's own file.
        message = re.sub(r"^\S+\.py:\d+: ", "", message_of(program))
        lines = [line for line in message.splitlines() if not line.startswith("usage:")]
        text.append(f"\n**{title}**\n\n```text\n" + "\n".join(lines) + "\n```\n")
    return "".join(text)


if __name__ == "__main__":
    PAGE.write_text(page())
