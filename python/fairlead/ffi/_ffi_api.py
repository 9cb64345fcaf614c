"""The library's own global functions ``ffi.<name>``, each as the attribute ``<name>``."""

from __future__ import annotations

from fairlead.ffi._registry import init_ffi_api

init_ffi_api("ffi", __name__)
