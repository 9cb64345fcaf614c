"""What ./run does, one module a verb (*_verb.py), over steps, environments and the build."""
