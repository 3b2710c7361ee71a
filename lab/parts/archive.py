"""Owns the files that travel into a machine: cpio archives (newc) that the kernel unpacks as its root.

An Archive holds each path once, with every folder and symbolic link on the way to it, so that a file
has the same absolute path in the machine as here, through the same links.
"""
import os
import stat
import subprocess
from hashlib import sha256
from pathlib import Path

_FOLDER = stat.S_IFDIR | 0o755
_LINK = stat.S_IFLNK | 0o777


class Missing(Exception):
    """A file or a library that is not here; the text names it."""


class Archive:
    """Writes to `stream`; of a file that it adds, `contents` gives the bytes."""

    def __init__(self, stream, contents=lambda path: Path(path).read_bytes()):
        self._stream = stream
        self._contents = contents
        self._inside = set()
        self._whole = set()  # folders that were added with all that is in them
        self._inode = 1

    def _entry(self, name, mode, data):
        """One record; true when the name was new."""
        if name in self._inside:
            return False
        self._inside.add(name)
        self._record(name, mode, data)
        return True

    def _record(self, name, mode, data):
        encoded = os.fsencode(name) + b"\0"
        links = 2 if stat.S_ISDIR(mode) else 1
        fields = (self._inode, mode, 0, 0, links, 0, len(data), 0, 0, 0, 0, len(encoded), 0)
        self._inode += 1
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + encoded
        self._stream.write(head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4))

    def folder(self, path):
        self._parents(path)
        self._entry(path.strip("/"), _FOLDER, b"")

    def link(self, path, target):
        self._parents(path)
        self._entry(path.strip("/"), _LINK, os.fsencode(target))

    def text(self, path, content, mode=0o644):
        """A file that is not here, or is somewhere else."""
        self._parents(path)
        self._entry(path.strip("/"), stat.S_IFREG | mode, content)

    def _parents(self, path):
        parent = os.path.dirname(path.rstrip("/"))
        if parent not in ("", "/"):
            self.add(parent, whole=False) if os.path.lexists(parent) else self.folder(parent)

    def add(self, path, whole=True):
        """A path of this machine, with what leads to it; of a folder all that is in it, if whole."""
        path = os.path.abspath(path)
        self._parents(path)
        mode = os.lstat(path).st_mode
        name = path.strip("/")
        if stat.S_ISLNK(mode):
            target = os.readlink(path)
            self._entry(name, _LINK, os.fsencode(target))
            target = os.path.join(os.path.realpath(os.path.dirname(path)), target)
            if os.path.exists(target):
                self.add(target, whole)
        elif stat.S_ISDIR(mode):
            self._entry(name, _FOLDER, b"")
            if whole and name not in self._whole:
                self._whole.add(name)
                for child in sorted(os.listdir(path)):
                    self.add(os.path.join(path, child))
        elif stat.S_ISREG(mode) and name not in self._inside:
            self._entry(name, mode, self._contents(path))

    def close(self):
        self._record("TRAILER!!!", 0, b"")
        # The next archive of the same image begins at a multiple of four.
        self._stream.write(bytes(-self._stream.tell() % 512))


class Stripped:
    """Contents of files without the debug information of large programs, which would fill the first
    node's memory. What strip made is kept in a folder, one file for each path, with the time of the
    file that it was made of."""

    LARGE = 1 << 20

    def __init__(self, folder):
        self._folder = folder
        folder.mkdir(exist_ok=True)

    def __call__(self, path):
        path = Path(path)
        now = path.stat()
        if now.st_size < self.LARGE or not is_elf(path):
            return path.read_bytes()
        made = self._folder / sha256(os.fsencode(path)).hexdigest()[:32]
        if not made.exists() or made.stat().st_mtime_ns != now.st_mtime_ns:
            replace(made, lambda unready: self._strip(path, now, unready))
        return made.read_bytes()

    @staticmethod
    def _strip(path, now, unready):
        subprocess.run(["strip", "--strip-debug", "-o", unready, path], check=True)
        os.utime(unready, ns=(now.st_mtime_ns, now.st_mtime_ns))


def newer(made, *sources):
    return made.exists() and all(made.stat().st_mtime_ns > Path(source).stat().st_mtime_ns
                                 for source in sources)


def replace(made, write):
    """Makes a file of the cache under another name first, so that no one reads half of it."""
    unready = made.with_name(f"{made.name}.{os.getpid()}")
    try:
        write(unready)
        unready.replace(made)
    finally:
        unready.unlink(missing_ok=True)


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def interpreter(path):
    """The program that a script's first line names, or None."""
    with open(path, "rb") as file:
        first = file.readline(256)
    words = os.fsdecode(first[2:]).split() if first.startswith(b"#!") else []
    if len(words) > 1 and os.path.basename(words[0]) == "env":
        return words[1]
    return words[0] if words else None


def libraries(paths, search):
    """What the loader would bring in for these programs and libraries, itself among it. `search` is the
    LD_LIBRARY_PATH they will have."""
    paths = [path for path in paths if is_elf(path)]
    if not paths:
        return []
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LD_")}
    if search:
        environment["LD_LIBRARY_PATH"] = search
    answer = subprocess.run(["ldd", *paths], env=environment, text=True, capture_output=True)
    found = []
    for line in answer.stdout.split("\n"):
        name, arrow, where = line.strip().partition(" => ")
        path = (where if arrow else name).split(" (")[0]
        if arrow and path == "not found":
            raise Missing(f"the library {name}, which {' or '.join(paths)} needs, is not found; name "
                          "its folder with --env LD_LIBRARY_PATH=...")
        if path.startswith("/") and not path.endswith(":"):
            found.append(path)
    return found
