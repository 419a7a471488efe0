"""``python -m evosdc``."""

from evosdc.cli import main

if __name__ == "__main__":
    main()
