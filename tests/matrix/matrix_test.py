"""What the matrix runs, and what it takes for a failure: against a build folder with made-up tests."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

MATRIX = pathlib.Path(__file__).resolve().parent / "matrix"

TESTS = """
add_test(omp.counts "/bin/sh" "-c" "echo run >> runs; test -z \\"$LD_PRELOAD\\"")
add_test(omp.blocking.told "/bin/sh" "-c" "echo run >> told")
add_test(omp.of_tier "/bin/sh" "-c" "test $XYLEM_TLS != 2")
set_tests_properties(omp.of_tier PROPERTIES ENVIRONMENT "OMP_NUM_THREADS=4;LD_PRELOAD=")
add_test(omp.raised "/bin/sh" "-c" "echo XYLEM_TLS=$XYLEM_TLS: the program needs tier 3, which is used")
add_test(omp.absent "/bin/sh" "-c" "exit 77")
add_test(omp.words "/bin/sh" "-c" "echo no end of words; exit 3")
set_tests_properties(omp.words PROPERTIES PASS_REGULAR_EXPRESSION "end of words")
"""


class Matrix(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        (self.folder / "CTestTestfile.cmake").write_text(TESTS, encoding="ascii")

    def run_matrix(self, tests, *more):
        return subprocess.run([sys.executable, MATRIX, "--build", self.folder, "--tests", tests, "--runs", "3",
                               *more], text=True, capture_output=True, check=False)

    def lines_of(self, name):
        return len((self.folder / name).read_text(encoding="ascii").splitlines())

    def test_settings_that_a_test_leaves_open(self):
        """Four tiers, two numbers of threads; what is preloaded fails the test, and a row ends there."""
        done = self.run_matrix("counts")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.lines_of("runs"), 8 * 3 + 8)
        self.assertIn("32 runs of 16 programs and settings: 8 failed", done.stdout)
        self.assertIn("exit code 1", done.stdout)

    def test_some_tiers(self):
        done = self.run_matrix("told|absent", "--tiers", "1", "thread", "--members", "16")
        self.assertRegex(done.stdout, r"omp\.absent +4 +0 +12 +12 +0")

    def test_settings_that_a_test_has_stay(self):
        done = self.run_matrix("of_tier")
        self.assertIn("10 runs of 4 programs and settings: 1 failed", done.stdout)
        self.assertIn("omp.of_tier LD_PRELOAD= OMP_NUM_THREADS=4 XYLEM_TLS=2: 1 runs, FAILED, exit code 1", done.stdout)

    def test_a_test_that_says_what_it_expects_runs_as_it_is(self):
        self.assertEqual(self.run_matrix("told").returncode, 0)
        self.assertEqual(self.lines_of("told"), 3)

    def test_output_decides_where_the_test_says_so(self):
        self.assertEqual(self.run_matrix("words").returncode, 0)

    def test_a_skipped_run_is_counted_as_such(self):
        done = self.run_matrix("absent", "--members", "2")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"omp\.absent +8 +0 +24 +24 +0")

    def test_a_raised_program_runs_in_its_own_tier(self):
        done = self.run_matrix("raised", "--members", "2")
        self.assertRegex(done.stdout, r"omp\.raised +8 +4 +16 +0 +0")

    def test_no_such_test(self):
        done = self.run_matrix("dance")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is called dance", done.stderr)


if __name__ == "__main__":
    unittest.main()
