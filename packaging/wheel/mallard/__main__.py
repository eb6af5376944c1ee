"""Becomes the command that lies in this package: `mallard ...` and `python -m mallard ...`."""

import os
import sys


def without_command(malloc):
    """The wheel for musl has the mallocs alone."""
    if sys.argv[1:] == ["doctor", "--library", "mallard"]:
        print(malloc)
        return
    sys.exit("mallard: the command needs glibc, and this wheel is for musl; the malloc runs here: "
             "LD_PRELOAD=%s ./program" % malloc)


def main():
    here = os.path.dirname(os.path.realpath(__file__))
    command = os.path.join(here, "bin", "mallard")
    if not os.path.exists(command):
        return without_command(os.path.join(here, "lib", "libmallard-malloc.so"))
    try:
        os.execv(command, ["mallard"] + sys.argv[1:])
    except OSError as problem:
        sys.exit("mallard: cannot run %s: %s" % (command, problem.strerror))


if __name__ == "__main__":
    main()
