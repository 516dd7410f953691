"""`python -m loopwright`: the same as the command `loopwright`."""

import sys

from loopwright.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
