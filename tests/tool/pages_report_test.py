"""Tests of `xylem pages report`: where the accesses of a counted run go on a drawn machine.

Variables as in command_test.py. Each class is one ctest.
"""
import os
import sys
import unittest
import xml.dom.minidom

from command_test import Case

MACHINE = "node:4 pu:2"  # threads 0 and 1 run on node 0, 2 and 3 on node 1, ...


def counts(rows, nodes, cells, page_bytes=4096):
    lines = ["xylem counts 1", f"rows {rows}", f"nodes {nodes}", f"page_bytes {page_bytes}", f"cells {len(cells)}"]
    return "\n".join(lines + [" ".join(map(str, cell)) for cell in sorted(cells)] + ["end", ""])


class Report(Case):
    def file(self, text):
        return self.write("app.counts", text)

    def blocks(self):
        """8 threads with 40 pages each: round robin leaves three of four accesses remote."""
        return self.file(counts("pages_by_threads", 8, [
            (1000 + 40 * thread + page, thread, 600, 400) for thread in range(8) for page in range(40)]))

    def test_round_robin_and_engine(self):
        done = self.xylem("pages", "report", "--machine", MACHINE, self.blocks())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("320000 accesses to 320 pages of 4096 bytes, 4 nodes\n", done.stdout)
        self.assertIn("round robin: 75.0% remote, at most 1.00 times the mean, 0 pages moved\n", done.stdout)
        self.assertIn("page engine: 0.0% remote, at most 1.00 times the mean, 240 pages moved\n", done.stdout)
        self.assertIn("  node   3  local          80000  remote              0\n", done.stdout)

    def test_moves_have_to_pay(self):
        few = self.file(counts("pages_by_threads", 8, [(page, 7, 1, 0) for page in range(1, 9)]))
        self.assertIn("page engine: 75.0% remote", self.xylem("pages", "report", "--machine", MACHINE, few).stdout)
        again = self.xylem("pages", "report", "--machine", MACHINE, "--again", "100000", few)
        self.assertIn("page engine: 0.0% remote, at most 4.00 times the mean, 6 pages moved", again.stdout)

    def test_histograms_by_node(self):
        path = self.file(counts("pages", 4, [(page, 2, 50000, 0) for page in range(1, 5)]))
        done = self.xylem("pages", "report", "--machine", MACHINE, path)
        self.assertIn("page engine: 0.0% remote, at most 4.00 times the mean, 3 pages moved", done.stdout)

    def test_html(self):
        page = os.path.join(self.folder, "app.html")
        done = self.xylem("pages", "report", "--machine", MACHINE, "--html", page, self.blocks())
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(page) as file:
            text = file.read()
        drawings = ["<svg" + part.split("</svg>")[0] + "</svg>" for part in text.split("<svg")[1:]]
        self.assertEqual(len(drawings), 3)
        bars, moved, heat = (xml.dom.minidom.parseString(drawing) for drawing in drawings)
        heights = lambda drawn: [float(one.getAttribute("height")) for one in drawn.getElementsByTagName("rect")]
        self.assertEqual(heights(bars), [40.0, 120.0] * 4)  # local, remote
        self.assertEqual(heights(moved), [160.0, 0.0] * 4)
        self.assertEqual(len(heights(heat)), 200)  # a column has 1.6 pages, and none has two nodes'
        self.assertNotIn("http", text)  # needs nothing from elsewhere

    def test_trouble(self):
        good = self.blocks()
        for words, message in [
                (["pages"], "pages takes `report` and a FILE"),
                (["pages", "report"], "pages takes `report` and a FILE"),
                (["pages", "draw", good], "pages takes `report` and a FILE"),
                (["pages", "report", "/no/such/file"], "cannot be read (No such file or directory)"),
                (["pages", "report", "--machine", "nonsense:", good], "--machine"),
                (["pages", "report", "--machine", MACHINE, "--html", self.folder, good], "cannot be written")]:
            self.complains(2, message, *words)
        for text, message in [
                ("something else\n", "is no file of counts of this version"),
                (counts("threads", 4, [(0, 1, 5, 5)]), "has threads by nodes"),
                (counts("pages", 2, [(0, 1, 5, 5)]), "has another number of nodes than the machine")]:
            self.complains(2, message, "pages", "report", "--machine", MACHINE, self.file(text))

    def test_no_accesses(self):
        done = self.xylem("pages", "report", "--machine", MACHINE, self.file(counts("pages", 4, [])))
        self.assertIn("0 accesses to 0 pages", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
