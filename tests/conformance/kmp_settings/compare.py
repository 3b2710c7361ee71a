"""Compares how stock libomp and Xylem take the KMP_ variables.

    compare.py PROBE FOLDER

PROBE is probe.c's program, compiled by Clang for LLVM's libomp; FOLDER has Xylem as libomp.so.5. For
each environment of cases.py what the probe prints must be equal, and Xylem must warn where libomp
warns and nowhere else. cases.CHOSEN has the differences that Xylem chose, with reasons; one that is
no difference any more is an error. Exit code 77: the stock library is not to be had.
"""
import concurrent.futures
import os
import subprocess
import sys

import cases

OTHER_NAMES = ("OMP_", "GOMP_", "KMP_", "LIBOMP_", "XYLEM_", "LD_")
WARNINGS = ("OMP: Warning", "xylem: warning")


def run(probe, folder, words, variables):
    """What the probe printed, by the words before each colon, and whether there was a warning."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(OTHER_NAMES)} | variables
    if folder:
        environment["LD_LIBRARY_PATH"] = folder
    done = subprocess.run([probe, *words.split()], env=environment, capture_output=True, text=True,
                          timeout=120)
    answer = dict(line.split(":", 1) for line in done.stdout.splitlines())
    answer["exit code"] = f"{done.returncode} {done.stderr}" if done.returncode else "0"
    answer["warning"] = str(any(line.startswith(WARNINGS) for line in done.stderr.splitlines()))
    return answer


def environments():
    yield "team nested teams bound", {}
    for name, (words, values) in cases.VALUES.items():
        for value in values:
            yield words, {name: value}
    yield from cases.TOGETHER


def has(variables, wanted):
    return all(name in variables and value in (None, variables[name])
               for name, value in wanted.items())


def compare(probe, folder, words, variables, used):
    """Lines on how the two differ. Adds the numbers of chosen differences that were met to `used`."""
    stock = run(probe, None, words, variables)
    xylem = run(probe, folder, words, variables)
    chosen = [(number, lines) for number, (_, lines, wanted) in enumerate(cases.CHOSEN)
              if has(variables, wanted)]
    said = []
    for name in sorted(stock.keys() | xylem.keys()):
        pair = stock.get(name, "(nothing)").strip(), xylem.get(name, "(nothing)").strip()
        numbers = [number for number, lines in chosen if name.startswith(lines)]
        if pair[0] == pair[1]:
            continue
        used.update(numbers)
        if not numbers:
            said.append(f"{variables}: {name}: libomp {pair[0]!r}, Xylem {pair[1]!r}")
    return said


def main():
    probe, folder = sys.argv[1:]
    loaded = subprocess.run(["ldd", probe], capture_output=True, text=True, check=True).stdout
    if "libomp.so.5 => /" not in loaded:
        print("libomp is not here")
        return 77
    used = set()
    tried = list(environments())
    with concurrent.futures.ThreadPoolExecutor(2) as workers:
        answers = list(workers.map(lambda each: compare(probe, folder, *each, used), tried))
    said = [line for lines in answers for line in lines]
    said += [f"no difference any more: {lines} in {wanted} ({reason})"
             for number, (reason, lines, wanted) in enumerate(cases.CHOSEN) if number not in used]
    print(*said, f"{len(tried)} environments, {len(said)} differences", sep="\n")
    return 1 if said else 0


sys.exit(main())
