"""`python -m enpda`: the command line."""

import sys

from enpda.cli import main

if __name__ == "__main__":
    sys.exit(main())
