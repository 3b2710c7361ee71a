"""Synthetic runs for the film: a synthetic machine, nested teams, as many events as asked for.

A small simulation of a runtime on virtual time: one worker a PU, a queue for each level, shares of
seeds that thieves halve, barriers, locks, joins. The same seed gives the same run. From outside:

    python3 film_data.py [events] [shape] [seed] > run.json        shape: node*2,cache*2,core*2,pu*2
"""
import heapq
import json
import random
import sys

DEFAULT_SHAPE = (("node", 2), ("cache", 2), ("core", 2), ("pu", 2))
LOOK_AGAIN = 1500  # ns between two looks of a worker that found nothing
LOOKS = 4          # looks before it sleeps
WAKE_UP = 2500     # ns until a sleeping worker runs
SWITCH = 150       # ns from finding a thread to running it


def draw_machine(shape):
    """The levels of a regular machine, parents first: [(kind, how many in each above), ...]."""
    total = 1
    for _, count in shape:
        total *= count
    levels = [{"name": "machine", "kind": "machine", "parent": -1, "first_pu": 0, "pus": total}]
    above = [0]
    for kind, count in shape:
        here = []
        for parent in above:
            pus = levels[parent]["pus"] // count
            for i in range(count):
                levels.append({"name": kind + str(len(here)), "kind": kind, "parent": parent,
                               "first_pu": levels[parent]["first_pu"] + i * pus, "pus": pus})
                here.append(len(levels) - 1)
        above = here
    return levels


class Team:
    def __init__(self, number, parent, member, size, nesting, body, now):
        self.number, self.parent, self.member = number, parent, member
        self.size, self.nesting, self.body = size, nesting, body
        self.left = size - 1      # members other than 0 that have not ended
        self.arrived = 0          # at the barrier
        self.at_barrier = []
        self.join_waiter = None
        self.lock_holder, self.lock_waiters = None, []
        self.open = False
        self.made, self.ended = now, None


class Fiber:
    """A thread. `frames` are the teams it is a member of, innermost last: region in region."""

    def __init__(self, team, member, body):
        self.frames = [(team, member, body)]
        self.pu = None
        self.after = []  # events to emit once it runs again


class Worker:
    def __init__(self, pu):
        self.pu, self.fiber, self.asleep, self.looks = pu, None, False, 0


