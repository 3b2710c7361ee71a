"""check.py NAME...: runs house checks over the tree this file is in; prints each broken rule."""
import importlib
import sys
from pathlib import Path

CHECKS = ["layers", "own_header", "sizes", "forbidden", "documents", "figures", "style", "locks"]


def main():
    root = Path(__file__).resolve().parents[2]
    broken = 0
    for name in sys.argv[1:] or CHECKS:
        for problem in importlib.import_module(name).problems(root):
            print(f"PROBLEM {problem}")
            broken += 1
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
