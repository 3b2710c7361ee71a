"""What whole programs work on: found, made once in the folder of the bench's work, or not to be had.

Each function raises Unavailable with a sentence that says what to do. What runs here runs on the
OpenMP runtime of the system: it makes inputs and the results that others are compared with.
"""
import dataclasses
import functools
import glob
import json
import pathlib
import shutil
import subprocess

from parts import peers

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIMIT_S = 120
OPENBLAS = ("/usr/lib/*/openblas-openmp/libopenblas.so.0", "/usr/lib64/libopenblaso.so.0",
            "/usr/lib64/libopenblas_openmp.so.0")
TOPOLOGY = """#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/tip3p.itp"
[ system ]
Box of water
[ molecules ]
"""
SIMULATION = """integrator = md
dt = 0.001
nsteps = 600
nstcalcenergy = 10
nstenergy = 100
nstlog = 0
cutoff-scheme = Verlet
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
constraints = h-bonds
tcoupl = no
pcoupl = no
gen-vel = yes
gen-temp = 300
gen-seed = 20240229
"""


class Unavailable(Exception):
    """Why a program cannot be timed here, and what to do about it."""


@dataclasses.dataclass(frozen=True)
class Places:
    programs: pathlib.Path  # the bench's own programs
    work: pathlib.Path  # for what is made here
    scan: pathlib.Path | None  # a file of points; None: the bunny that scripts/demo-data fetches
    data: pathlib.Path | None  # where that goes; None: it cannot be fetched

    def program(self, name):
        for folder in (self.programs, self.programs.parent / "bin"):
            if (folder / name).exists():
                return folder / name
        raise Unavailable(f"the program {name} is not in {self.programs}: it was not built")


def told_by(command, work):
    """What a command says on stdout, on the system's own OpenMP runtime."""
    environment = peers.Peer("libgomp", None, "libgomp").environment({"OMP_WAIT_POLICY": "passive"})
    try:
        done = subprocess.run(command, env=environment, cwd=work, text=True, capture_output=True,
                              timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{command[0]}: no end after {LIMIT_S} s") from None
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise Unavailable(f"{command[0]} ended with code {done.returncode}: {last[:60]}")
    return done.stdout


def openblas():
    for pattern in OPENBLAS:
        found = sorted(glob.glob(pattern))
        if found:
            return found[0]
    raise Unavailable("OpenBLAS for OpenMP is not installed: apt-get install libopenblas0-openmp")


def scan(places):
    if places.scan:
        if not places.scan.exists():
            raise Unavailable(f"there is no {places.scan}")
        return places.scan.resolve()
    if places.data is None:
        raise Unavailable("it needs a scan: give one by --scan FILE, best the Stanford bunny")
    if subprocess.run([ROOT / "scripts" / "demo-data", places.data], check=False).returncode != 0:
        raise Unavailable("the bunny cannot be had: give a scan by --scan FILE")
    return (places.data / "bunny00.off").resolve()


@functools.cache
def surface(places):
    """The checksum of the scan's surface, made without OpenMP."""
    told = told_by([places.program("mpu"), "--stats", "--serial", scan(places)], places.work)
    return json.loads(told)["checksum"]


def gromacs():
    found = shutil.which("gmx")
    if found is None:
        raise Unavailable("GROMACS is not installed: apt-get install gromacs")
    return found


def mdrun(name, threads):
    return [gromacs(), "-nobackup", "-quiet", "mdrun", "-s", "run.tpr", "-deffnm", name, "-ntmpi", "1",
            "-ntomp", str(threads), "-nb", "cpu", "-pin", "off", "-reprod"]


def energies(log):
    """The average energies of a simulation, as its log has them: 6 digits each."""
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    block = text.partition("A V E R A G E S")[2].partition("Energies (kJ/mol)")[2]
    return block.partition("Total Virial")[0].split()


def water(places, threads):
    """Makes the simulation work/run.tpr; returns the energies that the system's runtime gives."""
    gmx = [gromacs(), "-nobackup", "-quiet"]
    (places.work / "topol.top").write_text(TOPOLOGY, encoding="ascii")
    (places.work / "run.mdp").write_text(SIMULATION, encoding="ascii")
    told_by([*gmx, "solvate", "-cs", "spc216", "-box", "2.6", "2.6", "2.6", "-o", "water.gro", "-p",
             "topol.top"], places.work)
    told_by([*gmx, "grompp", "-f", "run.mdp", "-c", "water.gro", "-p", "topol.top", "-o", "run.tpr",
             "-maxwarn", "2"], places.work)
    told_by(mdrun("reference", threads), places.work)
    found = energies(places.work / "reference.log")
    if not found:
        raise Unavailable(f"GROMACS left no energies in {places.work}/reference.log")
    return found
