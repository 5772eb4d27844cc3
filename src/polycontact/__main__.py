"""``python -m polycontact``: the command line."""

import sys

from polycontact.cli import main

if __name__ == "__main__":
    sys.exit(main())
