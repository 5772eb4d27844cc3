"""``python -m tools.pedestrian [FOLDER]``: see the package's docstring."""

import sys
from pathlib import Path

from tools.pedestrian.files import PACKAGE_DATA, write_files

if __name__ == "__main__":
    write_files(Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGE_DATA)
