"""The runtimes that are compared: Xylem and what people use today.

A peer is a folder in which libgomp.so.1 and libomp.so.5 are that runtime: a program built by GCC or
Clang runs on it when the folder stands first in LD_LIBRARY_PATH. Some lines are about something else;
they have sides instead.
"""
import dataclasses
import os
import pathlib
import subprocess
import sys

XYLEM = "Xylem"
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@dataclasses.dataclass(frozen=True)
class Compiler:
    """Of the bench's own programs."""
    folder: str  # where they are, in the build's folder
    soname: str  # of the runtime that they ask for


COMPILERS = {"gcc": Compiler(".", "libgomp.so.1"), "clang": Compiler("clang", "libomp.so.5")}


def environment(settings, folder=None):
    """This process's, without what would set a runtime up, and with the settings."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("OMP_", "GOMP_", "KMP_", "XYLEM_", "LD_"))}
    if folder:
        kept["LD_LIBRARY_PATH"] = str(folder)
    return kept | settings


@dataclasses.dataclass(frozen=True)
class Peer:
    name: str
    folder: pathlib.Path | None  # None: what the system's linker finds
    word: str  # in the name of the file that it loads
    own_settings: tuple = ()  # pairs: what the user set for it, where the line sets nothing else

    def environment(self, settings):
        if self.word != "libxylem":  # what is preloaded is Xylem's own
            settings = {name: value for name, value in settings.items() if name != "LD_PRELOAD"}
        return environment(dict(self.own_settings) | settings, self.folder)

    def case(self, line):
        return line.case


@dataclasses.dataclass(frozen=True)
class Side:
    """What a line is measured on if not on OpenMP runtimes: a case of its program under settings."""
    name: str
    own_case: str
    own_settings: tuple = ()  # pairs

    def environment(self, settings):
        return environment(settings | dict(self.own_settings))

    def case(self, _line):
        return self.own_case


@dataclasses.dataclass(frozen=True)
class Variant:
    """A runtime under other settings, or at another case."""
    peer: Peer
    name: str
    own_case: str
    own_settings: tuple = ()  # pairs

    def environment(self, settings):
        return self.peer.environment(settings | dict(self.own_settings))

    def case(self, _line):
        return self.own_case


def sides(line, found):
    """What the line is measured on: its own sides, else those of the peers that can do it."""
    if line.sides:
        return list(line.sides)
    if line.variants:
        own = [peer for peer in found if peer.name == XYLEM]
        return own + [Variant(peer, *variant) for peer in own for variant in line.variants]
    able = [peer for peer in found if not line.only or peer.name in line.only]
    return able + (line.command.more_sides(able) if line.command else [])


def loads(peer, program, soname=COMPILERS["gcc"].soname):
    """The file that `program` gets as its OpenMP runtime, which it asks for as `soname`."""
    told = subprocess.run(["ldd", program], env=peer.environment({}), text=True,
                          capture_output=True, check=True).stdout
    for line in told.splitlines():
        words = line.split()
        if words and words[0] == soname and len(words) > 2:
            return os.path.realpath(words[2])
    return ""


def prepared(script, folder):
    return subprocess.run([ROOT / "scripts" / script, folder], check=False).returncode == 0


def fetched(cache):
    """The peers that the scripts of this repository fetch."""
    peers = []
    if prepared("demo-peers", cache):
        peers.append(Peer("libomp", cache / "libomp-19", "libomp"))
    if prepared("bench-peers", cache):
        peers.append(Peer("libiomp5", cache / "libiomp5", "libiomp5"))
    return peers


def find(library, others, program, soname=COMPILERS["gcc"].soname):
    """Xylem, from the folder `library`, first. A peer on which `program` would not really run is left
    out with one line on stderr. What Clang builds runs on no libgomp."""
    system = [Peer("libgomp", None, "libgomp")] if soname == COMPILERS["gcc"].soname else []
    found = []
    for peer in [Peer(XYLEM, library, "libxylem"), *system, *others]:
        loaded = loads(peer, program, soname)
        if peer.word in os.path.basename(loaded):
            found.append(peer)
        else:
            print(f"bench: {peer.name} is left out: {program} would run on {loaded or 'nothing'}",
                  file=sys.stderr)
    return found
