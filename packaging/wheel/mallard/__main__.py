"""Becomes the command that lies in this package: `mallard ...` and `python -m mallard ...`."""

import os
import sys


def main():
    command = os.path.join(os.path.dirname(os.path.realpath(__file__)), "bin", "mallard")
    try:
        os.execv(command, ["mallard"] + sys.argv[1:])
    except OSError as problem:
        sys.exit("mallard: cannot run %s: %s" % (command, problem.strerror))


if __name__ == "__main__":
    main()
