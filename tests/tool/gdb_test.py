"""Tests of scripts/xylem-gdb.py: gdb over a program stopped in nested regions, and over its core file.

XYLEM_LIBRARY names the folder of the library, CC the compiler. Skipped without a gdb that knows
Python, or where no process may be traced. With one PU every fiber but one is at rest when the
program stops, whatever the kernel does. Each class is one ctest.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPT = HERE.parents[1] / "scripts" / "xylem-gdb.py"
LIBRARY = os.environ.get("XYLEM_LIBRARY", "")
CC = os.environ.get("CC", "gcc")
GDB = ["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-iex", "set auto-load no",
       "-iex", "set width 0", "-iex", "set style enabled off"]
LISTED = re.compile(r"^(\*?) +(\d+)  (waits|is ready|on thread \d+|is switched) +(.*?)  +(.*)$", re.MULTILINE)
BY_HAND = ["set breakpoint pending on", "break stop_here", "run"]
FOR_EACH_TIER = ("1", "3")


def gdb(program, commands, tier="1", core=None):
    """What gdb prints; each command is preceded by a line of its own, `>> command`."""
    words = list(GDB)
    for line in [f"set environment LD_LIBRARY_PATH={LIBRARY}", "set environment XYLEM_MACHINE=pu:1",
                 "set environment XYLEM_TIME_SLICE=60000",  # no kernel thread comes to help
                 f"set environment XYLEM_TLS={tier}"] if core is None else []:
        words += ["-ex", line]
    words += ["-ex", f"source {SCRIPT}"]
    for command in commands:
        words += ["-ex", f"echo >> {command}\\n", "-ex", command]
    words += [str(program)] + ([str(core)] if core else [])
    done = subprocess.run(words, capture_output=True, text=True, timeout=200, check=False)
    return done.stdout + done.stderr


def answer(output, command):
    """What stands below a command's line."""
    return output.split(f">> {command}\n", 1)[1].split("\n>> ", 1)[0]


def fibers(text):
    """(number, state, role, place) of each line of `xylem fibers`."""
    return [(int(number), state, role.strip(), place)
            for _, number, state, role, place in LISTED.findall(text)]


