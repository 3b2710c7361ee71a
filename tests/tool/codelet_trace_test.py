"""Tests of what a trace tells of codelets: each task once, copies, devices' kernels one after the other.

GRAPHS names the program of tests/hetero that runs 600 random tasks a round on processors and devices.
"""
import collections
import json
import os
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import command_test  # noqa: E402

GRAPHS = os.environ.get("GRAPHS", "device_graphs")
ROUNDS, TASKS = 2, 600
BLOCK = 1024  # bytes that a vector of 250 numbers takes


class CodeletTrace(command_test.Case):
    def setUp(self):
        super().setUp()
        self.trace = self.path("codelets.xtr")
        # `random` gives each executor its share, whatever it is busy with.
        done = subprocess.run([GRAPHS, "random", str(ROUNDS)], capture_output=True, text=True, timeout=120,
                              env=dict(os.environ, XYLEM_TRACE=self.trace))
        if done.returncode == 77:
            self.skipTest(done.stdout.strip())
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_summary(self):
        text = self.xylem("trace", self.trace).stdout
        self.assertRegex(text, r"dropped events +0\n")
        counts = collections.Counter()
        for line in text[text.index("Codelets, and copies"):].split("\n\n")[0].splitlines()[1:]:
            name, count, ms = re.match(r"  (.*?) +(\d+) +([\d.]+) ms", line).groups()
            counts[name] += int(count)
            self.assertGreater(float(ms), 0)
        tasks = sum(count for name, count in counts.items() if "," in name)
        self.assertEqual(tasks, ROUNDS * TASKS)
        for place in ("mix, processors", "mix, device 1", "set, processors", "set, device 1",
                      "device 1 to main memory", "main memory to device 1"):
            self.assertGreater(counts[place], 0, place)
        copied = re.search(r"main memory to device 1 +(\d+) .* (\d+) bytes", text)
        self.assertEqual(int(copied[2]), 1000 * int(copied[1]))  # vectors of 250 numbers
        most = re.search(r"device 1 \(.+\) +(\d+) bytes of 6144\n", text)
        self.assertEqual(int(most[1]), 6 * BLOCK)  # as many as fit, for more are wanted

    def test_film_data(self):
        done = self.xylem("trace", self.trace, "--film-data", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        film = json.loads(done.stdout)
        self.assertEqual([device["number"] for device in film["devices"]], [1])
        self.assertTrue(film["devices"][0]["name"])
        named = {number: name for number, name in film["codelets"].items() if name in ("mix", "set")}
        self.assertEqual(set(named.values()), {"mix", "set"})
        ran, under_way, copies, used = 0, 0, collections.Counter(), [0]
        for time, kind, bubble, _, _, pu, _, words in film["events"]:
            if kind in ("codelet_begin", "kernel_begin"):
                self.assertIn(str(words[1]), named)
                self.assertEqual(bubble, -1)
                ran += 1
            under_way += {"kernel_begin": 1, "kernel_end": -1}.get(kind, 0)
            self.assertIn(under_way, (0, 1, 2))
            if kind == "copy_begin":
                self.assertEqual((words[2], 1 in words[:2]), (1000, True))
            if kind in ("copy_begin", "copy_end"):
                copies[tuple(words[:2])] += 1 if kind == "copy_begin" else -1
                self.assertGreaterEqual(copies[tuple(words[:2])], 0)
            if kind == "device_memory":
                self.assertEqual((words[0], abs(words[1] - used[-1]), words[2]), (1, BLOCK, 6144))
                used.append(words[1])
        self.assertEqual((ran, under_way, set(copies.values())), (ROUNDS * TASKS, 0, {0}))
        self.assertEqual((used[-1], min(used), max(used)), (0, 0, 6 * BLOCK))

    def test_chrome(self):
        out = self.path("codelets.json")
        self.assertEqual(self.xylem("trace", self.trace, "--chrome", out).returncode, 0)
        with open(out) as file:
            events = json.load(file)["traceEvents"]
        phases = collections.Counter(event["ph"] for event in events)
        self.assertEqual(phases["B"], phases["E"])
        tracks = {event["tid"] for event in events
                  if event["ph"] == "M" and event["name"] == "thread_name"
                  and event["args"]["name"] == "device 1"}
        self.assertEqual(len(tracks), 1)
        kernels = [event for event in events if event["ph"] == "X"]
        self.assertEqual({event["tid"] for event in kernels}, tracks)
        self.assertEqual({event["name"] for event in kernels}, {"mix", "set"})
        for before, after in zip(kernels, kernels[1:]):
            self.assertLessEqual(before["ts"] + before["dur"], after["ts"] + 0.002)
        begun = collections.Counter(event["name"] for event in events if event["ph"] == "B")
        ran = begun["mix"] + begun["set"] + len(kernels)
        self.assertGreaterEqual(ran, ROUNDS * TASKS)  # who sleeps in between is begun again


class AttachedDevices(command_test.Case):
    """Each card stands at the memory node that is near it: a machine of four nodes, two cards of a stand-in."""

    def test_film(self):
        trace = self.path("attached.xtr")
        done = subprocess.run([GRAPHS, "eager", "1"], capture_output=True, text=True, timeout=120,
                              env=dict(os.environ, XYLEM_TRACE=trace))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        film = json.loads(self.xylem("trace", trace, "--film-data", "-").stdout)
        self.assertEqual({device["number"]: film["levels"][device["level"]]["name"] for device in film["devices"]},
                         {1: "node1", 2: "node3"})

    def test_costs(self):
        lines = self.xylem("topo", "--costs", variables=dict(os.environ)).stdout.splitlines()
        self.assertEqual([line.split("), ")[1] for line in lines if "  device " in line], ["near node 1", "near node 3"])


class NearCopies(command_test.Case):
    """Copies on the machine's memory nodes have these nodes' names; GRAPHS is tests/hetero's near_copies."""

    def setUp(self):
        super().setUp()
        self.trace = self.path("near.xtr")
        done = subprocess.run([GRAPHS, "on"], capture_output=True, text=True, timeout=120,
                              env=dict(os.environ, XYLEM_TRACE=self.trace))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_summary(self):
        text = self.xylem("trace", self.trace).stdout
        copied = re.findall(r"  main memory to memory node (\d) +(\d+) .* (\d+) bytes\n", text)
        self.assertTrue(copied)
        for node, count, size in copied:
            self.assertNotEqual(node, "3", "the data lies there")
            self.assertEqual(int(size), 65536 * int(count))
        self.assertNotRegex(text, r"[mt]o device \d")

    def test_chrome(self):
        path = self.path("near.json")
        self.assertEqual(self.xylem("trace", self.trace, "--chrome", path).returncode, 0)
        with open(path, encoding="utf-8") as file:
            names = {event["name"] for event in json.load(file)["traceEvents"] if "name" in event}
        self.assertTrue([name for name in names if re.fullmatch(
            r"copy 65536 bytes from main memory to memory node [012]", name)], sorted(names))

    def test_film_data(self):
        film = json.loads(self.xylem("trace", self.trace, "--film-data", "-").stdout)
        self.assertEqual(film["devices"], [])
        copies = [event[-1] for event in film["events"] if event[1] == "copy_begin"]
        self.assertTrue(copies)
        for source, target, size in copies:
            self.assertTrue({source, target} <= {0, 16, 17, 18, 19}, (source, target))
            self.assertEqual(size, 65536)


if __name__ == "__main__":
    unittest.main()
