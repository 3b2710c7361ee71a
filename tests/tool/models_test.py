"""Tests of `xylem models`: a program with codelets measures, the next one knows, the user looks and forgets.

MODELS names the program of tests/hetero that runs codelets of two sizes and says which policy it runs under.
"""
import glob
import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import command_test  # noqa: E402

MODELS = os.environ.get("MODELS", "models")


class Models(command_test.Case):
    def measure(self, cache, policy):
        environment = dict(os.environ, XDG_CACHE_HOME=cache, XYLEM_CODELET_POLICY=policy)
        return subprocess.run([MODELS], env=environment, capture_output=True, text=True, timeout=120)

    def models(self, cache, *words):
        return self.xylem("models", *words, variables={"XDG_CACHE_HOME": cache})

    def lines(self, cache, *words):
        """Of each line the codelet, the runs and the median, by the words of the list."""
        done = self.models(cache, *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [(line.split()[0], int(line.split()[-4]), float(line.split()[-3]))
                for line in done.stdout.splitlines()[1:]]

    def test_last(self):
        cache = self.path("last")
        self.assertIn("No models", self.models(cache).stdout)
        first = self.measure(cache, "earliest")
        self.assertEqual((first.returncode, first.stderr), (0, ""))
        self.assertEqual(len(glob.glob(os.path.join(cache, "xylem", "models-*"))), 1)
        lines = self.lines(cache)
        self.assertEqual([line[:2] for line in lines], [("nap", 3), ("nap", 3), ("nod", 3)])
        short, long = sorted(line[2] for line in lines if line[0] == "nap")
        self.assertGreater(short, 2000)  # us; one nap is of 2 ms, the other of 4 ms
        self.assertGreater(long, 4000)
        self.assertEqual(self.measure(cache, "data").returncode, 0)
        self.assertEqual([line[:2] for line in self.lines(cache)], [("nap", 6), ("nap", 6), ("nod", 6)])
        self.assertEqual([line[0] for line in self.lines(cache, "nod")], ["nod"])

    def test_are_forgotten(self):
        cache = self.path("forgotten")
        self.assertEqual(self.measure(cache, "earliest").returncode, 0)
        self.assertEqual(self.models(cache, "--prune", "nap").stdout, "2 models removed.\n")
        self.assertEqual([line[0] for line in self.lines(cache)], ["nod"])
        self.assertEqual(self.models(cache, "--prune").stdout, "1 model removed.\n")
        self.assertIn("No models", self.models(cache).stdout)

    def test_are_of_the_policies_that_ask(self):
        cache = self.path("eager")
        self.assertEqual(self.measure(cache, "eager").returncode, 0)
        self.assertEqual(glob.glob(os.path.join(cache, "xylem", "models-*")), [])

    def test_damaged_file(self):
        cache = self.path("damaged")
        self.assertEqual(self.measure(cache, "earliest").returncode, 0)
        [file] = glob.glob(os.path.join(cache, "xylem", "models-*"))
        with open(file, "r+") as opened:
            opened.truncate(40)
        self.assertIn("No models", self.models(cache).stdout)
        self.assertEqual(self.measure(cache, "earliest").returncode, 0)
        self.assertEqual(len(self.lines(cache)), 3)

    def test_wrong_policy(self):
        done = self.measure(self.path("wrong"), "fastest")
        self.assertEqual(done.returncode, 0)
        self.assertIn("XYLEM_CODELET_POLICY", done.stderr)

    def test_no_folder(self):
        done = self.xylem("models", variables={"XDG_CACHE_HOME": "", "HOME": ""})
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    program = unittest.main(exit=False, argv=sys.argv, verbosity=1)
    sys.exit(0 if program.result.wasSuccessful() else 1)
