"""`python -m enpda_verify FILE...`: exit code 0 when every certificate holds."""

import sys

from enpda_verify import printable, verify


def main(files: list[str]) -> int:
    """Print one verdict per file."""
    if not files:
        print("usage: python -m enpda_verify FILE...", file=sys.stderr)
        return 2
    code = 0
    for file in files:
        try:
            report = verify(file)
        except OSError as error:
            print(f"{printable(file)}: {printable(str(error))}", file=sys.stderr)
            code = 2
            continue
        print(f"{printable(file)}: {report}")
        code = max(code, 0 if report.ok else 1)
    return code


sys.exit(main(sys.argv[1:]))
