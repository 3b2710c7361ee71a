"""`xylem mpi map`, as a user types it, and the launchers that read what it writes.

XYLEM names the command. Launchers that are not installed are skipped.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import unittest

from command_test import Case, XYLEM


def xylem(*words):
    variables = {name: value for name, value in os.environ.items() if name != "XYLEM_MACHINE"}
    return subprocess.run([XYLEM, "mpi", *words], capture_output=True, text=True, env=variables)


class Rows(Case):
    """Tests whose files are rows of numbers."""

    def write_rows(self, name, rows):
        return self.write(name, "".join(" ".join(map(str, row)) + "\n" for row in rows))


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


class MpiMap(Rows):
    def test_a_thousand_ranks_on_sixty_four_machines(self):
        matrix = self.write_rows("stencil", stencil(32, 1))
        done = xylem("map", "--machine", "pack:2 [numa] l3:2 core:4 pu:1", "--nodes", "64", matrix)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        costs = hop_bytes(done.stdout)
        # A square of 4 x 4 ranks a machine keeps three quarters of what is exchanged inside.
        self.assertLess(costs["placed"], 0.6 * costs["by node"], done.stdout)
        self.assertEqual(costs["placed"], min(costs.values()), done.stdout)

    def test_levels_that_differ_are_placed_without_scotch(self):
        matrix = self.write_rows("small", stencil(2, 1))
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
        matrix = self.write_rows("small", stencil(2, 1))
        done = xylem("map", "--machine", "core:2 pu:1", "--nodes", "2", "--svg", self.path("a.svg"), matrix)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("a.svg")) as file:
            self.assertIn("</svg>", file.read())

    def test_trouble_is_a_line(self):
        good, bad = self.write_rows("good", [[0, 1], [1, 0]]), self.write_rows("bad", [[0, "nan"], [1, 0]])
        ten = self.write_rows("ten", [[0] * 10 for _ in range(10)])
        launcher = self.write_rows("launcher", [["#!/bin/sh"]])
        os.chmod(launcher, 0o755)
        for words, line in (
                ([], "mpi needs `record`, `map` or `run`; see `xylem mpi --help`"),
                (["walk"], "mpi has no 'walk', but `record`, `map` and `run`; see `xylem mpi --help`"),
                (["record"], "mpi record takes a launcher and its arguments behind --; see `xylem mpi --help`"),
                (["record", "--", launcher],
                 "no C compiler of an MPI beside '%s': name one by --mpicc" % launcher),
                (["map"], "mpi map takes one MATRIX; see `xylem mpi --help`"),
                (["map", bad], "'%s': from rank 0 to rank 1 stands nan, which is no number of bytes" % bad),
                (["map", self.path("none")], "'%s' cannot be read" % self.path("none")),
                (["map", "--machine", "pack:4 core:2 pu:1", ten],
                 "'%s' has 10 ranks, but 1 machine of this kind has only 8 PUs for them" % ten),
                (["run", "--", "true"], "mpi run needs -n, the number of ranks"),
                (["run", "-n", "2"], "mpi run takes a program behind --; see `xylem mpi --help`"),
                (["map", "--cores", "-1", good], "--cores -1 is no number of cores"),
                (["map", "--nodes", "0", good], "--nodes 0 is no number of machines"),
                (["map", "--output", "x", good], "--output is the launcher's file: give --launcher too")):
            done = xylem(*words)
            self.assertEqual((done.returncode, done.stderr), (2, "xylem: %s\n" % line), words)


class MpiLaunchers(Rows):
    """Two ranks on two PUs of this machine: each is asked which it has."""

    SHOW = 'echo $OMPI_COMM_WORLD_RANK$PMI_RANK $(taskset -pc $$ | sed "s/.*: //")'

    def place(self, launcher):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one processor")
        matrix = self.write_rows("two", [[0, 9], [9, 0]])
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


RING_C = r"""
#include <mpi.h>
int main(int count, char **words) {
  int rank, size, half_rank, half_size;
  double x[100] = {0}, sum;
  MPI_Comm half;
  MPI_Request request;
  MPI_Status *none = MPI_STATUS_IGNORE;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);  /* in descending order */
  MPI_Comm_rank(half, &half_rank);
  MPI_Comm_size(half, &half_size);
  MPI_Send_init(x, 10, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, &request);
  for (int i = 0; i < 3; i++) {
    MPI_Start(&request);
    MPI_Recv(x, 100, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, none);
    MPI_Wait(&request, none);
  }
  MPI_Request_free(&request);
  MPI_Sendrecv(x, 100, MPI_DOUBLE, (half_rank + 1) % half_size, 2, x, 100, MPI_DOUBLE,
               (half_rank + half_size - 1) % half_size, 2, half, none);
  MPI_Allreduce(x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return rank == 0 ? 3 : 0;
}
"""
EXCHANGE_C = r"""
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
int main(int count, char **words) {
  int rank, in;
  cpu_set_t mine;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 1, &in, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  sched_getaffinity(0, sizeof mine, &mine);
  char list[64] = "";
  for (int cpu = 0, at = 0; cpu < 16; cpu++)
    if (CPU_ISSET(cpu, &mine)) at += sprintf(list + at, at ? ",%d" : "%d", cpu);
  printf("rank %d got [%s] on %s\n", rank, words[1], list);
  MPI_Finalize();
  return in != 1 - rank;
}
"""
RING_FORTRAN = """
program ring
  include 'mpif.h'
  integer rank, size, error, request, status(MPI_STATUS_SIZE)
  double precision x(10)
  x = 0
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  call MPI_Isend(x, 10, MPI_DOUBLE_PRECISION, mod(rank + 1, size), 1, MPI_COMM_WORLD, request, error)
  call MPI_Recv(x, 10, MPI_DOUBLE_PRECISION, mod(rank + size - 1, size), 1, MPI_COMM_WORLD, status, error)
  call MPI_Wait(request, status, error)
  call MPI_Finalize(error)
