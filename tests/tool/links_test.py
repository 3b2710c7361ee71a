"""Tests of `xylem topo --costs` with devices: what it measures of their links is kept, and policies go by it.

LINKS names the program of tests/hetero that says how many of its ten tasks ran on the device.
"""
import glob
import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import command_test  # noqa: E402

LINKS = os.environ.get("LINKS", "links")
DEVICES = {name: os.environ[name] for name in ("XYLEM_OPENCL", "XYLEM_CUDA", "POCL_DEVICES", "POCL_CACHE_DIR")
           if name in os.environ}


class Links(command_test.Case):
    def costs(self, cache, *words):
        done = self.xylem("topo", "--costs", *words, variables={"XDG_CACHE_HOME": cache, **DEVICES})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [line.split() for line in done.stdout.splitlines() if "device 1 (" in line]

    def test_a_device_without_copies_is_told(self):
        cache = self.path("zero_copy")
        for wanted in ("true", "false"):
            done = self.xylem("topo", "--costs", variables={"XDG_CACHE_HOME": cache, "XYLEM_ZERO_COPY": wanted, **DEVICES})
            [line] = [line for line in done.stdout.splitlines() if "device 1 (" in line]
            self.assertEqual(line.endswith(", works in main memory"), wanted == "true")

    def read(self, cache):
        [file] = glob.glob(os.path.join(cache, "xylem", "links-*"))
        with open(file, encoding="utf-8") as opened:
            return file, opened.read()

    def check_tasks(self, cache, on_device):
        """The program starts with what is kept, and leaves it as it is."""
        before = self.read(cache)
        done = subprocess.run([LINKS, str(on_device)], env=dict(os.environ, XDG_CACHE_HOME=cache),
                              capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.read(cache), before)

    def write(self, cache, *numbers):
        file, text = self.read(cache)
        head, line, end = text.splitlines()
        name = line.split(" ", 4)[4]
        with open(file, "w", encoding="utf-8") as opened:
            opened.write("\n".join([head, " ".join([*map(str, numbers), name]), end, ""]))

    def test_are_measured_once_and_used(self):
        cache = self.path("links")
        [line] = self.costs(cache)
        self.assertEqual((line[1], line[3], line[5], line[7]), ("us", "MB/s", "us", "MB/s"))
        self.assertGreater(float(line[0]), 0)
        self.assertEqual(self.costs(cache), [line])
        self.check_tasks(cache, 10)
        # Copies of 10 s: the device is not worth it.
        self.write(cache, 10 ** 16, 0, 10 ** 16, 0)
        self.assertEqual(self.costs(cache)[0][0], "10000000.0")
        self.check_tasks(cache, 0)
        # One direction is enough to be told apart from the other: nothing is on the device yet.
        self.write(cache, 10 ** 9, 0, 10 ** 16, 0)
        self.check_tasks(cache, 10)
        self.assertLess(float(self.costs(cache, "--measure")[0][4]), 1e6)

    def test_a_damaged_file_is_measured_anew(self):
        cache = self.path("damaged")
        self.costs(cache)
        file, text = self.read(cache)
        with open(file, "w", encoding="utf-8") as opened:
            opened.write(text[:-2])
        self.assertEqual(len(self.costs(cache)), 1)
        self.assertTrue(self.read(cache)[1].endswith("\nend\n"))


if __name__ == "__main__":
    program = unittest.main(exit=False, argv=sys.argv, verbosity=1)
    sys.exit(0 if program.result.wasSuccessful() else 1)
