"""compare.py BIN LIB CODE CLASS [--machine M] [--threads N] [--iterations N]: a benchmark under each way of
paper 001 to place pages; prints the accesses that each node's memory served, local and remote.

BIN is the folder of nas_counted, nas_told and xylem, LIB that of the libraries.
"""
import argparse
import ctypes
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MACHINE, THREADS = "node:8 core:2 pu:1", 16
# Of LU, whose loop has schedule(runtime): as static loops, and as AFFINITY(j) = DATA(a(i,j)) has it.
STATIC, OWNED = {"OMP_SCHEDULE": "static"}, {"XYLEM_SCHEDULE": "affinity:cyclic"}


ADDR_NO_RANDOMIZE = 0x0040000  # personality(2)


def lie_at_fixed_addresses():
    """Which node a small array's pages come to depends on where it begins: in each run alike."""
    ctypes.CDLL(None).personality(ADDR_NO_RANDOMIZE)


class Run:
    """What a run printed: `nodes`, [(local, remote)]; `last`, the last iteration's; `said`."""

    def __init__(self, command, settings, timeout):
        done = subprocess.run(command, text=True, capture_output=True, timeout=timeout,
                              env={**os.environ, **settings}, preexec_fn=lie_at_fixed_addresses)
        self.what = (command, settings, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
        assert done.returncode == 0, self.what
        rows = re.findall(r"^(node|iteration) \d+ local (\d+) remote (\d+)(?: at best \d+)?$", done.stdout, re.M)
        pairs = {kind: [(int(a), int(b)) for k, a, b in rows if k == kind] for kind in ("node", "iteration")}
        self.nodes, self.iterations = pairs["node"], pairs["iteration"]
        self.verdict = done.stdout.strip().splitlines()[-1]
        self.said = done.stderr

    def remote_share(self, last=False):
        pairs = self.iterations[-1:] if last else self.nodes
        return sum(b for _, b in pairs) / sum(a + b for a, b in pairs)

    def remote(self):
        return sum(b for _, b in self.nodes)

    def most_by_mean(self):
        sums = [a + b for a, b in self.nodes]
        return max(sums) * len(sums) / sum(sums)


class Benchmark:
    def __init__(self, folder, library, code, kind, machine=MACHINE, threads=THREADS, iterations=0, program="counted",
                 timeout=600):
        self.folder, self.code, self.timeout = Path(folder), code, timeout
        self.words = [code, str(kind)] + (["--iterations", str(iterations)] if iterations else [])
        self.program = str(self.folder / f"nas_{program}")
        # Threads stay: pages are compared. Who is bound is where the plan of the run takes it to be.
        self.settings = {"LD_LIBRARY_PATH": str(library), "XYLEM_MACHINE": machine, "OMP_NUM_THREADS": str(threads),
                         "OMP_PROC_BIND": "close", "XYLEM_VERBOSE": "true", **(STATIC if code == "lu" else {})}

    def run(self, placed, settings=None, around=(), more=()):
        command = [*around, self.program, *self.words, "--placed", placed, "--accounts", *more]
        return Run(command, {**self.settings, **(settings or {})}, self.timeout)

    def automatic(self):
        return self.run("round-robin")

    def manual(self):
        return self.run("manual", OWNED if self.code == "lu" else None)

    def online(self):
        return self.run("round-robin", {"XYLEM_ENGINES": "pages"})

    def offline(self):
        with tempfile.TemporaryDirectory() as folder:
            plan, xylem = str(Path(folder) / "plan.json"), str(self.folder / "xylem")
            self.run("round-robin", around=(xylem, "run", "--record", plan, "--"))
            return self.run("rest", around=(xylem, "run", "--apply", plan, "--"))

    def reuse(self):
        return self.run("nowhere", OWNED if self.code == "lu" else None, more=("--first-touch",))

    def all(self):
        return {name: getattr(self, name)() for name in ("automatic", "manual", "online", "offline", "reuse")}


def show(runs):
    print(f"{'':10} {'remote':>7} {'last':>7} {'most/mean':>9}   nodes: local+remote in thousands")
    for name, run in runs.items():
        nodes = " ".join(f"{a // 1000}+{b // 1000}" for a, b in run.nodes[:8])
        print(f"{name:10} {100 * run.remote_share():6.1f}% {100 * run.remote_share(True):6.1f}% "
              f"{run.most_by_mean():9.2f}   {nodes}{' ...' if len(run.nodes) > 8 else ''}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("folder", "library", "code", "kind"):
        parser.add_argument(name)
    parser.add_argument("--machine", default=MACHINE)
    parser.add_argument("--threads", type=int, default=THREADS)
    parser.add_argument("--iterations", type=int, default=0)
    parser.add_argument("--program", default="counted", choices=("counted", "told"))
    asked = parser.parse_args()
    runs = Benchmark(**vars(asked)).all()
    show(runs)
    print(next(iter(runs.values())).verdict)


if __name__ == "__main__":
    sys.exit(main())
