"""LLVM's OpenMP tests: where they come from, and what of LLVM they need."""
import os
import pathlib
import shutil
import subprocess

PACKAGE = "llvm-toolchain-19"
LLVM = pathlib.Path("/usr/lib/llvm-19")
LIT = LLVM / "build/utils/lit/lit.py"
NEEDED = {  # file -> the package that has it
    LLVM / "bin/clang": "clang-19", LLVM / "lib/libomp.so.5": "libomp-19-dev",
    LLVM / "bin/FileCheck": "llvm-19-tools", LIT: "llvm-19-tools",
}
# Tests include one header of the runtime, which names the processor and the system.
UNPACKED = ["*/openmp/runtime/test", "*/openmp/runtime/src/kmp_platform.h", "*/openmp/LICENSE.TXT"]


class NoTests(Exception):
    """LLVM's tests cannot be had here; the text says why."""


def cache():
    """Where the sources are kept for all build folders of this user."""
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "xylem" / PACKAGE


def need_tools(needed=None):
    missing = {package for file, package in (needed or NEEDED).items() if not file.exists()}
    if missing:
        raise NoTests(f"packages are missing: {' '.join(sorted(missing))}")


def fetch(folder):
    """The folder openmp/runtime/test, taken once from Debian's source package and kept in `folder`."""
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        archive = _archive(folder)
        print("Unpacking LLVM's OpenMP tests", flush=True)
        unpack(archive, folder)
        for left in (folder / "package", folder / "lists"):
            shutil.rmtree(left)
        (folder / "complete").touch()
    return folder / "openmp/runtime/test"


def unpack(archive, folder):
    subprocess.run(["tar", "-x", "-f", archive, "-C", folder, "--strip-components=1", "--wildcards", *UNPACKED],
                   check=True)


def _archive(folder):
    """The archive with LLVM's sources, in a folder that can go. apt checks its signature."""
    print(f"Fetching Debian's source package {PACKAGE} (165 MB)", flush=True)
    place = folder / "package"
    place.mkdir()
    apt = ["apt-get", "-qq", *_own_lists(folder)]
    _run([*apt, "update"], place)
    _run([*apt, "source", "--download-only", PACKAGE], place)
    return next(place.glob("*.orig.tar.*"))


def _own_lists(folder):
    """Options by which apt knows the sources of the packages that it knows, in lists of its own."""
    (folder / "lists/partial").mkdir(parents=True)
    format_ = "deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)"
    sources = _run(["apt-get", "indextargets", "--format", format_, "Created-By: Packages"], folder)
    sources_list = folder / "package/sources.list"
    sources_list.write_text(sources)
    return [word for option in (f"Dir::Etc::SourceList={sources_list}", "Dir::Etc::SourceParts=/dev/null",
                                f"Dir::State::Lists={folder}/lists", "APT::Sandbox::User=root")
            for word in ("-o", option)]


def _run(command, folder):
    """The command's output. NoTests when it fails."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    except OSError as error:
        raise NoTests(str(error)) from error
    if done.returncode != 0:
        raise NoTests(f"{' '.join(command[:1] + command[-2:])} failed: {done.stderr.strip()}")
    return done.stdout
