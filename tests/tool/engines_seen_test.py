"""Tests of what the trace, its film and `xylem top` show of the engines.

PLACED names the program of tests/sources whose array lies where its threads are not.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import top_test  # noqa: E402

PLACED = os.environ.get("PLACED", "sources_placed")
PAGES = 512  # of its array


class EnginesSeen(top_test.Watched):
    environment = {**os.environ, "XYLEM_MACHINE": "node:4 core:2 pu:1", "OMP_NUM_THREADS": "8", "XYLEM_ENGINES": "pages",
                   "XYLEM_FAULT_COST": "20", "XYLEM_STEAL_PATIENCE": "-1"}

    def traced(self, folder, **settings):
        """The trace of a run, and its lines about what moved."""
        path = os.path.join(folder, "trace")
        done = subprocess.run([top_test.XYLEM, "run", "-q", "--trace", path, PLACED, "20000", "64"], text=True,
                              capture_output=True, timeout=200,
                              env={**self.environment, "XYLEM_VERBOSE": "true", **settings})
        self.assertEqual(done.returncode, 0, done.stderr)
        return path, re.findall(r"engines: (\d+) pages move and (\d+) threads are placed: local accesses ([\d.]+)%", done.stderr)

    def test_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            path, said = self.traced(folder)
            self.assertTrue(said)
            chrome, film = os.path.join(folder, "chrome.json"), os.path.join(folder, "film.json")
            done = self.xylem("trace", path, "--summary", "--chrome", chrome, "--film-data", film)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            summary = done.stdout
            for name, value in (("engines' choices", len(said)), ("pages moved", sum(int(pages) for pages, *_ in said)),
                                ("threads placed", 0), ("other iterations", 0), ("taken back", 0)):
                self.assertRegex(summary, rf"\n +{name} +{value}\n")
            with open(chrome) as file:
                names = [event.get("name", "") for event in json.load(file)["traceEvents"]]
            self.assertEqual([name for name in names if name.startswith("engines:")],
                             [f"engines: {pages} pages move, 0 threads are placed" for pages, *_ in said])
            with open(film) as file:
                shown = [event[7] for event in json.load(file)["events"] if event[1] == "engines_chose"]
            self.assertEqual([pages for pages, *_ in shown], [int(pages) for pages, *_ in said])
            self.assertEqual([before for _, _, before, *_ in shown], [round(float(local) * 10) for *_, local in said])
            self.assertTrue(all(gain > 0 for *_, gain in shown), shown)

    def test_nothing_where_they_are_off(self):
        with tempfile.TemporaryDirectory() as folder:
            path, said = self.traced(folder, XYLEM_ENGINES="off")
            self.assertEqual(said, [])
            self.assertNotIn("engines", self.xylem("trace", path).stdout)

    def test_top(self):
        process = subprocess.Popen([top_test.XYLEM, "run", "-q", PLACED, "100000000", "64"], env=self.environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        while self.xylem("top", str(process.pid), "--once", "--json", "--interval", "0.1").returncode != 0:
            self.assertIsNone(process.poll())  # it has not begun its first region
        measure = self.measure_until(process.pid, lambda measure: (measure["engines"] or {"choices": 0})["choices"] > 0)
        engines = measure["engines"]
        self.assertEqual(engines["source"], "fault")
        self.assertGreater(engines["pages_moved"], 0)
        self.assertEqual((engines["threads_placed"], engines["threads_with_other_iterations"]), (0, 0))
        self.assertLess(engines["last_local_before"], engines["last_local_after"])
        self.assertGreater(engines["last_gain_ns"], 0)
        text = self.xylem("top", str(process.pid), "--once", "--interval", "0.3").stdout
        self.assertRegex(text, r"\nEngines, by the source fault: \d+ pages moved, 0 threads placed, 0 given other iterations, "
                                r"0 of \d+ choices taken back\n")
        self.assertRegex(text, r"\n  the last one: local accesses [\d.]+% before, [\d.]+% expected; [\d.]+ ms less an iteration\n")


if __name__ == "__main__":
    unittest.main()
