"""One measurement: a case of operations.c under the meter, and what the meter wrote."""
import collections
import dataclasses
import pathlib
import subprocess
import tempfile

from parts.peers import XYLEM

HERE = pathlib.Path(__file__).resolve().parent.parent
QEMU = "qemu-x86_64"
ASLEEP = ("idle", "pair_of_sleepers")  # the cases in which idle workers sleep


class Failed(Exception):
    """The text says what did not run."""


def build(folder, compiler="cc"):
    """Compiles the plugin, the clock and the metered program into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    shared = ["-O2", "-fPIC", "-shared"]
    for name, source, words in (("meter.so", "meter.c", shared), ("slow_clock.so", "slow_clock.c", shared),
                                ("operations", "operations.c", ["-O2", "-g", "-fopenmp", "-ldl"])):
        made, source = folder / name, HERE / source
        if made.exists() and made.stat().st_mtime > max(f.stat().st_mtime for f in HERE.glob("*.[ch]")):
            continue
        subprocess.run([compiler, source, "-o", made, *words], check=True)


@dataclasses.dataclass(frozen=True)
class Count:
    """Transfers of one line by one instruction."""
    instruction: int
    line: int
    maker: int  # the instruction that touched the line first
    reads: int
    writes: int
    across: int  # of both, from another memory node

    def moved(self):
        return self.reads + self.writes


@dataclasses.dataclass
class Result:
    """What one case moved; the figures are for one operation."""
    threads: int
    times: int
    counts: list
    chain: float  # longest chain of transfers
    futex_calls: float
    modules: list  # (begin, end, offset in the file, name)

    def per_thread(self, kind=Count.moved):
        return sum(kind(count) for count in self.counts) / self.times / self.threads

    def reads(self):
        return self.per_thread(lambda count: count.reads)

    def across(self):
        """Transfers from another memory node, of all threads."""
        return sum(count.across for count in self.counts) / self.times

    def by(self, key):
        """(key, transfers for one operation and thread), most first."""
        sums = collections.Counter()
        for count in self.counts:
            sums[key(count)] += count.moved() / self.times / self.threads
        return sums.most_common()


def read(path, threads, times):
    counts, modules, chain, futex = [], [], 0, 0
    for line in path.read_text().splitlines():
        word, *rest = line.split()
        if word == "count":
            counts.append(Count(*(int(x, 16) for x in rest[:3]), *map(int, rest[3:])))
        elif word == "chain":
            chain = int(rest[0])
        elif word == "calls":
            futex = int(rest[1])
        elif word == "map":
            modules.append((*(int(x, 16) for x in rest[:3]), rest[3]))
    return Result(threads, times, counts, chain / times, futex / times, modules)


def settings_for(peer, case, threads, nodes):
    """A processor for each thread; who waits for long enough waits on the processor, but in the cases
    in which workers sleep."""
    settings = {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "active", "METER_NODES_COUNT": str(nodes),
                "KMP_BLOCKTIME": "infinite", "OMP_DYNAMIC": "false"}
    if case in ASLEEP:
        settings |= {"OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0"}
    if peer.name == XYLEM:
        settings["XYLEM_MACHINE"] = f"node:{nodes} core:{max(threads // nodes, 1)} pu:1"
        if case not in ASLEEP:
            settings["XYLEM_SPIN"] = "1000000"
        if case == "pair_of_sleepers":
            settings["XYLEM_SHORT_REGION"] = "0"  # its maker would run both members
        # What slow_clock.c does not slow: the monitor sleeps by the kernel's clock.
        settings["XYLEM_TIME_SLICE"] = "60000"
    return settings


def measure(tools, peer, case, threads, times, nodes=1, more=(), seconds=300):
    """Runs it once. `more`: settings over those of settings_for(), pairs."""
    settings = settings_for(peer, case, threads, nodes) | dict(more)
    if peer.folder:
        settings["LD_LIBRARY_PATH"] = str(peer.folder)
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        command = [QEMU, "-plugin", f"{tools / 'meter.so'},out={out}",
                   "-E", f"LD_PRELOAD={tools / 'slow_clock.so'}"]
        for name, value in settings.items():
            command += ["-E", f"{name}={value}"]
        command += [tools / "operations", case, str(threads), str(times)]
        name = f"{peer.name}, {case} of {threads} threads"
        try:
            ran = subprocess.run(command, check=False, capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            raise Failed(f"{name}: not done in {seconds} s") from None
        if ran.returncode != 0 or not out.exists():
            raise Failed(f"{name}: exit code {ran.returncode}: {ran.stderr.strip()[-300:]}")
        return read(out, threads, times)


def places_of(result, addresses):
    """Functions and lines of code for each address, the innermost first, where the files say it."""
    found = {}
    for begin, end, offset, name in result.modules:
        inside = [a for a in addresses if begin <= a < end]
        if not inside or not name.startswith("/"):
            continue
        told = subprocess.run(["addr2line", "-aCfie", name, *(hex(a - begin + offset) for a in inside)],
                              check=False, capture_output=True, text=True).stdout
        for address, block in zip(inside, told.split("\n0x") if told.startswith("0x") else []):
            lines = block.splitlines()[1:]
            found[address] = [(function.split("(")[0], pathlib.Path(place.split(" ")[0]).name)
                              for function, place in zip(lines[::2], lines[1::2])]
    return found


def own_code(frames):
    """The innermost frame that is not the standard library's."""
    for function, place in frames:
        if not function.startswith("std::"):
            return f"{function} {place}"
    return frames[-1][0] if frames else "?"
