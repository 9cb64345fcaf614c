__all__ = ["attention"]


def attention():
    pass
