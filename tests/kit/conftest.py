"""The frozen plugin is imported as any installed one would be."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent / "frozen"))
