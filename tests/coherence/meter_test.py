"""meter_test.py FOLDER CC: the coherence meter counts what is known to move, exactly, and no more."""
import pathlib
import shutil
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
METER = HERE.parent.parent / "lab" / "coherence"
sys.dont_write_bytecode = True
sys.path[:0] = [str(METER), str(METER.parent.parent / "bench")]
from metering import measure, table  # noqa: E402

FOLDER, CC = pathlib.Path(sys.argv[1]), sys.argv[2]
SKIPPED = 77
TIMES = 500


def run(*words):
    out = FOLDER / "ping_pong.out"
    subprocess.run([measure.QEMU, "-plugin", f"{FOLDER / 'meter.so'},out={out}", FOLDER / "ping_pong", *words],
                   check=True, timeout=120)
    return measure.read(out, 2, TIMES)


def of_the_word(seen):
    """Transfers of the line that moves most."""
    _, moved = seen.by(lambda count: count.line)[0]
    return moved * seen.threads


class Meter(unittest.TestCase):
    def test_a_word_that_goes_to_and_fro_moves_twice_a_hand_over(self):
        seen = run("together", str(TIMES))
        self.assertAlmostEqual(of_the_word(seen), 4, delta=0.02)
        self.assertAlmostEqual(seen.reads() * 2, 2, delta=0.1)

    def test_the_longest_chain_is_the_hand_overs(self):
        self.assertAlmostEqual(run("together", str(TIMES)).chain, 4, delta=0.1)

    def test_lines_that_nobody_else_touches_do_not_move(self):
        seen = run("apart", str(TIMES))
        self.assertLess(seen.per_thread() * TIMES, 60)  # the two barriers

    def test_a_plain_meter_of_a_barrier_sees_every_thread(self):
        folder = type("Peer", (), {"name": "libgomp", "folder": None})
        seen = measure.measure(FOLDER, folder, "barrier", 4, 50)
        self.assertGreater(seen.per_thread(), 1)
        self.assertLess(seen.per_thread(), 4)


class Limits(unittest.TestCase):
    def test_a_chain_may_be_half_as_long_again_as_two_binary_trees(self):
        self.assertEqual(table.chain_limit(64, 1), 18)
        self.assertEqual(table.chain_limit(64, 4), 18)


if __name__ == "__main__":
    if not shutil.which(measure.QEMU):
        print("no qemu-x86_64 here (Debian: qemu-user)")
        sys.exit(SKIPPED)
    measure.build(FOLDER, CC)
    subprocess.run([CC, "-O2", f"-I{METER}", HERE / "ping_pong.c", "-o", FOLDER / "ping_pong", "-pthread"], check=True)
    unittest.main(argv=sys.argv[:1], verbosity=2)