def number_of(found, place, state):
    """Of the first fiber that is there in that state."""
    return next(number for number, is_state, _, is_place in found
                if place in is_place and is_state.startswith(state))


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="xylem-gdb-"))
        cls.program = cls.folder / "program"
        subprocess.run([CC, "-O1", "-g", "-fopenmp", HERE / "gdb_program.c", "-o", cls.program], check=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def expect_all_listed(self, listed, running="stop_here"):
        """The six members of three nested teams of two, one of them on a kernel thread. `listed`: what gdb printed."""
        found = fibers(listed)
        self.assertEqual(len(found), 6, listed)
        places = sorted(place.split(" at ")[0] for _, _, _, place in found)
        self.assertEqual(places, sorted(["give_way"] * 2 + [running] + ["wait_in_barrier"] * 3), found)
        for _, state, role, place in found:
            expected = ("waits" if "wait_in_barrier" in place else
                        "on thread" if running in place else "is ready")
            self.assertTrue(state.startswith(expected), (state, place))
            self.assertIn("of 2, level 2", role)
        self.assertIn("external thread", found[0][2])

    def expect_main(self, backtrace):
        """Of the external thread's fiber, which waits while its kernel thread runs another."""
        self.assertIn("wait_in_barrier", backtrace)
        self.assertRegex(backtrace.strip().split("\n")[-1], r" in main \(.*\) at .*gdb_program\.c")

    def expect_clean(self, backtrace):
        """It ends at the fiber's start, and nothing above it is of the kernel thread."""
        last = backtrace.strip().split("\n")[-1]
        self.assertRegex(last, r"first_frame|xylem_begin", backtrace)
        self.assertNotIn("corrupt", backtrace)
        self.assertNotIn("Backtrace stopped", backtrace)
        self.assertNotIn("stop_here", backtrace)


class Gdb(Case):
    def test_lists_and_selects_fibers(self):
        for tier in FOR_EACH_TIER:
            first = gdb(self.program, BY_HAND + ["xylem fibers"], tier)
            listed = answer(first, "xylem fibers")
            self.expect_all_listed(listed)
            found = fibers(listed)
            ready = number_of(found, "give_way", "is ready")
            runs = number_of(found, "stop_here", "on thread")
            output = gdb(self.program, BY_HAND + [
                "xylem fiber 1", "bt", "frame function main", "info locals", "xylem fiber",
                f"xylem fiber {ready}", "bt -full", "frame function give_way", "print token / 1000",
                f"xylem fiber {runs}", "bt 1", "xylem fiber off", "frame",
                "xylem fiber 77", "xylem apply bt", "thread apply all bt 1", "xylem fiber 1",
                "continue", "info threads"], tier)
            self.expect_main(answer(output, "bt"))
            self.assertIn("of_main = 4711", answer(output, "info locals"))
            self.assertIn("[Fiber 1 is selected]", answer(output, "xylem fiber"))
            self.expect_clean(re.sub(r"\n[^#].*", "", answer(output, "bt -full")))
            self.assertIn(" = 2", answer(output, "print token / 1000"))
            self.assertIn("stop_here", answer(output, "bt 1"))
            self.assertIn("stop_here", answer(output, "frame"))
            self.assertIn("there is no fiber 77", output)
            for one in re.split(r"\nFiber \d+ \(", answer(output, "xylem apply bt"))[2:]:
                if "on thread" not in one:
                    self.expect_clean(one.rsplit("\n\n", 1)[0])
            self.assertIn("exited normally", answer(output, "continue"))

    def test_what_is_not_there_is_said(self):
        output = gdb(self.program, ["break main", "xylem fibers", "run", "xylem fibers"])
        self.assertIn("there is no process", output)
        self.assertIn("No fibers", output)
        output = gdb(self.program, BY_HAND + ["xylem fibers"], "thread")
        self.assertIn("info threads", answer(output, "xylem fibers"))


class GdbCore(Case):
    """The kernel's own core files: gdb's generate-core-file leaves stacks out (docs/debugging.md)."""

    def core_of(self, tier):
        folder = self.folder / f"tier-{tier}"
        folder.mkdir()
        environment = dict(os.environ, LD_LIBRARY_PATH=LIBRARY, XYLEM_MACHINE="pu:1", XYLEM_TLS=tier,
                           XYLEM_TIME_SLICE="60000")
        subprocess.run(["bash", "-c", 'ulimit -c unlimited; exec "$0" aborts', self.program],
                       cwd=folder, env=environment, stderr=subprocess.DEVNULL, check=False)
        return next(folder.glob("core*"), None)

    def test_a_core_file_has_its_fibers(self):
        for tier in FOR_EACH_TIER:
            core = self.core_of(tier)
            if core is None:
                self.skipTest("this machine writes no core files into the folder of the process")
            output = gdb(self.program, [
                "xylem fibers", "xylem fiber 1", "bt", "frame function main", "info locals"], core=core)
            listed = answer(output, "xylem fibers")
            found = fibers(listed)
            killed = next((place.split(" at ")[0] for _, state, _, place in found
                           if state.startswith("on thread")), "")
            self.assertRegex(killed, "kill|raise|abort")
            self.expect_all_listed(listed, killed)
            self.expect_main(answer(output, "bt"))
            self.assertIn("of_main = 4711", answer(output, "info locals"))


def can_trace():
    if shutil.which("gdb") is None:
        return False
    done = subprocess.run(GDB + ["-ex", "python print('with python')", "-ex", "run", "/bin/true"],
                          capture_output=True, text=True, timeout=200, check=False)
    return "with python" in done.stdout and "exited normally" in done.stdout


if __name__ == "__main__":
    if not can_trace():
        print("skipped: no gdb with Python here that may trace a process")
        sys.exit(77)
    program = unittest.main(exit=False, argv=sys.argv, verbosity=1)
    sys.exit(0 if program.result.wasSuccessful() else 1)
