"""run.py MODEL.pml CC: checks the model with spin, and that each planted fault breaks it.

A model says at its end, in lines `RIGHT: macros` and `FAULT: macros`, what it is checked with: the
property must hold with the first, and not with the second. Without spin: skipped.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
LINE = re.compile(r"^ \* (RIGHT|FAULT): (.*)$", re.MULTILINE)
ERRORS = re.compile(r"errors: (\d+)")
STATES = re.compile(r"(\d+) states, stored")


def check(model, compiler, macros, folder):
    """(errors, states) of all interleavings; more errors than one are not looked for."""
    defines = [f"-D{macro}" for macro in macros]
    subprocess.run(["spin", "-a", *defines, str(model)], cwd=folder, check=True)
    subprocess.run([compiler, "-w", "-O1", "-DSAFETY", "-DCOLLAPSE", "-DMEMLIM=2048", "-o", "pan",
                    "pan.c"], cwd=folder, check=True)
    output = subprocess.run(["./pan", "-m100000"], cwd=folder, check=True, capture_output=True,
                            text=True).stdout
    if "Search not completed" in output or "max search depth too small" in output:
        if "errors: 0" in output:
            sys.exit(f"{macros}: not all interleavings were seen\n{output}")
    return int(ERRORS.search(output).group(1)), int(STATES.search(output).group(1))


def main():
    model, compiler = Path(sys.argv[1]).resolve(), sys.argv[2]
    if not shutil.which("spin"):
        print("spin is not there (Debian: apt-get install spin)")
        return SKIPPED
    cases = LINE.findall(model.read_text())
    if {kind for kind, _ in cases} != {"RIGHT", "FAULT"}:
        sys.exit(f"{model.name}: says not what is right, or plants no fault")
    wrong = 0
    for kind, macros in cases:
        with tempfile.TemporaryDirectory() as folder:
            errors, states = check(model, compiler, macros.split(), folder)
        good = (errors == 0) == (kind == "RIGHT")
        wrong += not good
        print(f"{'ok ' if good else 'BAD'} {kind} {macros}: {errors} errors, {states} states", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
