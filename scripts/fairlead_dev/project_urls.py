"""The addresses in the metadata of wheels: those of the repository that the checkout was cloned from.

scikit-build-core calls `dynamic_metadata` while it builds a wheel. A fork's wheels then name the fork, and a checkout
that was cloned from no web address gives wheels without addresses.
"""

import re
import subprocess
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_ADDRESS = re.compile(
    r"(?:https://(?:[^@/]+@)?|git@|ssh://git@)([\w.-]+)[:/]([\w.-]+/[\w.-]+?)(?:\.git)?/?"
)


def dynamic_metadata(_settings: object, _project: object) -> dict[str, dict[str, str]]:
    """Return the fields of pyproject.toml's table `project` that are made here: `urls`."""
    asked = subprocess.run(
        ["git", "-C", _ROOT, "remote", "get-url", "origin"], capture_output=True, text=True
    )
    return {"urls": urls_of(asked.stdout.strip())}


def urls_of(remote: str) -> dict[str, str]:
    """Return the pages of the repository at a git remote such as `git@host:owner/name.git`; none for a local path."""
    match = _ADDRESS.fullmatch(remote)
    if not match:
        return {}
    home = f"https://{match[1]}/{match[2]}"
    return {
        "Homepage": home,
        "Documentation": f"{home}/tree/main/docs",
        "Changelog": f"{home}/blob/main/CHANGELOG.md",
        "Issues": f"{home}/issues",
        "Security": f"{home}/blob/main/SECURITY.md",
    }
