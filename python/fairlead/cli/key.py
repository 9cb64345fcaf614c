"""Makes a key that signs exported files and entries of a remote cache (Ed25519).

    fairlead key new build                  writes build.key, which signs, and build.pub, which tells its signatures
    fairlead export f.py:f -o f.so --sign build.key
    FAIRLEAD_TRUSTED_KEYS=build.pub program  loads only exported files that this key has signed

Keep the .key file where only who may sign can read it. A .pub file is a list: join several with cat.
"""

from __future__ import annotations

import argparse
import os

from fairlead.cli import CommandError

HELP = "make a key that signs exported files"


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["new"])
    parser.add_argument("name", metavar="NAME", help="NAME.key and NAME.pub are written")


def run(options: argparse.Namespace) -> int:
    from fairlead._compiler import new_key_pair

    public, secret = new_key_pair()
    comment = os.path.basename(options.name)
    for suffix, line, mode in ((".key", secret, 0o600), (".pub", public, 0o644)):
        path = options.name + suffix
        try:
            # A key that is there may be in use.
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from None
        with open(file, "w") as stream:
            stream.write(f"{line} {comment}\n")
    print(f"{options.name}.key signs, {options.name}.pub lists it: {public.split()[1]}")
    return 0
