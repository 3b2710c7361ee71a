"""Reads left_out.txt: which of LLVM's tests are left out, and why."""
import pathlib

FILE = pathlib.Path(__file__).resolve().parent / "left_out.txt"


def read(file=FILE):
    """{name of a test: reason}. ValueError where a test has none."""
    left, reason = {}, ""
    for line in file.read_text().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith(" "):
            if not reason:
                raise ValueError(f"{line.strip()} is left out without a reason")
            left[line.strip()] = reason
        else:
            reason = line.strip().removesuffix(":")
    return left


def table(left):
    """The table of docs/conformance.md."""
    rows = [f"| `{name}` | {reason} |" for name, reason in sorted(left.items())]
    return "\n".join(["| test | why it is left out |", "|---|---|", *rows])
