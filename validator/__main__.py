"""``python -m validator``: the command ``plan-validator``."""

import sys

from validator.cli import main

if __name__ == "__main__":
    sys.exit(main())
