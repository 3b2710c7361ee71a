"""Tests of what `xylem top` shows of devices that run codelets: load, memory, kernels, copies.

BUSY names the program of tests/hetero that keeps two devices busy until a line comes.
"""
import os
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import top_test  # noqa: E402

BUSY = os.environ.get("BUSY", "busy_devices")
VECTOR = 20032  # bytes that a vector of 5000 numbers takes
CAPACITY = 65536


class CodeletTop(top_test.Watched):
    def begin(self, *words):
        process = subprocess.Popen([BUSY, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.finish, process)
        line = process.stdout.readline()
        if line.startswith("skipped"):
            self.skipTest(line.strip())
        self.assertEqual(line, "running\n")
        return process

    def end(self, process):
        process.stdin.write("\n")
        process.stdin.flush()
        self.assertEqual(process.wait(timeout=60), 0)

    def test_busy_devices(self):
        process = self.begin()
        measure = self.measure_until(process.pid, lambda measure: measure["activity"] == "running" and all(
            device["kernels_per_s"] > 0 for device in measure["devices"]))
        self.assertEqual([device["device"] for device in measure["devices"]], [1, 2])
        for device in measure["devices"]:
            self.assertTrue(device["name"])
            self.assertFalse(device["gone"])
            self.assertGreater(device["load"], 0.02)
            self.assertLessEqual(device["load"], 1)
            self.assertEqual(device["memory_capacity"], CAPACITY)
            self.assertIn(device["memory_used"], [VECTOR * count for count in range(4)])
            # A kernel's vector was brought, unless it was there.
            self.assertLessEqual(device["bytes_in_per_s"], (device["kernels_per_s"] + 20) * VECTOR)
        self.assertGreater(sum(device["memory_used"] for device in measure["devices"]), 0)
        self.end(process)

    def test_text(self):
        process = self.begin()
        done = self.xylem("top", str(process.pid), "--once", "--interval", "0.3")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\nDevices +load +memory +kernels/s +in B/s +out B/s\n")
        self.assertEqual(re.findall(r"\n  ([12]) .* +\d+% +[\d.]+k? of 66k B ", done.stdout), ["1", "2"])
        self.end(process)

    def test_devices_without_work(self):
        process = self.begin("idle")
        measure = self.measure_until(process.pid, lambda measure: measure["activity"] == "running")
        self.assertEqual(len(measure["devices"]), 2)
        for device in measure["devices"]:
            self.assertEqual((device["load"], device["memory_used"], device["kernels_per_s"],
                              device["bytes_in_per_s"], device["bytes_out_per_s"]), (0, 0, 0, 0, 0))
        self.end(process)


if __name__ == "__main__":
    unittest.main()
