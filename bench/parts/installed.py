"""The peers that are on the user's machine: LLVM's libomp and Intel's libiomp5, wherever they are.

For each a folder is made in which libgomp.so.1 and libomp.so.5 are links to it. Nothing is fetched.
"""
import glob
import os
import pathlib
import re
import site
import subprocess
import sys

from parts import peers

FILES = {"libomp": ("libomp.so.5", "libomp.so"), "libiomp5": ("libiomp5.so",)}
ADVICE = {"libomp": "apt-get install libomp5", "libiomp5": "pip install intel-openmp"}


def known_to_linker():
    """The libraries that the linker finds: lines like "libc.so.6 (libc6,x86-64) => /lib/libc.so.6"."""
    try:
        told = subprocess.run(["ldconfig", "-p"], text=True, capture_output=True, check=False,
                              env=os.environ | {"PATH": os.environ.get("PATH", "") + ":/sbin:/usr/sbin"})
    except FileNotFoundError:
        return []
    return [pathlib.Path(line.split(" => ")[1].strip()) for line in told.stdout.splitlines()
            if " => " in line]


def version_of(path):
    """So that llvm-19 stands above llvm-9."""
    return [int(number) for number in re.findall(r"\d+", path)]


def folders():
    """Where runtimes are that the linker does not find, the newest first."""
    llvm = sorted(glob.glob("/usr/lib/llvm-*/lib") + glob.glob("/usr/lib64/llvm*/lib*"),
                  key=version_of, reverse=True)
    prefixes = [sys.prefix, site.getuserbase(), os.environ.get("CONDA_PREFIX", sys.prefix), "/usr/local"]
    return [pathlib.Path(name) for name in [
        *llvm, *(prefix + "/lib" for prefix in prefixes), "/opt/intel/oneapi/compiler/latest/lib"]]


def candidates(folder):
    """All files that may be a runtime: those under `folder`, or, without one, those of the machine."""
    if folder is not None:
        return sorted(path for path in folder.rglob("*.so*") if path.is_file())
    return known_to_linker() + [path for place in folders() for path in sorted(place.glob("lib*.so*"))]


def choose(name, files):
    """The first of `files` that is the runtime, and none of Xylem's links of the same name."""
    for path in files:
        if path.name in FILES[name] and os.path.realpath(path).rpartition("/")[2].startswith(name):
            return path
    return None


def find(folder, links):
    """Peers, each in a folder of its own under `links`. `folder`: look there alone, or None."""
    found, files = [], candidates(folder)
    for name in FILES:
        library = choose(name, files)
        if library is None:
            place = f"in {folder}" if folder else f"on this machine ({ADVICE[name]})"
            print(f"bench: {name} is left out: there is none {place}", file=sys.stderr)
            continue
        linked = links.resolve() / name
        linked.mkdir(parents=True, exist_ok=True)
        for compiler in peers.COMPILERS.values():
            link = linked / compiler.soname
            link.unlink(missing_ok=True)
            link.symlink_to(library.resolve())
        found.append(peers.Peer(name, linked, name))
    return found
