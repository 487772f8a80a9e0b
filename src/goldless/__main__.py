"""The command `goldless`, also as `python -m goldless`."""

import sys


def main() -> None:
    """Run the command line, or say what to install for it."""
    try:
        # The library itself does without the extra.
        from goldless.cli import app
    except ModuleNotFoundError as missing:
        sys.exit(f"The command line needs the package {missing.name!r}: pip install 'goldless[cli]'")
    try:
        app()
    except Exception as error:
        if "--debug" in sys.argv:
            raise
        sys.exit(f"goldless failed: {type(error).__name__}: {error}. Run it with --debug to see where, and tell us.")


if __name__ == "__main__":
    main()
