"""A synthetic run for the film: codelets on two PUs and two devices, which hold a part of the data.

Each step copies a block to a device or back, gives a device a kernel, ends one, or runs a codelet on a
processor; a device has two kernels at most. The same seed gives the same run.
"""
import random

from film_data import draw_machine

PUS, DEVICES, CODELETS = 2, 2, 3
BLOCK, CAPACITY = 1 << 20, 6 << 20
DEVICE = range(1, DEVICES + 1)


class Devices:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.events, self.now = [], 1000
        self.used = dict.fromkeys(DEVICE, 0)
        self.kernels = dict.fromkeys(DEVICE, 0)
        self.copies = []                # routes on which something is copied
        self.runs = dict.fromkeys(range(PUS), False)

    def emit(self, kind, pu, *words):
        self.events.append([self.now, kind, -1, -1, -1, pu, -1, list(words)])
        self.now += self.random.randrange(50, 4000)

    def step(self):
        device, pu = self.random.choice(DEVICE), self.random.randrange(PUS)
        self.random.choice((self.copy, self.end_copy, self.kernel, self.end_kernel, self.codelet,
                            self.take, self.give_back))(device, pu)

    def take(self, device, pu, more=BLOCK):
        if 0 <= self.used[device] + more <= CAPACITY:
            self.used[device] += more
            self.emit("device_memory", pu, device, self.used[device], CAPACITY)

    def give_back(self, device, pu):
        self.take(device, pu, -BLOCK)

    def copy(self, device, pu):
        to = self.random.choice([node for node in range(DEVICES + 1) if node != device])
        route = self.random.choice(((device, to), (to, device)))
        if len(self.copies) < 3:
            self.copies.append(route)
            self.emit("copy_begin", pu, *route, BLOCK)

    def end_copy(self, device, pu):
        if self.copies:
            self.emit("copy_end", pu, *self.copies.pop(self.random.randrange(len(self.copies))))

    def kernel(self, device, pu):
        if self.kernels[device] < 2:
            self.kernels[device] += 1
            self.emit("kernel_begin", pu, device, self.random.randrange(CODELETS))

    def end_kernel(self, device, pu):
        if self.kernels[device] > 0:
            self.kernels[device] -= 1
            self.emit("kernel_end", pu, device)

    def codelet(self, device, pu):
        if self.runs[pu]:
            self.emit("codelet_end", pu, pu)
        else:
            self.emit("codelet_begin", pu, pu, self.random.randrange(CODELETS))
        self.runs[pu] = not self.runs[pu]


def make(steps=2000, seed=1):
    run = Devices(seed)
    for _ in range(steps):
        run.step()
    duration = run.now + 1000
    crew = {"id": 1, "parent": 0, "member": 1, "threads": PUS, "nesting": 1, "made": 0, "ended": duration}
    begins = [[0, "started", 1, pu, -1, pu, -1, 0] for pu in range(PUS)]
    return {"version": 1, "program": "./codelets", "duration_ns": duration, "dropped": 0,
            "levels": draw_machine((("core", PUS), ("pu", 1))), "bubbles": [crew],
            "codelets": {"0": "gemm", "1": "a name of sixteen"},
            "devices": [{"number": number, "name": "card %d" % number} for number in DEVICE],
            "events": begins + run.events}
