"""Compares how stock libgomp and Xylem take the environment variables of OpenMP and of libgomp.

    compare.py PROBE FOLDER

PROBE is probe.c's program, FOLDER has Xylem as libgomp.so.1. For each environment of cases.py:
  - what the probe prints must be equal, and so must what OMP_DISPLAY_ENV and omp_display_env show
    (Xylem may show variables of its own when it is asked for all);
  - Xylem warns once of each variable that libgomp warns of, naming it, its value and what is used
    instead, and of no other.
cases.CHOSEN has the differences that Xylem chose, with reasons. Three more are known to this file:
  - Under a quota of processor time Xylem's default is fewer threads (usual() below).
  - libgomp 12 never shows the value of GOMP_CPU_AFFINITY; Xylem does.
  - Where OMP_DISPLAY_AFFINITY shows a thread's id, libgomp has an address and Xylem the kernel's
    number, which other tools show, too.
Exit code 77: the stock library is not GCC 12's.
"""
import concurrent.futures
import itertools
import os
import re
import subprocess
import sys

import cases

BEGIN, END = "OPENMP DISPLAY ENVIRONMENT BEGIN", "OPENMP DISPLAY ENVIRONMENT END"
SHOWN = re.compile(r"^  (\w+) = '(.*)'$")
NAME = re.compile(r"\bG?OMP_[A-Z_]+")
WARNING = re.compile(r"xylem: warning: (\w+)='(.*)': .+; using .+", re.DOTALL)
OTHER_NAMES = ("OMP_", "GOMP_", "KMP_", "XYLEM_", "LD_")
THREAD = re.compile(r"\bthread (0x[0-9a-f]+|\d+)\b")
NOT_COMPARED = {"GOMP_CPU_AFFINITY"}


class Answer:
    """What one run of the probe said."""

    def __init__(self, done):
        self.code = done.returncode
        self.printed = done.stdout.splitlines()
        self.blocks = []  # what was shown, a dictionary each time
        self.warnings = []
        self.others = []  # lines of OMP_DISPLAY_AFFINITY
        self._read_errors(line for line in done.stderr.splitlines() if line)
        self.others.sort()

    def _read_errors(self, lines):
        for line in lines:
            if line == BEGIN:
                inside = itertools.takewhile(lambda each: each != END, lines)
                self.blocks.append(dict(SHOWN.match(each).groups() for each in inside))
            elif line.startswith(("libgomp: ", "xylem: ")):
                self.warnings.append(line)
            else:
                self.others.append(THREAD.sub("thread ID", line))

    def procs(self):
        return next(line.split()[1] for line in self.printed if line.startswith("num_procs:"))


class Runner:
    def __init__(self, probe, folder):
        self.probe, self.folder = probe, folder
        kept = os.environ.items()
        self.clean = {name: value for name, value in kept if not name.startswith(OTHER_NAMES)}
        self.usual = {True: None, False: None}
        for xylem in (True, False):
            self.usual[xylem] = self.run({}, xylem).procs()

    def run(self, variables, xylem, words=()):
        environment = self.clean | variables
        if xylem:
            environment["LD_LIBRARY_PATH"] = self.folder
        # How many threads a dynamic team gets depends on how busy the machine is.
        words = words or (() if "OMP_DYNAMIC" in variables else ("team",))
        done = subprocess.run([self.probe, *words], env=environment, capture_output=True,
                              text=True, timeout=120)
        answer = Answer(done)
        if self.usual[xylem]:
            usual(answer, self.usual[xylem])
        return answer


def usual(answer, procs):
    """Writes `usual` for the number of threads that a program gets if nobody says otherwise."""
    answer.printed = [re.sub(rf"^(num_procs:|level \d+: threads) {procs}\b", r"\1 usual", line)
                      for line in answer.printed]
    for block in answer.blocks:
        if block["OMP_NUM_THREADS"] == procs:
            block["OMP_NUM_THREADS"] = "usual"


