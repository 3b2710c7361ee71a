"""Running lines: interleaved, peer after peer, round after round, undisturbed where that can be."""
import dataclasses
import os
import resource
import statistics
import subprocess
import time

from parts import programs as whole
from parts.peers import sides

MOST_TRIES = 3
# A run counts as disturbed when other processes used more than this share of one processor.
DISTURBED = 0.1
LIMIT_S = 60


@dataclasses.dataclass
class Result:
    """What one peer did on one line: one value a round, in the line's unit."""
    values: list = dataclasses.field(default_factory=list)
    failure: str = ""
    disturbed: int = 0  # rounds that never came undisturbed

    def median(self):
        return statistics.median(self.values) if self.values and not self.failure else None


def busy_seconds():
    """Processor time that anything used since the system started."""
    with open("/proc/stat", encoding="ascii") as stat:
        user, nice, system, _idle, _iowait, irq, softirq = map(int, stat.readline().split()[1:8])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def own_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_case(peer, line, programs, seconds):
    """What the program measured, in the line's unit."""
    command = [programs / line.program, peer.case(line), str(seconds)]
    if line.one_pu:
        command = ["taskset", "-c", str(min(os.sched_getaffinity(0))), *command]
    try:
        done = subprocess.run(command, env=peer.environment(line.settings()), text=True,
                              capture_output=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        raise whole.Failed(f"no end after {LIMIT_S} s") from None
    whole.require_success(done.returncode, done.stderr)
    return float(done.stdout.split("\t")[1])


def run_once(peer, line, programs, seconds):
    """(value, share of a processor that others used), or a failure's words."""
    begun, busy, own = time.monotonic(), busy_seconds(), own_seconds()
    try:
        if line.command:
            value = line.command.run(peer, line.settings())
        else:
            value = run_case(peer, line, programs, seconds)
    except whole.Failed as failure:
        return str(failure)
    passed = max(time.monotonic() - begun, 1e-3)
    # A hog that the line itself starts has ended by now: it is among the bench's own children.
    others = (busy_seconds() - busy) - (own_seconds() - own)
    return value, others / passed


def is_slow(line, value):
    """Whether one run of a whole program must do for this peer."""
    return line.command is not None and value > whole.SLOW_NS


def is_wanted(line, result):
    return not result.failure and not any(is_slow(line, value) for value in result.values)


def measure(peer, line, programs, seconds, result):
    best = None
    for _ in range(MOST_TRIES):
        told = run_once(peer, line, programs, seconds)
        if isinstance(told, str):
            result.failure = told
            return
        if best is None or told[1] < best[1]:
            best = told
        # The clock of /proc/stat ticks every 10 ms: of short runs it says nothing.
        if best[1] < DISTURBED or line.once or is_slow(line, told[0]):
            break
    result.values.append(best[0])
    result.disturbed += best[1] >= DISTURBED and not line.once


def rounds(peers, lines, programs, count, seconds, progress):
    """{line: {peer's name: Result}}. Each round goes through all lines, each line through all its
    peers, in another order each time, so that what drifts, drifts for all."""
    results = {line: {peer.name: Result() for peer in sides(line, peers)} for line in lines}
    for number in range(count):
        for at, line in enumerate(lines):
            on = sides(line, peers)
            for sample in range(line.command.samples(count) if line.command else 1):
                turn = (number + at + sample) % len(on)
                for peer in on[turn:] + on[:turn]:
                    result = results[line][peer.name]
                    if is_wanted(line, result):
                        measure(peer, line, programs, seconds, result)
            progress(number, at, line)
    return results
