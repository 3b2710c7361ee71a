"""Tests of `xylem models`: a program with codelets measures, the next one knows, the user looks and forgets.

MODELS names the program of tests/hetero that runs codelets of several sizes.
"""
import glob
import os
import subprocess
import sys
import unittest
from xml.etree import ElementTree

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

    def listed(self, cache, *words):
        """The words of the list's lines, and the lines of laws below."""
        done = self.models(cache, *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        table, _, laws = done.stdout.partition("\n\n")
        return [line.split() for line in table.splitlines()[1:]], laws.splitlines()

    def lines(self, cache, *words):
        """Of each line the codelet, the runs and the median."""
        return [(line[0], int(line[-4]), float(line[-3])) for line in self.listed(cache, *words)[0]]

    def file(self, cache):
        [file] = glob.glob(os.path.join(cache, "xylem", "models-*"))
        return file

    def keep(self, name, change):
        """A cache with what a program measured, each line of a model changed by `change`, a function of its words."""
        cache = self.path(name)
        self.assertEqual(self.measure(cache, "earliest").returncode, 0)
        with open(self.file(cache), encoding="utf-8") as opened:
            head, *lines, end = opened.read().splitlines()
        with open(self.file(cache), "w", encoding="utf-8") as opened:
            opened.write("\n".join([head, *(" ".join(change(line.split())) for line in lines), end, ""]))
        return cache

    @staticmethod
    def of_sizes(words):
        """A model of its key, family, kind, unit and size: two samples, by size, of 10 us and 10.2 us a unit."""
        size = int(words[4])
        return [*words[:5], "0", "2", str(10000 * size), str(10200 * size), words[-1]]

    def check_runs(self, cache, expected):
        """What a loaded machine slows down may be a drift: then fewer runs are kept."""
        for words, runs in zip(self.listed(cache)[0], expected):
            self.assertTrue(int(words[-4]) == runs or words[-5] != "0", words)

    def test_last(self):
        cache = self.path("last")
        self.assertIn("No models", self.models(cache).stdout)
        first = self.measure(cache, "earliest")
        self.assertEqual((first.returncode, first.stderr), (0, ""))
        lines = self.lines(cache)
        self.assertEqual([line[0] for line in lines], ["doze", "nap", "nap", "nap", "nod"])
        # Work of 2 and of 3 is one size, of which the first run is dropped.
        self.check_runs(cache, [9, 4, 4, 4, 4])
        medians = [line[2] for line in lines if line[0] == "nap"]
        for median, least in zip(medians, (2000, 4000, 16000)):  # us
            self.assertGreater(median, least)
        self.assertEqual(self.measure(cache, "data").returncode, 0)
        self.check_runs(cache, [15, 8, 8, 8, 8])
        self.assertEqual([line[0] for line in self.lines(cache, "nod")], ["nod"])

    def test_laws(self):
        laws = self.listed(self.keep("laws", self.of_sizes))[1]
        self.assertEqual(laws, ["doze, processor: 1.02e+04 ns * work, by 1 size",
                                "nap, processor: 1.02e+04 ns * bytes^1.00, by 3 sizes"])

    def test_drift(self):
        # The naps are of 2 ms and more, where 1 ms was measured before.
        cache = self.keep("drift", lambda words: [*words[:5], "2", "15", *["1000000"] * 15, words[-1]])
        self.assertEqual({line[1] for line in self.lines(cache)}, {15})
        self.assertEqual(self.measure(cache, "earliest").returncode, 0)
        for words in self.listed(cache, "nap")[0]:
            self.assertEqual(words[-5:-3], ["3", "4"], words)
            self.assertGreater(float(words[-2]), 2000)

    def test_plot(self):
        self.assertIn("No models", self.models(self.path("none"), "--plot", "-").stdout)
        cache = self.keep("plot", self.of_sizes)
        file = self.path("models.html")
        self.assertEqual(self.models(cache, "--plot", file).stdout, file + "\n")
        with open(file, encoding="utf-8") as opened:
            page = opened.read()
        self.assertEqual(page, self.models(cache, "--plot", "-").stdout)
        ElementTree.fromstring(page.replace("<!doctype html>", "").replace('<meta charset="utf-8">', "")
                               .replace("&#9679;", ""))
        plots = page.split("<h2>")[1:]
        self.assertEqual([plot.split("<")[0] for plot in plots], ["doze", "nap", "nod"])
        self.assertEqual([plot.count("<circle") for plot in plots], [1, 3, 1])
        self.assertEqual([plot.count("<polyline") for plot in plots], [1, 1, 0])
        self.assertIn("16: 163.20 us, from 160.00 to 163.20", plots[1])
        self.assertEqual(self.models(cache, "--plot", "-", "nap").stdout.count("<h2>"), 1)
        self.assertEqual(self.models(cache, "--plot", "/no/folder/x.html").returncode, 2)
        self.assertEqual(self.models(cache, "--plot", "-", "--prune").returncode, 2)

    def test_are_forgotten(self):
        cache = self.path("forgotten")
        self.assertEqual(self.measure(cache, "earliest").returncode, 0)
        self.assertEqual(self.models(cache, "--prune", "nap").stdout, "3 models removed.\n")
        self.assertEqual([line[0] for line in self.lines(cache)], ["doze", "nod"])
        self.assertEqual(self.models(cache, "--prune").stdout, "2 models removed.\n")
        self.assertIn("No models", self.models(cache).stdout)

    def test_are_of_the_policies_that_ask(self):
        cache = self.path("eager")
        self.assertEqual(self.measure(cache, "eager").returncode, 0)
        self.assertEqual(glob.glob(os.path.join(cache, "xylem", "models-*")), [])

    def test_damaged_file(self):
        cache = self.path("damaged")
        self.assertEqual(self.measure(cache, "earliest").returncode, 0)
        with open(self.file(cache), "r+") as opened:
            opened.truncate(40)
        self.assertIn("No models", self.models(cache).stdout)
        self.assertEqual(self.measure(cache, "earliest").returncode, 0)
        self.assertEqual(len(self.lines(cache)), 5)

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
