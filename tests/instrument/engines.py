"""engines.py PROGRAM LIBRARY-FOLDER: runs engines.c's program on Xylem, and looks at what its engines move."""
import os
import re
import subprocess
import sys

MACHINE = "node:4 core:2 pu:1"
PAGES, NEAR, OPPOSITE = 48, "0 0 1 1 2 2 3 3", "3 3 2 2 1 1 0 0"


class Run:
    """One run: `shares`, `moved` and `nodes` by iteration."""

    def __init__(self, mode, engines, machine=MACHINE, **settings):
        done = subprocess.run([sys.argv[1], mode], text=True, capture_output=True, timeout=100, env={
            **os.environ, "LD_LIBRARY_PATH": sys.argv[2], "XYLEM_MACHINE": machine, "XYLEM_VERBOSE": "true",
            "XYLEM_ENGINES": engines, **settings})
        assert done.returncode == 0, (mode, engines, done.returncode, done.stdout, done.stderr)
        *lines, total = done.stdout.splitlines()
        split = [line.split(maxsplit=2) for line in lines]
        self.shares = [int(share) for share, _, _ in split]
        self.moved = [int(moved) for _, moved, _ in split]
        self.nodes = [nodes for _, _, nodes in split]
        self.total = total
        self.said = [line for line in done.stderr.splitlines() if "engines:" in line or "ENGINES" in line]
        self.what = (mode, engines, self.shares, self.moved, self.nodes, self.said)

    def says(self, pattern):
        return any(re.search(pattern, line) for line in self.said)


def off():
    run = Run("own", "off", XYLEM_STEAL_PATIENCE="-1")
    assert sum(run.moved) == 0 and not run.said and max(run.shares) < 40, run.what
    return run


def pages(before):
    run = Run("own", "pages")
    assert run.total == before.total, run.what
    assert run.shares[:3] == [share for share in run.shares[:3] if share < 40], run.what
    assert run.shares[6:] == [100] * 10 and set(run.nodes[6:]) == {NEAR}, run.what
    assert sum(run.moved) <= PAGES, run.what  # each once
    assert run.says("2 regions make an iteration"), run.what
    assert run.says(r"36 pages move and 0 threads are placed: local accesses 25.0% before, 100.0% after"), run.what


def threads():
    run = Run("apart", "threads")
    assert sum(run.moved) == 0, run.what
    assert run.shares[8:] == [100] * 8 and set(run.nodes[8:]) == {OPPOSITE}, run.what
    assert run.says(r" 0 pages move and 8 threads are placed: local accesses 0.0% before, 100.0% after"), run.what
    assert not run.says("go back"), run.what


def threads_go_back():
    run = Run("slower", "threads", XYLEM_STEAL_PATIENCE="-1")
    assert sum(run.moved) == 0, run.what
    assert OPPOSITE in run.nodes and set(run.nodes[-4:]) == {NEAR}, run.what
    assert run.says("threads go back"), run.what
    assert sum("threads are placed" in line for line in run.said) == 1, run.what  # not tried again


def automatic():
    for mode in ("own", "apart"):
        run = Run(mode, "auto")
        assert run.shares[8:] == [100] * 8, run.what
        assert sum(run.moved) <= PAGES, run.what


def counted():
    """Nothing moves, but the policy goes by the table."""
    run = Run("apart", "count", XYLEM_POLICY="memory")
    assert sum(run.moved) == 0, run.what
    assert run.shares[6:] == [100] * 10 and set(run.nodes[6:]) == {OPPOSITE}, run.what
    run = Run("apart", "count", XYLEM_STEAL_PATIENCE="-1")
    assert sum(run.moved) == 0 and run.shares == [0] * 16, run.what


LOOPS = {"XYLEM_SCHEDULE": "affinity:block", "OMP_PROC_BIND": "close"}


def loops():
    """Iterations go to threads that are near their pages, where these may not move."""
    before = Run("loops", "off", **LOOPS)
    assert before.shares == [0] * 16 and set(before.nodes) == {NEAR}, before.what
    run = Run("loops", "loops", **LOOPS)
    assert run.total == before.total and sum(run.moved) == 0, run.what
    assert run.shares[8:] == [100] * 8 and set(run.nodes[8:]) == {OPPOSITE}, run.what
    assert run.says(r" 0 pages move and 8 threads have other iterations: "
                    r"local accesses 0.0% before, 100.0% after"), run.what
    either = Run("loops", "auto", **LOOPS)  # pages may be as cheap
    assert either.total == before.total and either.shares[8:] == [100] * 8, either.what
    # Without XYLEM_SCHEDULE loops that are dynamic for want of OMP_SCHEDULE have owners, too.
    run = Run("loops", "loops", OMP_PROC_BIND="close")
    assert run.total == before.total and sum(run.moved) == 0, run.what


def loops_go_back():
    run = Run("loops-slower", "loops", **LOOPS)
    assert OPPOSITE in run.nodes and set(run.nodes[-4:]) == {NEAR}, run.what
    assert run.says("loops' iterations go back"), run.what
    assert sum("have other iterations" in line for line in run.said) == 1, run.what  # not tried again


def no_loops():
    assert Run("apart", "loops", **LOOPS).says("no iterations move: none of the loops has"), "no loops"


def bouncing():
    run = Run("bounce", "pages")
    moves = [moved for moved in run.moved if moved]
    assert 2 <= len(moves) <= 4, run.what  # there, back twice, and no more
    assert run.moved[-6:] == [0] * 6, run.what


def told():
    run = Run("told", "pages")
    assert run.shares[4:] == [100] * 12, run.what


def bound():
    """Threads that are bound, have kernel threads, or are placed by others stay; their pages come."""
    for settings in ({"OMP_PROC_BIND": "close"}, {"XYLEM_TLS": "thread"}, {"XYLEM_POLICY": "memory"}):
        run = Run("own", "auto", **settings)
        assert run.shares[8:] == [100] * 8 and sum(run.moved) <= PAGES, run.what
        assert not run.says("[1-9] threads are placed"), run.what
    assert Run("apart", "threads", OMP_PROC_BIND="close").says("threads do not move"), "bound"


def refusals():
    run = Run("own", "auto", machine="node:1 core:4 pu:1")
    assert run.says("one memory node") and sum(run.moved) == 0, run.what


def main():
    pages(off())
    threads()
    threads_go_back()
    automatic()
    counted()
    loops()
    loops_go_back()
    no_loops()
    bouncing()
    told()
    bound()
    refusals()


main()
