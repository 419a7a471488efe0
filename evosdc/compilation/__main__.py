"""``python -m evosdc.compilation``: compile all listed kernels; says what it does on standard error."""

import sys

from evosdc.compilation.ahead import compile_listed
from evosdc.errors import ExecutorError


def main() -> None:
    """Compile; a kernel that cannot be compiled is told and is no failure."""
    print("evosdc: compiling its kernels, for a minute or two", file=sys.stderr, flush=True)
    try:
        done = compile_listed()
    except ExecutorError as error:
        sys.exit(f"evosdc: {error}")
    except KeyboardInterrupt:
        print("evosdc: stopped; what was compiled stays", file=sys.stderr)
        sys.exit(130)
    for line in done.failed:
        print(f"evosdc: not compiled: {line}", file=sys.stderr)
    print(f"evosdc: {done.kernels} kernels, {done.compiled} compiled, {done.seconds:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
