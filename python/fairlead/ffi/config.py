"""``python -m fairlead.ffi.config --includedir``: where headers and libraries are, as ``fairlead-config`` tells."""

from fairlead.config import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
