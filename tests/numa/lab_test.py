"""The lab itself. usage: lab_test.py CLASS: Drawings and Use boot nothing, Runs boots a few machines."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LAB = Path(__file__).resolve().parents[2] / "lab"
sys.path.insert(0, str(LAB))
sys.dont_write_bytecode = True
from parts import archive, machine  # noqa: E402

GOOD = """title: two
package: 2 cores of 2 threads
node 0: 1 package, 64 MiB
node 1: no packages, 32 MiB   # a comment
cards: 1 0
distances:
  10 20
  21 10
"""
ALL_BYTES = bytes(range(256)) * 4096  # a MiB, more than any pipe on the way holds


def lab(*words, **options):
    run = subprocess.run([LAB / "run", *words], capture_output=True, **options)
    if run.returncode == 77:
        print(run.stderr.decode().strip())
        os._exit(77)
    return run


class Drawings(unittest.TestCase):
    def test_a_drawing_is_read(self):
        drawn = machine.read(GOOD, "a")
        self.assertEqual((drawn.title, drawn.packages, drawn.pus, drawn.mib), ("two", 1, 4, 96))
        self.assertEqual(list(drawn.pus_of(0)), [0, 1, 2, 3])
        self.assertEqual(list(drawn.pus_of(1)), [])
        self.assertEqual(drawn.distances, ((10, 20), (21, 10)))
        self.assertEqual(drawn.cards, (1, 0))

    def test_every_machine_of_the_lab_is_right(self):
        self.assertIn("opteron-4x4", machine.names())
        for name in machine.names():
            self.assertTrue(machine.find(name).title, name)

    def test_what_is_wrong_is_named_with_its_line(self):
        for old, new, said in (
                ("2 cores of 2 threads", "two cores", "a:2: 'two cores'"),
                ("package: 2 cores of 2 threads\n", "", "package"),
                ("node 1:", "node 2:", "a:4: node 2 stands where node 1 is due"),
                ("no packages, 32 MiB", "32 MiB", "a:4: '32 MiB'"),
                ("1 package, 64 MiB", "1 package, no memory", "node 0 needs"),
                ("1 package, 64 MiB", "1 package, 64 MiB pluggable", "node 0 needs"),
                ("10 20", "10 10", "a:7: distance 0 to 1 is 10"),
                ("10 20", "10 20 30", "a:7: 3 distances for 2 nodes"),
                ("21 10", "21 300", "a:8: distance 1 to 1 is 300"),
                ("  21 10\n", "", "1 rows of distances for 2 nodes"),
                ("cards: 1 0", "cards: 1 2", "a:5: '1 2' are not"),
                ("cards: 1 0", "cards:", "a:5: '' are not"),
                ("title: two", "tittle: two", "a:1: 'tittle'"),
                ("title: two", "two", "a:1: 'two' is no line")):
            with self.subTest(new=new), self.assertRaises(machine.Wrong) as caught:
                machine.read(GOOD.replace(old, new), "a")
            self.assertIn(said, str(caught.exception))


class Use(unittest.TestCase):
    def test_help_and_list(self):
        shown = lab("--list")
        self.assertEqual(shown.returncode, 0)
        self.assertEqual([line.split()[0] for line in shown.stdout.decode().splitlines()],
                         machine.names())
        self.assertIn(b"exit codes", lab("--help").stdout)

    def test_bad_use_is_explained(self):
        for words, said in ((("--machine", "moon", "--", "true"), "opteron-4x4"),
                            (("--env", "X", "--", "true"), "NAME=VALUE"),
                            (("--timeout", "0", "--", "true"), "above 0"),
                            (("--with", "no/such", "--", "true"), "no/such"),
                            ((), "no command")):
            run = lab(*words)
            self.assertEqual(run.returncode, 2, words)
            self.assertIn(said, run.stderr.decode())

    def test_a_command_that_is_not_there(self):
        run = lab("--", "./no-such-program")
        self.assertEqual(run.returncode, 127)
        self.assertIn("'./no-such-program'", run.stderr.decode())

    def test_what_cannot_be_had_is_one_line_and_77(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "bin")
            path.mkdir()
            for program in ("bash", "dirname", "uname", "python3", "env"):
                path.joinpath(program).symlink_to(f"/usr/bin/{program}")
            run = subprocess.run([LAB / "fetch", folder], capture_output=True, text=True,
                                 env={"PATH": str(path)})
        self.assertEqual(run.returncode, 77, run.stderr)
        self.assertRegex(run.stderr.splitlines()[-1], "^lab: cannot be had here: .*qemu-system-x86")

    def test_an_archive_keeps_paths_links_and_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "real").mkdir()
            Path(folder, "real/file").write_bytes(ALL_BYTES)
            Path(folder, "real/again").symlink_to("..")  # a circle
            Path(folder, "link").symlink_to("real/file")
            image = Path(folder, "image")
            with open(image, "wb") as stream:
                made = archive.Archive(stream)
                made.add(f"{folder}/link")
                made.add(f"{folder}/real")
                made.close()
            self.assertIn(ALL_BYTES, image.read_bytes())
            inside = [name.decode() for name in self.names_in(image.read_bytes())]
        self.assertEqual(len(inside), len(set(inside)))
        for name in ("link", "real", "real/file", "real/again"):
            self.assertIn(f"{folder}/{name}".strip("/"), inside)

    @staticmethod
    def names_in(data):
        at = 0
        while data[at:at + 6] == b"070701":
            size, length = int(data[at + 54:at + 62], 16), int(data[at + 94:at + 102], 16)
            name = data[at + 110:at + 110 + length - 1]
            if name == b"TRAILER!!!":
                return
            yield name
            at = (at + 110 + length + 3) // 4 * 4
            at = (at + size + 3) // 4 * 4


class Runs(unittest.TestCase):
    def test_streams_are_apart_and_exact_and_the_exit_code_comes_back(self):
        with tempfile.NamedTemporaryFile(prefix="xylem-lab-test-") as file:
            file.write(ALL_BYTES)
            file.flush()
            run = lab("--machine", "flat", "--env", "WORDS=two  words", "--", "sh", "-c",
                      'cat "$0"; echo "$WORDS" >&2; echo "$PWD" >/dev/stderr; exit 3', file.name)
        self.assertEqual(run.returncode, 3, run.stderr)
        self.assertEqual(run.stdout, ALL_BYTES)
        self.assertEqual(run.stderr.decode(), f"two  words\n{os.getcwd()}\n")

    def test_a_signal_is_128_and_its_number_and_what_is_left_running_holds_nobody(self):
        run = lab("--machine", "flat", "--", "sh", "-c", "sleep 1000 & echo before; kill -SEGV $$",
                  timeout=200)
        self.assertEqual((run.returncode, run.stdout), (128 + 11, b"before\n"), run.stderr)

    def test_a_hung_command_is_killed_and_told(self):
        run = lab("--machine", "flat", "--timeout", "2", "--", "sh", "-c", "echo before; sleep 1000",
                  timeout=280)
        self.assertEqual((run.returncode, run.stdout), (124, b"before\n"))
        self.assertIn(b"no end after 2 s", run.stderr)

    def test_a_machine_that_dies_is_the_labs_failure_and_shows_its_console(self):
        run = lab("--machine", "flat", "--", "sh", "-c", "echo c >/proc/sysrq-trigger", timeout=200)
        self.assertEqual(run.returncode, 125)
        self.assertIn(b"sysrq triggered crash", run.stderr)

    def test_the_kernel_can_be_told_to_move_pages(self):
        run = lab("--autonuma", "--", "cat", "/proc/sys/kernel/numa_balancing")
        self.assertEqual((run.returncode, run.stdout), (0, b"1\n"), run.stderr)


if __name__ == "__main__":
    unittest.main()
