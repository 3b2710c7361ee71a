"""GCC's OpenMP tests: where they come from and which there are."""
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess

import headers

PACKAGE = "gcc-12-source"
INSTALLED = pathlib.Path("/usr/src/gcc-12")  # where the package puts its archive
# Made by GCC's configure; the tests need no more of them than this.
GENERATED = {
    "gstdint.h": "#include <stdint.h>\n",
    "config.h": "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE 1\n#endif\n"
                "#define HAVE_PTHREAD_AFFINITY_NP 1\n#define HAVE_UNISTD_H 1\n",
}


@dataclasses.dataclass(frozen=True)
class Language:
    name: str
    compiler: tuple
    default_options: tuple  # when a test has no dg-options
    always: tuple
    libraries: tuple
    places: tuple  # (folder, pattern of file names)


LANGUAGES = (
    Language("c", (os.environ.get("CC", "gcc"),), ("-O2",), (), (),
             (("libgomp.c", r"\.c$"), ("libgomp.c-c++-common", r"\.c$"))),
    Language("c++", (os.environ.get("CXX", "g++"), "-x", "c++"), ("-O2",), (), (),
             (("libgomp.c++", r"\.C$"), ("libgomp.c-c++-common", r"\.c$"))),
    Language("fortran", (os.environ.get("FC", "gfortran"),), (), ("-O2",), ("-lquadmath",),
             (("libgomp.fortran", r"\.[fF](|90|95|03|08)$"),)),
)


@dataclasses.dataclass(frozen=True)
class Test:
    name: str  # language:folder/file
    language: Language
    path: pathlib.Path
    header: headers.Header = dataclasses.field(hash=False, compare=False)


class NoSource(Exception):
    """GCC's sources cannot be had here; the text says why."""


def fetch(folder, installed=INSTALLED):
    """GCC's libgomp folder with its tests, taken once from Debian's package and kept in `folder`.

    The package is fetched where the folder `installed` has no archive of it.
    """
    root = folder / "source"
    if not (root / "complete").exists():
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        _unpack(_package(root, installed), root)
        for name, text in GENERATED.items():
            (root / "libgomp" / name).write_text(text)
        (root / "complete").touch()
    return root / "libgomp"


def _package(root, installed):
    archives = sorted(installed.glob("gcc-12*.tar.*"))
    if archives:
        return archives[0]
    print(f"Fetching Debian's {PACKAGE} (85 MB)", flush=True)
    download = ["apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", PACKAGE]
    for commands in ([download], [["apt-get", "update", "-qq"], download]):  # the lists may be missing
        for command in commands:
            got = _run(command, root)
        files = list(root.glob("*.deb"))
        if files:
            break
    else:
        raise NoSource(f"apt-get download {PACKAGE} failed: {got}")
    subprocess.run(["dpkg-deb", "-x", files[0], root / "package"], check=True)
    return next((root / "package/usr/src/gcc-12").glob("gcc-12*.tar.*"))


def _run(command, folder):
    """The command's errors, or why it cannot be run."""
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, text=True).stderr.strip()
    except OSError as error:
        return str(error)


def _unpack(archive, root):
    print("Unpacking GCC's tests", flush=True)
    wanted = ["*/libgomp/testsuite/*", "*/libgomp/*.h", "*/include/gomp-constants.h"]
    subprocess.run(["tar", "-x", "-f", archive, "-C", root, "--strip-components=1", "--wildcards", *wanted],
                   check=True)
    for package in root.glob("*.deb"):  # none where the archive was installed
        package.unlink()
    shutil.rmtree(root / "package", ignore_errors=True)


def tests(libgomp):
    """All tests in the order of their names."""
    found = []
    for language in LANGUAGES:
        mode = [*language.always]
        for folder, pattern in language.places:
            for path in sorted((libgomp / "testsuite" / folder).rglob("*")):
                if re.search(pattern, path.name):
                    text = path.read_text(errors="replace")
                    name = f"{language.name}:{path.relative_to(libgomp / 'testsuite')}"
                    found.append(Test(name, language, path, headers.read(text, language.name, mode)))
    return found
