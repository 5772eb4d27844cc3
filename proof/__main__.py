"""``python -m proof COMMAND``: what ``python3 dev.py bench``, ``book`` and ``figures`` run."""

from __future__ import annotations

import sys

from proof.commands import main

if __name__ == "__main__":
    sys.exit(main())