def differing(what, stock, xylem):
    """At most five lines on how two lists of lines differ."""
    if stock == xylem:
        return []
    pairs = itertools.zip_longest(stock, xylem, fillvalue="(nothing)")
    unequal = [pair for pair in pairs if pair[0] != pair[1]][:5]
    return [f"{what}: libgomp {a[:200]!r}, Xylem {b[:200]!r}" for a, b in unequal]


def as_lines(block, names):
    return [f"{name} = {block.get(name, '(not shown)')}" for name in names if
            name not in NOT_COMPARED]


def differing_blocks(stock, xylem):
    if len(stock) != len(xylem):
        return [f"libgomp shows the settings {len(stock)} times, Xylem {len(xylem)} times"]
    found = []
    for ours, theirs in zip(xylem, stock):
        more = ours.keys() - theirs.keys()
        found += differing("shown", as_lines(theirs, theirs), as_lines(ours, theirs))
        if "GOMP_STACKSIZE" not in theirs and more:
            found.append(f"Xylem shows {sorted(more)} without being asked for all")
    return found


def warned_by_libgomp(variables, answer):
    """The variables it warns of. Some lines do not name theirs."""
    named = {name for line in answer.warnings for name in NAME.findall(line)}
    for line in answer.warnings:
        if NAME.search(line):
            continue
        unnamed = "OMP_PLACES"
        if "Stack size" in line:
            right = "OMP_STACKSIZE" in variables and "OMP_STACKSIZE" not in named
            unnamed = "OMP_STACKSIZE" if right else "GOMP_STACKSIZE"
        named.add(unnamed)
    return named


def wrong_warnings(variables, expected, answer):
    found, seen = [], []
    for line in answer.warnings:
        match = WARNING.fullmatch(line)
        if not match:
            found.append(f"this does not name the variable, its value and what is used: {line}")
            continue
        name, value = match.groups()
        seen.append(name)
        if value != variables.get(name, "")[:100]:
            found.append(f"this shows another value: {line}")
    if sorted(seen) != sorted(expected):
        found.append(f"Xylem warns of {sorted(seen)}, not of {sorted(expected)}")
    return found


def differing_affinity(runner, like, words, stock, xylem):
    """libgomp may look at a member that has opened its next team already, and then shows that team's
    line in place of the member's, in one run of five: any of its answers will do."""
    for _ in range(20):
        if stock.others == xylem.others:
            return []
        stock = runner.run(like, False, words)
    return differing("affinity", stock.others, xylem.others)


def problems(runner, variables, like, warned, words=()):
    """`like`: what libgomp is given. `warned`: what Xylem is to warn of; None: as libgomp."""
    stock, xylem = runner.run(like, False, words), runner.run(variables, True, words)
    if warned is None:
        warned = warned_by_libgomp(variables, stock)
    found = differing("exit code", [str(stock.code)], [str(xylem.code)])
    found += differing("printed", stock.printed, xylem.printed)
    found += differing_blocks(stock.blocks, xylem.blocks)
    found += differing_affinity(runner, like, words, stock, xylem)
    return found + wrong_warnings(variables, warned, xylem)


def all_cases():
    """Arguments of problems() after the runner."""
    yield {}, {}, None
    for name, values in cases.VALUES.items():
        for value in values:
            yield {name: value}, {name: value}, None
    for variables in cases.TOGETHER:
        yield variables, variables, None
    for variables, like, warned, _ in cases.CHOSEN:
        yield variables, like, warned
    for variables, size in cases.TOUCH:
        yield variables, variables, None, ("touch", str(size))


def is_gcc_12(runner):
    block = runner.run({}, False).blocks
    return bool(block) and "GOMP_STACKSIZE" in block[-1] and "XYLEM_TLS" not in block[-1]


def main(probe, folder):
    runner = Runner(probe, folder)
    if not is_gcc_12(runner):
        print("the stock library is not GCC 12's libgomp")
        return 77
    every = list(all_cases())
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda case: problems(runner, *case), every)
        for case, found in zip(every, results):
            failed += bool(found)
            for problem in found:
                print(f"{case[0]}: {problem}")
    print(f"{len(every)} environments ({len(cases.CHOSEN)} chosen differences), {failed} failed")
    return 1 if failed or len(every) < 200 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
