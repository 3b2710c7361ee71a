"""Owns the format of lab/machines/*.machine: reads one and turns it into options of QEMU.

A Machine is right once read() has returned it: nodes numbered from 0 without a gap, processors on at
least one node, memory on the first, and a square of distances with 10 on its diagonal alone.
"""
import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "machines"
SUFFIX = ".machine"
LOCAL = 10  # the firmware's distance of a node to itself
FIRST_BUS_OF_CARDS = 0xa1  # the next ones are two higher each

_PACKAGE = re.compile(r"(\d+) cores?(?: of (\d+) threads?)?")
_NODE = re.compile(r"(no|\d+) packages?, (?:no memory|(\d+) MiB( pluggable)?)")


class Wrong(Exception):
    """A machine that does not exist or cannot be read; the text says where and what to do."""


@dataclass(frozen=True)
class Node:
    packages: int
    mib: int
    pluggable: bool = False  # its memory can be taken away while the machine runs


@dataclass(frozen=True)
class Machine:
    title: str
    cores: int  # of a package
    threads: int  # of a core
    nodes: tuple
    distances: tuple  # of rows: [from][to]
    cards: tuple = ()  # the node of each

    @property
    def packages(self):
        return sum(node.packages for node in self.nodes)

    @property
    def pus(self):
        return self.packages * self.cores * self.threads

    @property
    def mib(self):
        return sum(node.mib for node in self.nodes)

    def pus_of(self, node):
        """The numbers that the guest's kernel gives to the processors of a node."""
        each = self.cores * self.threads
        first = sum(before.packages for before in self.nodes[:node]) * each
        return range(first, first + self.nodes[node].packages * each)

    def qemu_options(self):
        fixed = sum(node.mib for node in self.nodes if not node.pluggable)
        sticks = sum(node.pluggable for node in self.nodes)
        more = f",slots={sticks},maxmem={2 * self.mib}M" if sticks else ""
        options = ["-m", f"{fixed}M{more}", "-smp",
                   f"{self.pus},sockets={self.packages},cores={self.cores},threads={self.threads}"]
        package = 0
        for number, node in enumerate(self.nodes):
            options += self._memory_of(number)
            for _ in range(node.packages):
                options += ["-numa", f"cpu,node-id={number},socket-id={package}"]
                package += 1
        return options + self._distance_options() + self._card_options()

    def _memory_of(self, number):
        node, name = self.nodes[number], f"memory{number}"
        backend = ["-object", f"memory-backend-ram,id={name},size={node.mib}M"] if node.mib else []
        fixed = f",memdev={name}" if node.mib and not node.pluggable else ""
        stick = ["-device", f"pc-dimm,memdev={name},node={number}"] if node.pluggable else []
        return [*backend, "-numa", f"node,nodeid={number}{fixed}", *stick]

    def _distance_options(self):
        options = []
        for source, row in enumerate(self.distances):
            for target, value in enumerate(row):
                if source != target:
                    options += ["-numa", f"dist,src={source},dst={target},val={value}"]
        return options

    def _card_options(self):
        """Each is alone behind a bridge that is its node's: QEMU numbers the bus behind it one higher."""
        options = []
        for index, node in enumerate(self.cards):
            bus = FIRST_BUS_OF_CARDS + 2 * index
            options += ["-device", f"pxb,id=cards{index},bus_nr={bus - 1},numa_node={node},bus=pci.0",
                        "-device", f"e1000,bus=cards{index},addr=0,romfile="]
        return options


def names():
    return sorted(path.stem for path in FOLDER.glob("*" + SUFFIX))


def find(name):
    """The machine of this name, or the one in this file."""
    path = Path(name) if name.endswith(SUFFIX) else FOLDER / (name + SUFFIX)
    if not path.is_file():
        raise Wrong(f"there is no machine '{name}'; there are: {', '.join(names())}, or name a file "
                    f"that ends in {SUFFIX}")
    return read(path.read_text(), str(path))


def read(text, where):
    """The machine that the text draws; `where` is the file's name, for errors."""
    reader = _Reader(where)
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.split("#")[0].strip()
        if line:
            reader.line(number, line)
    return reader.machine()


class _Reader:
    def __init__(self, where):
        self.where = where
        self.title = ""
        self.package = None
        self.nodes = []
        self.cards = ()
        self.rows = None  # None until the line `distances:`

    def fail(self, number, what):
        raise Wrong(f"{self.where}:{number}: {what}" if number else f"{self.where}: {what}")

    def line(self, number, line):
        if self.rows is not None:
            return self._row(number, line)
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not colon:
            self.fail(number, f"'{line}' is no line of a machine; docs/lab.md has the list")
        if key == "title":
            self.title = value
        elif key == "package":
            self._package(number, value)
        elif key == "distances" and not value:
            self.rows = []
        elif key == "cards":
            self._cards(number, value)
        elif key.startswith("node "):
            self._node(number, key.removeprefix("node "), value)
        else:
            self.fail(number, f"'{key}' is none of title, package, node N, cards, distances")
        return None

    def _package(self, number, value):
        found = _PACKAGE.fullmatch(value)
        if not found or 0 in (int(found[1]), int(found[2] or 1)):
            self.fail(number, f"'{value}' is not like '4 cores' or '4 cores of 2 threads'")
        self.package = (int(found[1]), int(found[2] or 1))

    def _node(self, number, index, value):
        found = _NODE.fullmatch(value)
        if not found:
            self.fail(number, f"'{value}' is not like '1 package, 256 MiB', 'no packages, 256 MiB' "
                              "or '1 package, no memory'")
        if index != str(len(self.nodes)):
            self.fail(number, f"node {index} stands where node {len(self.nodes)} is due")
        packages = 0 if found[1] == "no" else int(found[1])
        self.nodes.append(Node(packages, int(found[2] or 0), bool(found[3])))

    def _cards(self, number, value):
        nodes = value.split()
        if not nodes or any(node not in map(str, range(len(self.nodes))) for node in nodes):
            self.fail(number, f"'{value}' are not numbers of nodes that are drawn above")
        self.cards = tuple(map(int, nodes))

    def _row(self, number, line):
        if not re.fullmatch(r"\d+( +\d+)*", line):
            self.fail(number, f"'{line}' is no row of distances: whole numbers, one for each node")
        row = tuple(int(word) for word in line.split())
        index = len(self.rows)
        if len(row) != len(self.nodes):
            self.fail(number, f"{len(row)} distances for {len(self.nodes)} nodes")
        if index >= len(row):
            self.fail(number, "a row too many")
        for target, value in enumerate(row):
            if (value == LOCAL) != (target == index) or not LOCAL <= value < 255:
                self.fail(number, f"distance {index} to {target} is {value}: {LOCAL} from a node to "
                                  f"itself, else {LOCAL + 1} to 254")
        self.rows.append(row)

    def machine(self):
        if not self.package:
            self.fail(0, "the line 'package: 4 cores' is missing")
        if not self.nodes or not any(node.packages for node in self.nodes):
            self.fail(0, "no node has a package; write 'node 0: 1 package, 256 MiB'")
        first = self.nodes[0]
        if not first.mib or first.pluggable or not first.packages:
            self.fail(0, "node 0 needs a package and memory that stays: the machine starts there")
        if len(self.rows or []) != len(self.nodes):
            self.fail(0, f"{len(self.rows or [])} rows of distances for {len(self.nodes)} nodes")
        return Machine(self.title, *self.package, tuple(self.nodes), tuple(self.rows), self.cards)
