"""A synthetic run for the film: three gangs of three threads that take turns on two PUs.

Told as the runtime tells it: what of a gang may run stands in the gang's own queue, which is attached
to the machine or suspended. Bubble 1 is the outer team; its members make gangs 2, 3 and 4. The same
seed gives the same run.
"""
import collections
import random

from film_data import draw_machine

MACHINE = 0     # the level on which gangs lie
SLICE = 100000  # ns
PIECE = 9000    # ns of work, at most, from one scheduling point to the next
SIZE = 3        # of each gang, and gangs
PUS = 2


class Turns:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.events, self.now = [], 0
        self.queues = {gang: collections.deque() for gang in range(2, 2 + SIZE)}  # (thread, was woken)
        self.laid = None
        self.runs = [None] * PUS  # threads: (gang, member)
        self.next_stop = [0] * PUS

    def emit(self, kind, bubble, low=-1, high=-1, place=-1, extra=0):
        self.events.append([self.now, kind, bubble, low, high, place, -1, extra])
        self.now += 50

    # How it begins: member i of the outer team makes gang 2 + i, all before the first slice ends.

    def begin(self):
        self.emit("region_begin", 1, 0, place=0)
        self.emit("queued", 1, 1, SIZE, 0)
        for gang in self.queues:
            pu = 0 if gang == 2 else 1
            if gang > 2:
                self.emit("started", 1, gang - 2, place=pu)
            self.emit("started", gang, 0, place=pu)
            self.emit("queued", gang, 1, SIZE, 0)
            self.queues[gang].extend(((gang, member), False) for member in range(1, SIZE))
            self.runs[pu] = (gang, 0)
            if gang == 2:
                self.lay(gang)
            else:
                self.emit("suspended", gang)
                self.stop(pu, "turn")
        self.take(1)

    def lay(self, gang):
        self.emit("attached", gang, place=MACHINE)
        self.laid = gang

    def stop(self, pu, reason):
        gang, member = self.runs[pu]
        self.emit("slept", gang, member, place=pu, extra=reason)
        self.emit("woken", gang, member, place=MACHINE)
        self.queues[gang].append(((gang, member), True))
        self.runs[pu] = None

    def take(self, pu):
        queue = self.queues[self.laid]
        if not queue:
            return
        (gang, member), was_woken = queue.popleft()
        self.emit("resumed" if was_woken else "started", gang, member, place=pu)
        self.runs[pu] = (gang, member)
        self.next_stop[pu] = self.now + self.random.randint(PIECE // 2, PIECE)

    # A slice: threads share the PUs until it is over; then each goes on to its next stop.

    def slice(self):
        end = self.now + SLICE
        while True:
            pu = min(range(PUS), key=lambda pu: self.next_stop[pu])
            if self.next_stop[pu] > end:
                return
            self.now = max(self.now, self.next_stop[pu])
            if self.runs[pu]:
                self.stop(pu, "yield")
            self.take(pu)

    def pass_turn(self, to):
        self.emit("suspended", self.laid)
        self.lay(to)
        for pu in sorted(range(PUS), key=lambda pu: self.next_stop[pu]):
            self.now = max(self.now, self.next_stop[pu])
            self.stop(pu, "turn")
            self.take(pu)

    # A gang ends on PU 0: its turn is passed on only then.

    def end(self, gang, next_gang):
        for pu in range(PUS):
            if self.runs[pu]:
                self.stop(pu, "yield")
        for (_, member), _ in sorted(self.queues[gang], reverse=True):
            self.emit("resumed", gang, member, place=0)
            self.emit("ended", gang, member, place=0)
        self.queues[gang].clear()
        self.emit("slept", 1, gang - 2, place=0, extra="barrier")
        if next_gang:
            self.emit("suspended", gang)
            self.lay(next_gang)
            for pu in range(PUS):
                self.take(pu)


def make(rounds=40, seed=1):
    run, gangs = Turns(seed), list(range(2, 2 + SIZE))
    run.begin()
    for turn in range(rounds * SIZE):
        run.slice()
        run.pass_turn(gangs[(turn + 1) % SIZE])
    ends = {}
    for gang, following in zip(gangs, gangs[1:] + [None]):
        run.slice()
        ends[gang] = run.now
        run.end(gang, following)
    run.emit("region_end", 1, 0, place=0)
    duration = run.now + 1000
    bubbles = [{"id": 1, "parent": 0, "member": 0, "threads": SIZE, "nesting": 1, "made": 0, "ended": duration}]
    bubbles += [{"id": gang, "parent": 1, "member": gang - 2, "threads": SIZE, "nesting": 2, "made": 0,
                 "ended": ends[gang]} for gang in gangs]
    return {"version": 1, "program": "./gangs", "duration_ns": duration, "dropped": 0,
            "levels": draw_machine((("pu", PUS),)), "bubbles": bubbles, "events": run.events}