class Simulation:
    def __init__(self, shape, limit, seed):
        self.levels = draw_machine(shape)
        self.random = random.Random(seed)
        self.limit = limit
        self.pu_level = {level["first_pu"]: i for i, level in enumerate(self.levels)
                         if level["pus"] == 1 and not any(l["parent"] == i for l in self.levels)}
        self.queues = [[] for _ in self.levels]
        self.workers = [Worker(pu) for pu in range(self.levels[0]["pus"])]
        self.search_order = [self._search_order(pu) for pu in range(len(self.workers))]
        self.teams, self.events, self.heap = [], [], []
        self.now = self.ticket = 0

    def _ancestors(self, level):
        while level >= 0:
            yield level
            level = self.levels[level]["parent"]

    def _search_order(self, pu):
        """Own queue, the ones above it, then the others, nearest first."""
        own = list(self._ancestors(self.pu_level[pu]))
        order = list(own)
        for top in own[1:]:
            order += [i for i in range(len(self.levels) - 1, 0, -1)
                      if top in self._ancestors(i) and i not in order]
        return order

    # The trace and the clock.

    def emit(self, kind, team=-1, lo=-1, hi=-1, place=-1, origin=-1, extra=None):
        number = team.number if isinstance(team, Team) else team
        self.events.append([self.now, kind, number, lo, hi, place, origin, extra])

    def at(self, delay, what, argument):
        self.ticket += 1
        heapq.heappush(self.heap, (self.now + delay, self.ticket, what, argument))

    # Queues: an item is ["share", team, lo, hi] or ["ready", fiber].

    def push(self, level, item, many):
        self.queues[level].append(item)
        below = [w for w in self.workers if w.asleep and level in self.search_order[w.pu]]
        first = self.levels[level]["first_pu"]
        below.sort(key=lambda w: (abs(w.pu - first), w.pu))
        for worker in below[:many]:
            worker.asleep, worker.looks = False, 0
            self.emit("awake", place=worker.pu)
            self.at(WAKE_UP, "step", worker)

    def find(self, worker):
        own = self.pu_level[worker.pu]
        for level in self.search_order[worker.pu]:
            queue = self.queues[level]
            if queue:
                return self.take(worker, queue, level, own)
        return None

    def take(self, worker, queue, level, own):
        item = queue.pop() if level == own else queue.pop(0)
        if item[0] == "ready":
            fiber = item[1]
            if level != own and level not in self._ancestors(own):
                team, member, _ = fiber.frames[-1]
                self.emit("stolen", team, member, member + 1, own, level)
            return fiber
        _, team, lo, hi = item
        if level != own:
            self.open(team, level)
            half = (hi - lo + 1) // 2
            if half < hi - lo:
                queue.insert(0, ["share", team, lo + half, hi])
            hi = lo + half
            self.emit("stolen", team, lo, hi, own, level)
        if hi - lo > 1:
            self.queues[own].append(["share", team, lo + 1, hi])
        return Fiber(team, lo, team.body(self, team, lo))

    def open(self, team, level):
        if not team.open:
            team.open = True
            self.emit("burst", team, place=level)

    # Workers.

    def step(self, worker):
        if worker.fiber is None:
            self.look(worker)
        else:
            self.advance(worker, worker.fiber)

    def look(self, worker):
        fiber = self.find(worker)
        if fiber is not None:
            self.run(worker, fiber)
        elif worker.looks == LOOKS:
            worker.asleep = True
            self.emit("asleep", place=worker.pu)
        else:
            if worker.looks == 0:
                self.emit("searching", place=worker.pu)
            worker.looks += 1
            self.at(LOOK_AGAIN, "step", worker)

    def run(self, worker, fiber):
        team, member, _ = fiber.frames[-1]
        kind = "started" if fiber.pu is None else "resumed"
        worker.fiber, worker.looks, fiber.pu = fiber, 0, worker.pu
        self.emit(kind, team, member, place=worker.pu)
        for name in fiber.after:
            self.emit(name, team, member, place=worker.pu)
        fiber.after = []
        self.at(SWITCH, "step", worker)

    def sleep(self, worker, reason, after=()):
        fiber, worker.fiber = worker.fiber, None
        team, member, _ = fiber.frames[-1]
        fiber.after = list(after)
        self.emit("slept", team, member, place=worker.pu, extra=reason)
        self.at(SWITCH, "step", worker)
        return fiber

    def wake(self, fiber):
        team, member, _ = fiber.frames[-1]
        level = self.pu_level[fiber.pu]
        self.emit("woken", team, member, place=level)
        self.push(level, ["ready", fiber], 1)

    # What threads do.

    def advance(self, worker, fiber):
        team, member, body = fiber.frames[-1]
        action = next(body, ("end",))
        getattr(self, "do_" + action[0])(worker, fiber, team, member, *action[1:])

    def do_work(self, worker, _fiber, _team, _member, duration):
        self.at(duration, "step", worker)

    def do_taskwait(self, worker, _fiber, _team, _member, duration):
        self.at(duration, "wake", self.sleep(worker, "taskwait"))

    def do_barrier(self, worker, fiber, team, member):
        self.emit("barrier_in", team, member, place=worker.pu)
        team.arrived += 1
        if team.arrived < team.size:
            team.at_barrier.append(self.sleep(worker, "barrier", ["barrier_out"]))
            return
        team.arrived, waiting, team.at_barrier = 0, team.at_barrier, []
        self.emit("barrier_out", team, member, place=worker.pu)
        for other in waiting:
            self.wake(other)
        self.at(SWITCH, "step", worker)

    def do_lock(self, worker, fiber, team, _member):
        if team.lock_holder is None:
            team.lock_holder = fiber
            self.at(SWITCH, "step", worker)
        else:
            team.lock_waiters.append(self.sleep(worker, "lock"))

    def do_unlock(self, worker, _fiber, team, _member):
        team.lock_holder = team.lock_waiters.pop(0) if team.lock_waiters else None
        if team.lock_holder is not None:
            self.wake(team.lock_holder)
        self.at(SWITCH, "step", worker)

    def do_region(self, worker, fiber, team, member, size, body):
        made = Team(len(self.teams) + 1, team.number if team else 0, member, size,
                    team.nesting + 1 if team else 1, body, self.now)
        self.teams.append(made)
        self.emit("region_begin", made, 0, place=worker.pu)
        fiber.frames.append((made, 0, body(self, made, 0)))
        if size > 1:
            self.place(worker, made)
        self.at(SWITCH, "step", worker)

    def place(self, worker, team):
        """A team of the first level is dealt out to the nodes; a nested one stays near its maker."""
        if team.nesting == 1:
            self.emit("queued", team, 1, team.size, 0)
            self.open(team, 0)
            nodes = [i for i, level in enumerate(self.levels) if level["parent"] == 0]
            for i, node in enumerate(nodes):
                lo = max(1, team.size * i // len(nodes))
                hi = team.size * (i + 1) // len(nodes)
                if lo < hi:
                    self.emit("queued", team, lo, hi, node)
                    self.push(node, ["share", team, lo, hi], hi - lo)
            return
        level = self.pu_level[worker.pu]
        while self.levels[level]["pus"] * 2 < team.size and self.levels[level]["parent"] > 0:
            level = self.levels[level]["parent"]
        self.emit("queued", team, 1, team.size, level)
        self.push(level, ["share", team, 1, team.size], team.size - 1)

    def do_end(self, worker, fiber, team, member):
        if member != 0:
            self.emit("ended", team, member, place=worker.pu)
            worker.fiber = None
            team.left -= 1
            if team.left == 0 and team.join_waiter is not None:
                self.wake(team.join_waiter)
            self.at(SWITCH, "step", worker)
        elif team is None:
            worker.fiber = None
        elif team.left > 0:
            team.join_waiter = self.sleep(worker, "join")
        else:
            team.ended = self.now
            self.emit("region_end", team, 0, place=worker.pu)
            fiber.frames.pop()
            self.at(SWITCH, "step", worker)

    def simulate(self, program):
        initial = Fiber(None, 0, program(self))
        initial.pu = 0
        self.workers[0].fiber = initial
        for worker in self.workers:
            self.at(0, "step", worker)
        while self.heap and len(self.events) < self.limit:
            self.now, _, what, argument = heapq.heappop(self.heap)
            getattr(self, what)(argument)
        return self.film()

    def film(self):
        events = self.events[:self.limit]
        duration = events[-1][0] + 1000
        bubbles = [{"id": t.number, "parent": t.parent, "member": t.member, "threads": t.size,
                    "nesting": t.nesting, "made": t.made,
                    "ended": duration if t.ended is None else t.ended} for t in self.teams]
        return {"version": 1, "program": "./synthetic", "duration_ns": duration, "dropped": 0,
                "levels": self.levels, "bubbles": bubbles, "events": events}


# The program: an outer team; each member opens inner teams, some of which open a third level.

def leaf(sim, _team, _member):
    draw = sim.random
    for _ in range(draw.randint(1, 3)):
        yield ("work", draw.randint(3000, 30000))
        if draw.random() < 0.15:
            yield ("lock",)
            yield ("work", draw.randint(1000, 4000))
            yield ("unlock",)
    if draw.random() < 0.2:
        yield ("taskwait", draw.randint(2000, 15000))
    yield ("barrier",)
    yield ("work", draw.randint(2000, 12000))


def middle(sim, _team, member):
    draw = sim.random
    yield ("work", draw.randint(2000, 12000))
    if member % 2 == 0:
        yield ("region", draw.choice((2, 3, 4)), leaf)
    yield ("work", draw.randint(4000, 20000))


def outer(sim, _team, member):
    draw = sim.random
    for _ in range(3):
        yield ("work", draw.randint(5000, 20000))
        size = 2 + (member * 5 + draw.randint(0, 3)) % 9
        yield ("region", size, draw.choice((leaf, middle)))
        yield ("barrier",)


def program(sim):
    while True:
        yield ("work", sim.random.randint(5000, 15000))
        size = max(2, sim.levels[0]["pus"] * sim.random.randint(2, 4) // 4)
        yield ("region", size, outer)


def make(events=100000, shape=DEFAULT_SHAPE, seed=1):
    return Simulation(shape, events, seed).simulate(program)


def read_shape(text):
    return tuple((kind, int(count)) for kind, count in
                 (part.split("*") for part in text.split(",")))


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 100000
    drawn = read_shape(sys.argv[2]) if len(sys.argv) > 2 else DEFAULT_SHAPE
    json.dump(make(wanted, drawn, int(sys.argv[3]) if len(sys.argv) > 3 else 1), sys.stdout,
              separators=(",", ":"))
