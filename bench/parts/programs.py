"""Whole programs as lines: how each is started, checked and timed.

A line's command is a Program. Its value is nanoseconds, as all lines': of what the program itself
measured, or of the whole command from its start to the end of its last copy.
"""
import contextlib
import dataclasses
import functools
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import time

from parts import inputs, peers

LIMIT_S = 120
SLOW_NS = 20e9  # a program that takes longer on a peer runs there once
SPREAD_RUNS = 20  # paper 000, table 4
AGAINST_TASKS = "mpu_nested_against_tasks"
OWN_TEAMS = "own teams"  # Xylem on nested teams, in the line of the version with tasks
# Spins until it is killed, or until the bench is gone.
HOG = """import os
parent = os.getppid()
print(flush=True)
while os.getppid() == parent:
    for _ in range(100000): pass
"""


class Failed(Exception):
    """What was wrong with a run."""


def require_success(code, errors):
    if code != 0:
        last = (errors.strip().splitlines() or ["no message"])[-1]
        raise Failed(f"exit code {code}: {last[:60]}")


@contextlib.contextmanager
def cpu_hog():
    with subprocess.Popen([sys.executable, "-c", HOG], stdout=subprocess.PIPE) as hog:
        try:
            hog.stdout.readline()  # it spins from here on
            yield
        finally:
            hog.kill()


@functools.cache
def require_peer(peer, program):
    loaded = peers.loads(peer, program)
    if peer.word not in os.path.basename(loaded):
        raise Failed(f"{os.path.basename(program)} would run on {loaded or 'no OpenMP runtime'}")


def told_by(output):
    """The statistics that a program printed as JSON."""
    try:
        return json.loads(output)
    except ValueError:
        raise Failed("it printed no statistics") from None


def finish(process, until):
    """What the process said on stdout; raises Failed if that was not its regular end."""
    try:
        output, errors = process.communicate(timeout=max(until - time.monotonic(), 0))
    except subprocess.TimeoutExpired:
        raise Failed(f"no end after {LIMIT_S} s") from None
    require_success(process.returncode, errors)
    return output


