"""`xylem mpi map`, as a user types it, and the launchers that read what it writes.

XYLEM names the command. Launchers that are not installed are skipped.
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

XYLEM = os.environ.get("XYLEM", "xylem")


def xylem(*words):
    variables = {name: value for name, value in os.environ.items() if name != "XYLEM_MACHINE"}
    return subprocess.run([XYLEM, "mpi", *words], capture_output=True, text=True, env=variables)


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="xylem-mpi-")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def write(self, name, rows):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.writelines(" ".join(map(str, row)) + "\n" for row in rows)
        return path

    def path(self, name):
        return os.path.join(self.folder, name)


def hop_bytes(text):
    """The table: name -> hop-bytes as printed."""
    units = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
    found = {}
    for line in text.splitlines():
        for name in ("round robin", "by node", "greedy", "SCOTCH", "placed"):
            if line.startswith(name):
                number, unit = line[len(name):].split()[:2]
                found[name] = float(number) * units[unit]
    return found


def stencil(side, seed):
    """Ranks on a square, neighbours exchange a megabyte; their numbers are shuffled."""
    order = list(range(side * side))
    random.Random(seed).shuffle(order)
    rows = [[0] * len(order) for _ in order]
    for x in range(side):
        for y in range(side):
            for other in ([(x + 1, y)] if x + 1 < side else []) + ([(x, y + 1)] if y + 1 < side else []):
                a, b = order[x * side + y], order[other[0] * side + other[1]]
                rows[a][b] = rows[b][a] = 1000000
    return rows


class MpiMap(Case):
    def test_a_thousand_ranks_on_sixty_four_machines(self):
        matrix = self.write("stencil", stencil(32, 1))
        done = xylem("map", "--machine", "pack:2 [numa] l3:2 core:4 pu:1", "--nodes", "64", matrix)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        costs = hop_bytes(done.stdout)
        # A square of 4 x 4 ranks a machine keeps three quarters of what is exchanged inside.
        self.assertLess(costs["placed"], 0.6 * costs["by node"], done.stdout)
        self.assertEqual(costs["placed"], min(costs.values()), done.stdout)

    def test_levels_that_differ_are_placed_without_scotch(self):
        matrix = self.write("small", stencil(2, 1))
        xml = self.path("uneven.xml")
        cores = "".join(
            '<object type="Package" os_index="%d" cpuset="%s" complete_cpuset="%s" nodeset="0x1" complete_nodeset="0x1">%s</object>'
            % (package, mask, mask, "".join(
                '<object type="Core" os_index="%d" cpuset="%s" complete_cpuset="%s" nodeset="0x1" complete_nodeset="0x1">'
                '<object type="PU" os_index="%d" cpuset="%s" complete_cpuset="%s" nodeset="0x1" complete_nodeset="0x1"/></object>'
                % (pu, hex(1 << pu), hex(1 << pu), pu, hex(1 << pu), hex(1 << pu)) for pu in pus))
            for package, mask, pus in ((0, "0x7", (0, 1, 2)), (1, "0x8", (3,))))
        with open(xml, "w") as file:
            file.write('<?xml version="1.0"?><!DOCTYPE topology SYSTEM "hwloc2.dtd"><topology version="2.0">'
                       '<object type="Machine" os_index="0" cpuset="0xf" complete_cpuset="0xf" allowed_cpuset="0xf" '
                       'nodeset="0x1" complete_nodeset="0x1" allowed_nodeset="0x1">'
                       '<object type="NUMANode" os_index="0" cpuset="0xf" complete_cpuset="0xf" nodeset="0x1" '
                       'complete_nodeset="0x1" local_memory="1000000000"/>%s</object></topology>' % cores)
        done = xylem("map", "--machine", xml, matrix)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "xylem: placed without SCOTCH: the machine's levels have "
                                      "different numbers of children\n")
        self.assertNotIn("SCOTCH", hop_bytes(done.stdout))

    def test_a_picture(self):
        matrix = self.write("small", stencil(2, 1))
        done = xylem("map", "--machine", "core:2 pu:1", "--nodes", "2", "--svg", self.path("a.svg"), matrix)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("a.svg")) as file:
            self.assertIn("</svg>", file.read())

    def test_trouble_is_a_line(self):
        good, bad = self.write("good", [[0, 1], [1, 0]]), self.write("bad", [[0, "nan"], [1, 0]])
        ten = self.write("ten", [[0] * 10 for _ in range(10)])
        for words, line in (
                ([], "mpi needs `map`; see `xylem mpi --help`"),
                (["walk"], "mpi has no 'walk', only `map`; see `xylem mpi --help`"),
                (["map"], "mpi map takes one MATRIX; see `xylem mpi --help`"),
                (["map", bad], "'%s': from rank 0 to rank 1 stands nan, which is no number of bytes" % bad),
                (["map", self.path("none")], "'%s' cannot be read" % self.path("none")),
                (["map", "--machine", "pack:4 core:2 pu:1", ten],
                 "'%s' has 10 ranks, but 1 machine of this kind has only 8 PUs for them" % ten),
                (["map", "--nodes", "0", good], "--nodes 0 is no number of machines"),
                (["map", "--output", "x", good], "--output is the launcher's file: give --launcher too")):
            done = xylem(*words)
            self.assertEqual((done.returncode, done.stderr), (2, "xylem: %s\n" % line), words)


class MpiLaunchers(Case):
    """Two ranks on two PUs of this machine: each is asked which it has."""

    SHOW = 'echo $OMPI_COMM_WORLD_RANK$PMI_RANK $(taskset -pc $$ | sed "s/.*: //")'

    def place(self, launcher):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one processor")
        matrix = self.write("two", [[0, 9], [9, 0]])
        done = xylem("map", "--launcher", launcher, "--output", self.path("file"), matrix)
        self.assertEqual(done.returncode, 0, done.stderr)
        command = done.stdout.strip().splitlines()[-1].split()
        table = done.stdout.split("rank:PU")[1].splitlines()[1].split()[1:]
        wanted = {rank: pu.split("+")[0] for rank, pu in (cell.split(":") for cell in table)}
        return command[1:-1], wanted

    def run_ranks(self, command, wanted):
        done = subprocess.run([*command, "sh", "-c", self.SHOW], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = dict(line.split() for line in done.stdout.splitlines())
        self.assertEqual({rank: re_first(cpus) for rank, cpus in found.items()}, wanted)

    def test_open_mpi(self):
        program = shutil.which("mpirun.openmpi")
        if not program:
            self.skipTest("no Open MPI")
        words, wanted = self.place("openmpi4")
        self.run_ranks([program, "--allow-run-as-root", *words], wanted)

    def test_hydra(self):
        program = shutil.which("mpiexec.hydra")
        if not program:
            self.skipTest("no MPICH")
        words, wanted = self.place("hydra")
        self.run_ranks([program, *words], wanted)


def re_first(cpus):
    return cpus.replace("-", ",").split(",")[0]


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]], verbosity=1)
