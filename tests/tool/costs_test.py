"""Tests of `xylem topo --costs`: measured once, kept, read again; estimated where nothing can be measured."""
import glob
import os
import re
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import command_test  # noqa: E402

FOUR_NODES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "unit", "topo", "data",
                          "four-nodes.xml")


class Costs(command_test.Case):
    def costs(self, *words, **variables):
        """With HOME and its like as given, and none of the tester's."""
        settings = {"HOME": "", "XDG_CACHE_HOME": "", **variables}
        return self.xylem("topo", "--costs", *words, variables=settings)

    def kept(self, folder):
        return glob.glob(os.path.join(folder, "xylem", "*"))

    def text(self, file):
        with open(file) as opened:
            return opened.read()

    def row(self, text, title, node):
        """The numbers of one line of a table, with what stands in brackets behind each."""
        lines = text[text.index(title):].splitlines()
        words = next(line for line in lines[2:] if line.split()[0] == str(node)).split()
        return [float(word) for word in words[1::2]], [float(word.strip("()")) for word in words[2::2]]

    def test_are_measured_once(self):
        cache = self.path("once")
        first = self.costs(XDG_CACHE_HOME=cache)
        self.assertEqual((first.returncode, first.stderr), (0, ""))
        self.assertIn("measured on ", first.stdout)
        [file] = self.kept(cache)
        self.assertRegex(os.path.basename(file), r"^costs-[0-9a-f]{16}$")
        self.assertIn(file, first.stdout)
        written = self.text(file)
        second = self.costs(XDG_CACHE_HOME=cache)
        self.assertEqual(second.stdout, first.stdout)
        self.assertEqual(self.text(file), written)
        value, ratio = self.row(first.stdout, "Read, one after the other", 0)
        self.assertGreater(value[0], 1)
        self.assertEqual(ratio[0], 1)

    def test_say_what_threads_stream_together(self):
        shown = self.costs(XDG_CACHE_HOME=self.path("together")).stdout
        [head] = re.findall(r"Threads of node 0 that stream at once.*\n(.*)\n", shown)
        crowds = [int(word) for word in head.split()]
        self.assertEqual(crowds, sorted(crowds))
        self.assertEqual(crowds[0], 1)
        for access in ("read", "write"):
            [rates] = re.findall(rf"^ +{access} local +idle +(.*)$", shown, re.M)
            self.assertEqual(len(rates.split()), 3)
            for rate in rates.split():
                self.assertGreater(float(rate), 1)

    def test_are_read_from_the_file_and_measured_anew_when_asked(self):
        file = self.path("mine")
        self.costs(XYLEM_COSTS_FILE=file)
        text = self.text(file)
        told = re.sub(r"read_latency\n \d+", "read_latency\n 4321000000", text)
        self.assertNotEqual(told, text)
        self.write("mine", told)
        self.assertEqual(self.row(self.costs(XYLEM_COSTS_FILE=file).stdout,
                                  "Read, one after the other", 0)[0][0], 4321)
        anew = self.costs("--measure", XYLEM_COSTS_FILE=file)
        self.assertEqual(anew.returncode, 0, anew.stderr)
        self.assertNotEqual(self.row(anew.stdout, "Read, one after the other", 0)[0][0], 4321)
        self.assertNotIn("4321000000", self.text(file))

    def test_damaged_and_foreign_files_are_measured_over(self):
        file = self.path("damaged")
        self.costs(XYLEM_COSTS_FILE=file)
        good = self.text(file)
        for text in ("", "rubbish\n", good[:len(good) // 2], good.replace("costs 2", "costs 9"),
                     re.sub("key .*", "key 0000000000000001", good)):
            self.write("damaged", text)
            done = self.costs(XYLEM_COSTS_FILE=file)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotEqual(self.text(file), text)
            self.assertEqual(self.text(file).splitlines()[:2], good.splitlines()[:2])

    def test_homes(self):
        home = self.path("home")
        os.mkdir(home)
        self.assertEqual(self.costs(HOME=home).returncode, 0)
        self.assertEqual(len(self.kept(os.path.join(home, ".cache"))), 1)
        done = self.costs()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not kept: neither", done.stdout)
        done = self.costs(HOME="/proc/none")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"not kept: /proc/none/.* cannot be written")

    def test_of_a_drawing_are_estimated(self):
        done = self.costs("--machine", FOUR_NODES, HOME=self.path("drawn"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("estimated from the firmware's distances: this machine is synthetic", done.stdout)
        self.assertFalse(os.path.exists(self.path("drawn")))
        self.assertEqual(self.row(done.stdout, "Read in a stream", 0)[1], [1, 0.62, 0.62, 0.45])
        self.assertIn("120.0 us + 11.00 us a page", done.stdout)
        self.assertIn("another node, estimated", done.stdout)
        done = self.costs("--machine", "pack:2 [numa] pu:1")
        self.assertEqual(self.row(done.stdout, "Read, one after the other", 1), ([160, 80], [2, 1]))

    def test_bad_use(self):
        self.complains(2, "--measure measures what --costs or --copy-threshold shows", "topo", "--measure")
        self.complains(2, "no such XML file", "topo", "--costs", "--machine", "/no/such.xml")


if __name__ == "__main__":
    program = unittest.main(exit=False, argv=sys.argv, verbosity=1)
    sys.exit(0 if program.result.wasSuccessful() else 1)
