"""Boots one machine of the lab and compares what is in it with what its file draws.

usage: machines_test.py MACHINE XYLEM PAGES   (the command `xylem`, the program of pages.c)
One boot: the kernel's own files, `xylem topo`, and pages bound to each node.
"""
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

LAB = Path(__file__).resolve().parents[2] / "lab"
sys.path.insert(0, str(LAB))
sys.dont_write_bytecode = True
from parts import machine  # noqa: E402

NAME, XYLEM, PAGES = sys.argv[1:4]
SCRIPT = r"""
cd /sys/devices/system/node
for node in node*; do
  echo "kernel $node pus=$(cat $node/cpulist) distances=$(cat $node/distance)" \
       "kib=$(awk '/MemTotal/ {print $4}' $node/meminfo)"
done
echo "numa_balancing $(cat /proc/sys/kernel/numa_balancing)"
echo "controllers $(cat /sys/fs/cgroup/cgroup.subtree_control)"
"$0" topo || exit 1
"$1" || exit 2
"""


def numbers(text):
    """0-2,5 as a set."""
    found = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


class Drawn(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.drawn = machine.find(NAME)
        words = [LAB / "run", "--machine", NAME, "--timeout", "120", "--", "sh", "-c", SCRIPT,
                 XYLEM, PAGES]
        run = subprocess.run(words, text=True, capture_output=True)
        if run.returncode == 77:
            print(run.stderr.strip())
            os._exit(77)
        if run.returncode:
            raise AssertionError(f"exit code {run.returncode}\n{run.stdout}{run.stderr}")
        cls.out = run.stdout

    def test_the_kernel_has_the_nodes_that_are_drawn(self):
        seen = re.findall(r"kernel node(\d+) pus=(\S*) distances=([\d ]+) kib=(\d+)", self.out)
        self.assertEqual([int(node) for node, *_ in seen], list(range(len(self.drawn.nodes))))
        for node, pus, distances, kib in seen:
            number = int(node)
            self.assertEqual(numbers(pus), set(self.drawn.pus_of(number)), f"PUs of node {node}")
            self.assertEqual(tuple(map(int, distances.split())), self.drawn.distances[number])
            self.assert_memory(int(kib) / 1024, self.drawn.nodes[number].mib)

    def assert_memory(self, mib, drawn):
        """The kernel keeps some of what is drawn for itself, most of it on the first node."""
        self.assertLessEqual(mib, drawn)
        self.assertGreaterEqual(mib, drawn - 80)

    def test_the_kernel_moves_no_pages_by_itself(self):
        self.assertIn("numa_balancing 0\n", self.out)

    def test_cpusets_can_be_made(self):
        self.assertIn("cpuset", re.search("^controllers (.*)$", self.out, re.MULTILINE)[1])

    def test_xylem_sees_every_processor_on_its_node(self):
        for number, node in enumerate(self.drawn.nodes):
            if node.packages and len(self.drawn.nodes) > 1:
                self.assertEqual(self.pus_in_topo(number), set(self.drawn.pus_of(number)),
                                 f"PUs of node {number} in\n{self.out}")
        every = {pu for text in re.findall(r"PUs? ([\d,-]+)", self.out) for pu in numbers(text)}
        self.assertEqual(every, set(range(self.drawn.pus)))

    def pus_in_topo(self, number):
        """The PUs in the line of a node and the lines indented below it."""
        found, indent = set(), None
        for line in self.out.split("\n"):
            depth = len(re.match(r"[ │├└─]*", line)[0])
            if indent is not None and depth <= indent:
                break
            if re.match(rf"(Node|node) {number}\b", line[depth:]):
                indent = depth
            if indent is not None:
                for text in re.findall(r"PUs? ([\d,-]+)", line):
                    found |= numbers(text)
        return found

    def test_xylem_tells_the_distances(self):
        if len(self.drawn.nodes) == 1:
            return
        table = re.search(r"Distances between nodes.*\n +from\\to *([\d ]+)\n((?: +[\d ]+\n?)+)", self.out)
        self.assertTrue(table, self.out)
        order = list(map(int, table[1].split()))  # xylem's, each node by the kernel's number
        self.assertEqual(sorted(order), list(range(len(self.drawn.nodes))))
        rows = [tuple(map(int, row.split())) for row in table[2].strip("\n").split("\n")]
        drawn = [(source, *(self.drawn.distances[source][target] for target in order)) for source in order]
        self.assertEqual(rows, drawn, self.out)

    def test_xylem_names_memory_without_processors(self):
        for number, node in enumerate(self.drawn.nodes):
            if not node.packages:  # shown with the node that is nearest
                self.assertRegex(self.out, rf"\+ node {number}: \d+ MiB")
                self.assertEqual(self.pus_in_topo(number), set())

    def test_pages_go_to_the_node_they_are_bound_to(self):
        with_memory = [number for number, node in enumerate(self.drawn.nodes) if node.mib]
        self.assertEqual([int(node) for node in re.findall(r"^page on (\d+)$", self.out, re.MULTILINE)],
                         with_memory)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
