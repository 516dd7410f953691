"""The command `loopwright` while its package is loaded, which takes a while: Ctrl-C ends it quietly then too.

It stands beside the package, since whatever stands inside is only reached when the package's door has been loaded.
"""

import importlib
import signal


def main() -> int:
    """Load the command line and run it; see `loopwright.cli.main.main`."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    command = importlib.import_module("loopwright.cli.main")
    signal.signal(signal.SIGINT, handler)
    code: int = command.main()
    return code
