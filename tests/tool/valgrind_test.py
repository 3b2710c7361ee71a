"""Valgrind's memcheck over a program on Xylem: it knows fibers' stacks, and finds what is the program's.

XYLEM_LIBRARY names the folder of the library, CC the compiler. Skipped without Valgrind, or where the
library was built without its header.
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
LIBRARY = os.environ.get("XYLEM_LIBRARY", "")
CC = os.environ.get("CC", "gcc")
ROUNDS, MEMBERS, DEEP, SHALLOW = 3, 8, 40, 5
ERRORS = re.compile(r"ERROR SUMMARY: (\d+) errors")


def sum_to(depth):
    return depth * (depth + 1) // 2


class Valgrind(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.program = Path(cls.folder.name) / "program"
        subprocess.run([CC, "-O1", "-g", "-fopenmp", str(HERE / "valgrind_program.c"), "-o", str(cls.program)],
                       check=True)

    def memcheck(self, arguments=(), **settings):
        environment = dict(os.environ, LD_LIBRARY_PATH=LIBRARY, OMP_MAX_ACTIVE_LEVELS="2", **settings)
        done = subprocess.run(["valgrind", "--leak-check=no", str(self.program), *arguments], env=environment,
                              capture_output=True, text=True, timeout=200, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        levels = sum_to(DEEP) + 2 * sum_to(SHALLOW)
        self.assertEqual(int(done.stdout), ROUNDS * MEMBERS * levels)
        return done.stderr

    def test_stacks_are_known(self):
        for size in "256k", "8m":  # stacks closer to each other than what Valgrind takes for a switch, and not
            said = self.memcheck(OMP_STACKSIZE=size)
            self.assertEqual(ERRORS.search(said).group(1), "0", said)
            self.assertNotIn("switching stacks", said)

    def test_an_error_of_a_member_is_found(self):
        said = self.memcheck(["unset"], OMP_STACKSIZE="256k")
        self.assertEqual(int(ERRORS.search(said).group(1)), MEMBERS, said)
        self.assertIn("read_one_unset", said)


if __name__ == "__main__":
    if not shutil.which("valgrind") or not Path("/usr/include/valgrind/valgrind.h").is_file():
        sys.exit(77)
    unittest.main()
