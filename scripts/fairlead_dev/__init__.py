"""The verbs of ./run, one module each (*_verb.py), on top of steps, environments and the build."""