end program
"""


class MpiRecord(Case):
    """Four ranks, by each MPI that is installed, in C and in Fortran."""

    LAUNCHERS = (("openmpi", ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"]),
                 ("mpich", ["mpiexec.hydra"]))

    def record(self, source, suffix, compiler):
        """(MPI, how the launcher ended, the recording) of each MPI."""
        name = self.path("ring" + suffix)
        with open(name, "w") as file:
            file.write(source)
        ran = False
        for mpi, launcher in self.LAUNCHERS:
            program = self.path("ring-" + mpi)
            if not shutil.which(launcher[0]) or not shutil.which("%s.%s" % (compiler, mpi)):
                continue
            subprocess.run(["%s.%s" % (compiler, mpi), name, "-o", program], check=True, capture_output=True)
            output = self.path(mpi + ".json")
            words = [XYLEM, "mpi", "record", "--output", output, "--", *launcher, "-n", "4", program]
            done = subprocess.run(words, capture_output=True, text=True,
                                  env=self.environment(XDG_CACHE_HOME=self.path("cache")))
            self.assertIn("xylem: 4 ranks recorded in '%s'" % output, done.stderr)
            with open(output) as file:
                ran = True
                yield mpi, done, json.load(file)
        if not ran:
            self.skipTest("no MPI")

    def test_what_is_sent_is_counted_once(self):
        for mpi, done, found in self.record(RING_C, ".c", "mpicc"):
            self.assertEqual(done.returncode, 3, mpi)
            pairs = {(a, b): (size, number) for a, b, size, number in found["pairs"]}
            ring = {(rank, (rank + 1) % 4): (240, 3) for rank in range(4)}
            halves = {pair: (800, 1) for pair in ((0, 2), (2, 0), (1, 3), (3, 1))}
            self.assertEqual(pairs, {**ring, **halves}, mpi)
            self.assertEqual(found["collectives"], {"MPI_Allreduce": {"calls": 4, "bytes": 32}}, mpi)
            placed = xylem("map", "--machine", "pack:2 core:2 pu:1", self.path(mpi + ".json"))
            # 0 and 2, and 1 and 3, exchange most: each two share a package.
            self.assertRegex(placed.stdout, r"0 +(0:0 2:1|2:0 0:1|1:0 3:1|3:0 1:1) ", placed.stdout)

    def test_fortran_is_counted_once(self):
        for mpi, done, found in self.record(RING_FORTRAN, ".f90", "mpif90"):
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(found["pairs"], [[rank, (rank + 1) % 4, 80, 1] for rank in range(4)], mpi)


class MpiRun(Case):
    """The first run is recorded, the second placed: each rank then has a PU of its own."""

    def test_record_then_place(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one processor")
        ran = False
        for mpi, launcher in (("openmpi", "mpirun.openmpi --allow-run-as-root --oversubscribe"),
                              ("mpich", "mpiexec.hydra")):
            if not shutil.which(launcher.split()[0]) or not shutil.which("mpicc." + mpi):
                continue
            ran = True
            with open(self.path("exchange.c"), "w") as file:
                file.write(EXCHANGE_C)
            program = self.path("exchange-" + mpi)
            subprocess.run(["mpicc." + mpi, self.path("exchange.c"), "-o", program], check=True, capture_output=True)
            words = [XYLEM, "mpi", "run", "-n", "2", "--mpirun", launcher, "--", program, "an argument"]
            runs = [subprocess.run(words, capture_output=True, text=True, cwd=self.folder,
                                   env=self.environment(XDG_CACHE_HOME=self.path("cache")))
                    for _ in range(2)]
            file = "exchange-%s.xylem-mpi.json" % mpi
            self.assertEqual([done.returncode for done in runs], [0, 0], [done.stderr for done in runs])
            self.assertIn("xylem: '%s' is not there yet: this run is recorded, the next one is placed" % file,
                          runs[0].stderr)
            self.assertTrue(os.path.exists(self.path(file)))
            placed = dict(line.split(" on ") for line in runs[1].stdout.splitlines())
            self.assertEqual(sorted(placed), ["rank 0 got [an argument]", "rank 1 got [an argument]"], mpi)
            self.assertEqual(len(set(placed.values())), 2, placed)
            self.assertTrue(all("," not in cpus and "-" not in cpus for cpus in placed.values()), placed)
        if not ran:
            self.skipTest("no MPI")


def re_first(cpus):
    return cpus.replace("-", ",").split(",")[0]


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]], verbosity=1)
