"""Codelets over ranks (include/xylem/codelet_mpi.h), by each MPI that is installed.

XYLEM_LIBRARY is the folder of libxylem.so. The program ranks.c is compiled as a user compiles his: by
the MPI's own mpicc, with the files of include/xylem/codelet_mpi.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LIBRARY = os.environ.get("XYLEM_LIBRARY", "")
ROUNDS = os.environ.get("XYLEM_RANK_ROUNDS", "6")
HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"
MPIS = (("openmpi", ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"], "-x XYLEM_MACHINE={}"),
        ("mpich", ["mpiexec.hydra"], "-env XYLEM_MACHINE {}"))
PUS = ("pu:1", "pu:2", "node:2 pu:3", "pu:1")


class Ranks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="xylem-ranks-")
        cls.mpis = [(*mpi, cls.compile(mpi[0])) for mpi in MPIS
                    if shutil.which(mpi[1][0]) and shutil.which("mpicc." + mpi[0])]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def compile(cls, mpi):
        program = os.path.join(cls.folder, "ranks-" + mpi)
        sources = [HERE / "ranks.c", HERE / "rank_graphs.c", *sorted((INCLUDE / "xylem/codelet_mpi").glob("*.c"))]
        subprocess.run(["mpicc." + mpi, "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-I", INCLUDE, *sources,
                        "-L", LIBRARY, "-lxylem", "-Wl,-rpath," + LIBRARY, "-pthread", "-o", program], check=True)
        return program

    def run_ranks(self, count, *words, machines=()):
        """(MPI, how it ended) of each MPI. `machines`: what rank 0, 1, ... take their machine to be."""
        if not self.mpis:
            self.skipTest("no MPI")
        for mpi, launcher, variable, program in self.mpis:
            command = list(launcher)
            for rank in range(count) if machines else [0]:
                command += [":"] if rank else []
                command += ["-n", "1" if machines else str(count)]
                if machines:
                    command += [word.replace("{}", machines[rank]) for word in variable.split()]
                command += [program, *words]
            yield mpi, subprocess.run(command, capture_output=True, text=True, timeout=200,
                                      env={**os.environ, "TMPDIR": self.folder})

    def expect_success(self, count, *words, machines=()):
        for mpi, done in self.run_ranks(count, *words, machines=machines):
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), mpi)

    def test_random_graphs(self):
        for count in (1, 2, 3, 4):
            self.expect_success(count, "graphs", ROUNDS, str(100 * count))

    def test_random_graphs_on_unequal_machines(self):
        for count in (2, 4):
            self.expect_success(count, "graphs", ROUNDS, str(900 + count), machines=PUS)

    def test_explicit_transfers(self):
        for count in (2, 4):
            self.expect_success(count, "ring")

    def test_a_receive_holds_no_executor_up(self):
        self.expect_success(2, "free", machines=("pu:1", "pu:1"))

    def test_what_functions_return(self):
        for count in (1, 3):
            self.expect_success(count, "calls")

    def test_an_mpi_without_threads_is_refused(self):
        for count, word, why in ((1, "none", "was not started"), (2, "single", "has MPI_THREAD_SINGLE")):
            for mpi, done in self.run_ranks(count, word):
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr, count * (
                    "xylem: codelets over ranks need an MPI that MPI_Init_thread() has started with "
                    "MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE; this one %s\n" % why), mpi)

    def expect_end(self, word, *lines):
        for mpi, done in self.run_ranks(3, word):
            self.assertNotEqual(done.returncode, 0, mpi)
            said = sorted(line for line in done.stderr.splitlines() if re.search("xylem: rank .*(, here: | bytes )", line))
            self.assertEqual(said, list(lines), (mpi, done.stderr))

    def test_ranks_that_differ_are_named(self):
        start = "xylem: rank %d: ranks submitted different graphs; from call 62 since the last wait on, here: %s"
        first = start % (0, "add_one, rank 0, tag 7")
        self.expect_end("different", first, start % (1, "slow, rank 0, tag 7"))
        self.expect_end("shorter", first, start % (1, "none, rank -1, tag -1"))
        self.expect_end("sizes", "xylem: rank 1: data of tag 9 has 16 bytes on rank 0 and 12 here")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]], verbosity=1)