@dataclasses.dataclass
class Program:
    name: str
    threads: int = 0  # 0: as many as PUs
    copies: int = 1
    beside_hog: bool = False
    runs: int = 0  # in all rounds together, at least; 0: one a round. Their spread is told then
    work: pathlib.Path | None = None
    words: list = dataclasses.field(default_factory=list)

    def prepare(self, places):
        """Sets `words`; raises inputs.Unavailable."""
        self.work = places.work

    def seconds(self, output):
        """What the program measured, or None: the whole command counts. Raises Failed if the
        result is wrong."""

    def samples(self, rounds):
        return max(1, math.ceil(self.runs / rounds))

    def more_sides(self, _found):
        """What the line is measured on besides the peers."""
        return []

    def run(self, peer, settings):
        """Nanoseconds of one run of all copies; raises Failed."""
        require_peer(peer, str(self.words[0]))
        with cpu_hog() if self.beside_hog else contextlib.nullcontext():
            outputs, passed = self.run_copies(peer.environment(settings))
        measured = [self.seconds(output) for output in outputs]
        return 1e9 * (passed if None in measured else max(measured))

    def run_copies(self, environment):
        begun = time.monotonic()
        processes = [subprocess.Popen(self.words, env=environment, cwd=self.work, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                     for _ in range(self.copies)]
        try:
            outputs = [finish(process, begun + LIMIT_S) for process in processes]
            return outputs, time.monotonic() - begun
        finally:
            for process in processes:
                process.kill()
                process.communicate()


@dataclasses.dataclass
class Stream(Program):
    """STREAM's triad with as many doubles as paper 000 takes, 20 million a vector, in 10 passes."""
    teams: int = 1
    passes = 10
    doubles = 20e6

    def pages(self):
        return math.ceil(8 * self.doubles / (self.teams * os.sysconf("SC_PAGE_SIZE")))

    def prepare(self, places):
        super().prepare(places)
        self.words = [places.program("stream"), "--kind", "stream", "--teams", str(self.teams),
                      "--pages", str(self.pages()), "--passes", str(self.passes)]

    def seconds(self, output):
        found = re.search(r"([0-9.]+) MB/s", output)
        if not found or float(found[1]) == 0:
            raise Failed("it told no rate")
        megabytes = 3e-6 * self.pages() * os.sysconf("SC_PAGE_SIZE") * self.teams
        return megabytes / float(found[1])  # of one pass


@dataclasses.dataclass
class Example(Program):
    """A program of examples/ that checks itself and tells its seconds as JSON."""
    arguments: tuple = ()
    verdict: str = ""  # the field that says whether the result is right

    def prepare(self, places):
        super().prepare(places)
        self.words = [places.program(self.name), "--json", *self.arguments]

    def seconds(self, output):
        told = told_by(output)
        if not told[self.verdict]:
            raise Failed("a wrong result")
        return told["seconds"]


@dataclasses.dataclass
class Mpu(Program):
    arguments: tuple = ()
    expected: str = ""

    def prepare(self, places):
        super().prepare(places)
        self.words = [places.program("mpu"), "--stats", *self.arguments, inputs.scan(places)]
        self.expected = inputs.surface(places)

    def seconds(self, output):
        told = told_by(output)
        if told["checksum"] != self.expected:
            raise Failed(f"another surface: {told['checksum']}, serially {self.expected}")
        return told["octree_seconds"]


@dataclasses.dataclass
class MpuTasks(Mpu):
    """Written with tasks; and Xylem on nested teams in turn with it, as the two are compared."""
    arguments: tuple = ("--tasks",)
    teams: Mpu = dataclasses.field(default_factory=lambda: Mpu("mpu"))

    def prepare(self, places):
        super().prepare(places)
        self.teams.prepare(places)

    def more_sides(self, found):
        return [dataclasses.replace(peer, name=OWN_TEAMS) for peer in found if peer.name == peers.XYLEM]

    def run(self, peer, settings):
        return self.teams.run(peer, settings) if peer.name == OWN_TEAMS else super().run(peer, settings)


@dataclasses.dataclass
class Gromacs(Program):
    expected: list = dataclasses.field(default_factory=list)

    def prepare(self, places):
        super().prepare(places)
        self.words = inputs.mdrun("timed", self.threads)
        self.expected = inputs.water(places, self.threads)

    def seconds(self, _output):
        log = self.work / "timed.log"
        found = inputs.energies(log)
        log.unlink(missing_ok=True)  # so that no run is judged by the one before
        if found != self.expected:
            raise Failed(f"other energies than on the system's runtime, in {self.work}")


@dataclasses.dataclass
class Dgesdd(Program):
    order = 1000

    def prepare(self, places):
        super().prepare(places)
        self.words = [places.program("dgesdd"), inputs.openblas(), str(self.order)]


def all_of(pus):
    """{case: Program}"""
    return {
        "stream": Stream("stream", teams=pus, runs=SPREAD_RUNS),
        "zones": Example("zones", arguments=("--class", "A", "--verify"), verdict="verified"),
        "jobs": Example("jobs", verdict="right"),
        "gromacs": Gromacs("gmx", threads=2),
        "dgesdd": Dgesdd("dgesdd"),
        "dgesdd_two_copies": Dgesdd("dgesdd", copies=2),
        "dgesdd_beside_hog": Dgesdd("dgesdd", beside_hog=True),
        "mpu_nested": Mpu("mpu"),
        "mpu_tasks": MpuTasks("mpu"),
    }


def ready(lines, places):
    """The lines that can be measured; one line on stderr for each that cannot."""
    found = []
    for line in lines:
        try:
            if line.command:
                places.work.mkdir(parents=True, exist_ok=True)
                line.command.prepare(places)
            found.append(line)
        except inputs.Unavailable as why:
            print(f"bench: {line.case} is left out: {why}", file=sys.stderr)
    return found


def with_derived(results):
    """The results, and those that follow from them: spreads, and MPU's teams against its tasks."""
    all_results = {}
    for line, row in results.items():
        all_results[line] = row
        if line.command and line.command.runs:
            spread = dataclasses.replace(line, case=line.case + "_worst_by_best", unit="ratio")
            all_results[spread] = {name: spread_of(result) for name, result in row.items()}
        if OWN_TEAMS in row:
            teams = row.pop(OWN_TEAMS)
            all_results[dataclasses.replace(line, case=AGAINST_TASKS)] = {
                **row, peers.XYLEM: teams, "own tasks": row[peers.XYLEM]}
    return all_results


def spread_of(result):
    values = [max(result.values) / min(result.values)] if result.values else []
    return dataclasses.replace(result, values=values)
