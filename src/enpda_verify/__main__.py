"""`python -m enpda_verify FILE...`: exit code 0 when every certificate holds."""

import sys

from enpda_verify import verify


def main(files: list[str]) -> int:
    """Print one verdict per file."""
    if not files:
        print("usage: python -m enpda_verify FILE...", file=sys.stderr)
        return 2
    good = True
    for file in files:
        try:
            report = verify(file)
        except OSError as error:
            print(f"{file}: {error}", file=sys.stderr)
            return 2
        print(f"{file}: {report}")
        good = good and report.ok
    return 0 if good else 1


sys.exit(main(sys.argv[1:]))
