"""The global functions ``testing.<name>`` of the testing library, each as the attribute ``<name>``."""

from __future__ import annotations

from fairlead.ffi._registry import init_ffi_api
from fairlead.ffi.testing import _library  # noqa: F401  registers them

init_ffi_api("testing", __name__)
