"""Tests of `xylem run --trace` and `xylem trace`: what a trace says must be true of the program.

Variables as in command_test.py. Each class is one ctest.
"""
import collections
import json
import os
import re
import subprocess
import sys
import unittest

from command_test import Case, SANITIZE

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
MACHINE = "node:2 core:2 pu:1"
REGIONS, OUTER, INNER, TASKS = 4, 4, 3, 6

NESTED = r"""
#include <omp.h>
static void work(int n) {
  double s = 0;
  for (int i = 0; i < n * 1000; i++) s += i * 0.5;
  volatile double kept = s;
  (void)kept;
}
int main(void) {
  int total = 0;
  omp_set_max_active_levels(3);
  for (int region = 0; region < %(REGIONS)d; region++) {
#pragma omp parallel num_threads(%(OUTER)d) reduction(+ : total)
    {
      work(10);
#pragma omp barrier
#pragma omp parallel num_threads(%(INNER)d) reduction(+ : total)
      {
        work(5 * (omp_get_thread_num() + 1));
#pragma omp barrier
#pragma omp critical
        work(2);
        total++;
      }
#pragma omp single
      for (int task = 0; task < %(TASKS)d; task++)
#pragma omp task
        work(3);
    }
  }
  return total != %(REGIONS)d * %(OUTER)d * %(INNER)d;
}
""" % globals()

# Three gangs of three threads; ends when the work has passed from gang to gang often enough, so that
# each had several turns however slow the machine is.
GANGS = r"""
#include <omp.h>
#include <stdatomic.h>
enum { gangs = 3, size = 3, often = 100 };
static _Atomic int last = -1, changes[gangs];
static int had_enough(void) {
  for (int gang = 0; gang < gangs; gang++)
    if (changes[gang] < often) return 0;
  return 1;
}
static void work(int gang) {
  double until = omp_get_wtime() + 0.0002;
  while (omp_get_wtime() < until) {
  }
  if (atomic_exchange(&last, gang) != gang) changes[gang]++;
}
int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(gangs)
  {
    int gang = omp_get_thread_num();
#pragma omp parallel num_threads(size)
    while (!had_enough()) {
      work(gang);
#pragma omp taskyield
    }
  }
  return 0;
}
"""

# Meets the file's descriptor in each of the ways in which programs end or lose it.
TROUBLE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void region(void) {
#pragma omp parallel num_threads(3)
  {
#pragma omp barrier
  }
}
int main(int count, char **words) {
  const char *how = count > 1 ? words[1] : "";
  region();
  if (!strcmp(how, "fork")) {
    pid_t child = fork();
    if (child == 0) {
      region();
      exit(3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WEXITSTATUS(status) != 3) return 1;
  }
  if (!strcmp(how, "close"))
    for (int file = 3; file < 4096; file++) close(file);
  region();
  if (!strcmp(how, "exit")) {
#pragma omp parallel num_threads(2)
#pragma omp master
    exit(5);
  }
  if (!strcmp(how, "abort")) {
    usleep(300000);
    abort();
  }
  return 0;
}
"""


class Traced(Case):
    def traced(self, name, source, *words, variables=None, code=0, machine=MACHINE):
        """Runs the program with these words and variables; the path of its trace."""
        program = self.compile(name, source, "-fopenmp", "-O1", *SANITIZE)
        trace = self.path(name + "".join(words) + ".xtr")
        done = self.xylem("run", "--trace", trace, "--machine", machine, "--", program, *words,
                          variables=variables)
        self.assertEqual((done.returncode, done.stderr), (code, ""))
        return trace

    def film(self, trace):
        done = self.xylem("trace", trace, "--film-data", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def numbers(self, trace):
        """The counts of the summary, by name."""
        done = self.xylem("trace", trace)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        counts = done.stdout.split("Counts:\n")[1]
        return {line[:22].strip(): int(line[22:]) for line in counts.splitlines()}


class Trace(Traced):
    """One nested program, whose trace is looked at from all sides."""
    variables = {}

    def setUp(self):
        self.trace = self.traced("nested", NESTED, variables=self.variables)
        self.data = self.film(self.trace)
        self.events = self.data["events"]

    def of_kind(self, *kinds):
        return [event for event in self.events if event[1] in kinds]

    def test_machine(self):
        self.assertEqual([level["name"] for level in self.data["levels"]],
                         ["machine", "node0", "node1", "pu0", "pu1", "pu2", "pu3"])
        self.assertEqual(self.data["levels"][2], {"name": "node1", "kind": "node", "parent": 0,
                                                  "first_pu": 2, "pus": 2})

    def test_bubbles(self):
        bubbles = self.data["bubbles"]
        self.assertEqual(self.data["dropped"], 0)
        self.assertEqual(len(bubbles), REGIONS * (1 + OUTER))
        self.assertEqual(len({bubble["id"] for bubble in bubbles}), len(bubbles))
        outer = [bubble for bubble in bubbles if bubble["nesting"] == 1]
        self.assertEqual([bubble["parent"] for bubble in outer], [0] * REGIONS)
        for bubble in outer:
            inner = [b for b in bubbles if b["parent"] == bubble["id"]]
            self.assertEqual(sorted(b["member"] for b in inner), list(range(OUTER)))
            for b in inner:
                self.assertEqual((b["threads"], b["nesting"]), (INNER, 2))
                self.assertLessEqual(bubble["made"], b["made"])
                self.assertLessEqual(b["ended"], bubble["ended"])

    def test_births_and_ends(self):
        born = collections.Counter((e[2], e[3]) for e in self.of_kind("started") if e[7] == 0)
        threads = {(bubble["id"], member) for bubble in self.data["bubbles"]
                   for member in range(bubble["threads"])}
        self.assertEqual(set(born), threads)
        self.assertEqual(set(born.values()), {1})
        started = collections.Counter((e[2], e[3]) for e in self.of_kind("started"))
        ended = collections.Counter((e[2], e[3]) for e in self.of_kind("ended"))
        self.assertEqual(started, ended)

    def test_threads_live_in_order(self):
        follows = {"started": (None, "ended"), "slept": ("started", "resumed"),
                   "woken": ("slept",), "resumed": ("slept", "woken"),
                   "ended": ("started", "resumed")}
        last = {}
        for event in self.of_kind(*follows):
            thread = (event[2], event[3])
            if thread[0] == 0:
                continue  # the initial thread was there before
            self.assertIn(last.get(thread), follows[event[1]], event)
            last[thread] = event[1]
        self.assertEqual(set(last.values()), {"ended"})

    def test_nothing_of_a_bubble_after_its_end(self):
        life = {bubble["id"]: bubble for bubble in self.data["bubbles"]}
        for event in self.events:
            if event[2] > 0:
                self.assertGreaterEqual(event[0], life[event[2]]["made"], event)
                self.assertLessEqual(event[0], life[event[2]]["ended"], event)

    def test_events_are_in_order_and_in_range(self):
        times = [event[0] for event in self.events]
        self.assertEqual(times, sorted(times))
        self.assertLessEqual(times[-1], self.data["duration_ns"])
        levels = len(self.data["levels"])
        for event in self.of_kind("queued", "stolen", "burst", "woken"):
            self.assertLess(event[5], levels, event)
        for event in self.of_kind("queued", "stolen"):
            self.assertLess(event[3], event[4], event)
        for event in self.of_kind("started", "slept", "resumed", "asleep", "awake", "searching"):
            self.assertLess(event[5], 4, event)
        reasons = {event[7] for event in self.of_kind("slept")}
        self.assertLessEqual(reasons, {"barrier", "join", "taskwait", "lock", "yield", "other"})

    def test_barriers(self):
        arrivals = collections.Counter((e[2], e[3]) for e in self.of_kind("barrier_in"))
        self.assertEqual(arrivals,
                         collections.Counter((e[2], e[3]) for e in self.of_kind("barrier_out")))
        inner = {bubble["id"] for bubble in self.data["bubbles"] if bubble["nesting"] == 2}
        for (bubble, _), count in arrivals.items():
            self.assertEqual(count, 1 if bubble in inner else 2)

    def test_summary_agrees(self):
        numbers = self.numbers(self.trace)
        kinds = collections.Counter(event[1] for event in self.events)
        self.assertEqual(numbers["regions"], REGIONS)
        self.assertEqual(numbers["bubbles"], len(self.data["bubbles"]))
        self.assertEqual(numbers["threads"], sum(b["threads"] for b in self.data["bubbles"]))
        self.assertEqual(numbers["switches"], kinds["slept"])
        self.assertEqual(numbers["barriers passed"], kinds["barrier_out"])
        self.assertEqual(numbers["tasks"], REGIONS * TASKS)
        self.assertEqual(numbers["steals"], kinds["stolen"])
        self.assertEqual((numbers["bubbles attached"], numbers["bubbles suspended"]), (0, 0))
        self.assertEqual(numbers["extra workers"], kinds["extra_worker"])
        self.assertEqual(numbers["dropped events"], 0)
        node = {"pu0": 1, "pu1": 1, "pu2": 2, "pu3": 2}
        names = [level["name"] for level in self.data["levels"]]
        near = sum(node.get(names[e[5]], 0) == node.get(names[e[6]], -1)
                   for e in self.of_kind("stolen"))
        self.assertEqual(numbers.get("within a node", 0), near)
        self.assertEqual(numbers.get("within a machine", 0), kinds["stolen"] - near)
        places, moves = {}, 0
        for event in self.of_kind("started", "slept", "resumed"):
            before = places.get((event[2], event[3]))
            moves += event[1] == "resumed" and before not in (None, event[5])
            places[event[2], event[3]] = event[5]
        self.assertEqual(numbers["migrations"], moves)

    def test_chrome(self):
        done = self.xylem("trace", self.trace, "--chrome", self.path("c.json"), "--summary")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Counts:", done.stdout)
        with open(self.path("c.json")) as file:
            events = json.load(file)["traceEvents"]
        depth = collections.Counter()
        last = collections.Counter()
        for event in events:
            if event["ph"] == "M":
                continue
            self.assertGreaterEqual(event["ts"], last[event["tid"]])
            last[event["tid"]] = event["ts"]
            depth[event["tid"]] += {"B": 1, "E": -1}.get(event["ph"], 0)
            self.assertGreaterEqual(depth[event["tid"]], 0)
        self.assertEqual(set(depth.values()), {0})
        opened = sum(event["ph"] == "B" for event in events)
        self.assertGreaterEqual(opened, sum(b["threads"] for b in self.data["bubbles"]))

    def test_paje(self):
        done = self.xylem("trace", self.trace, "--paje", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        Paje(self).check(done.stdout)

    def test_film(self):
        done = self.xylem("trace", "--film", self.path("film.html"), self.trace)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        with open(self.path("film.html")) as file:
            page = file.read()
        self.assertNotIn("/*XYLEM_FILM_DATA*/null", page)
        self.assertIn('"program":"' + self.data["program"], page)


    def test_gangs_take_turns(self):
        trace = self.traced("gangs", GANGS, machine="pu:2",
                            variables={"XYLEM_POLICY": "gang", "XYLEM_TIME_SLICE": "4"})
        film = self.film(trace)
        self.assertEqual(film["dropped"], 0)
        turns = Turns(self, film)
        turns.check_order()
        turns.check_stops()
        kinds = collections.Counter(event[1] for event in film["events"])
        numbers = self.numbers(trace)
        self.assertEqual(numbers["bubbles attached"], kinds["attached"])
        self.assertEqual(numbers["bubbles suspended"], kinds["suspended"])
        summary = self.xylem("trace", trace).stdout
        for state in ("sleeps: turn", "ready, but suspended"):
            self.assertGreater(float(re.search(state + r" +([0-9.]+) ms", summary)[1]), 0, summary)
        self.assertEqual(self.xylem("trace", trace, "--chrome", self.path("g.json")).returncode, 0)
        with open(self.path("g.json")) as file:
            turns.check_resumes(json.load(file)["traceEvents"])
        paje = self.xylem("trace", trace, "--paje", "-").stdout
        Paje(self).check(paje)
        self.assertEqual(paje.count('"suspended"'), kinds["suspended"])


class TraceOfKernelThreads(Trace):
    """The same where each OpenMP thread is a kernel thread."""
    variables = {"XYLEM_TLS": "thread"}


class Turns:
    """What must hold of gangs that take turns on a machine which has one of them at a time."""

    def __init__(self, test, film):
        self.test, self.events = test, film["events"]
        self.gangs = {bubble["id"] for bubble in film["bubbles"] if bubble["nesting"] == 2}

    def check_order(self):
        """Each gang is attached and suspended in turns, on the machine, and no two lie there at once.

        One that has ended makes room for the next without being suspended.
        """
        laid, last, times = None, {}, collections.Counter()
        for _, kind, gang, member, _, level, _, _ in self.events:
            if (kind, gang, member) == ("ended", laid, 0):
                laid = None
            if kind not in ("attached", "suspended") or gang not in self.gangs:
                continue
            self.test.assertNotEqual(last.get(gang), kind, gang)
            if kind == "attached":
                self.test.assertEqual((laid, level), (None, 0), gang)
            laid = gang if kind == "attached" else None if gang == laid else laid
            last[gang] = kind
            times[gang, kind] += 1
        for gang in self.gangs:
            self.test.assertGreaterEqual(min(times[gang, "attached"], times[gang, "suspended"]), 3, gang)

    def check_stops(self):
        """Threads stop for their bubble's turn only once it was suspended."""
        suspended, stopped = set(), set()
        for event in self.events:
            if event[1] == "suspended":
                suspended.add(event[2])
            if event[1] == "slept" and event[7] == "turn":
                self.test.assertIn(event[2], suspended, event)
                stopped.add(event[2])
        self.test.assertEqual(stopped, self.gangs)

    def check_resumes(self, chrome):
        """Nothing of a gang that is suspended is taken to be run.

        When the next gang is attached, the one before is out of all workers' sight. A kernel thread may
        have taken one of its threads just before and run it just after: that is then the first that
        it runs from there on. Member 0 is left out: it also goes on when what ran on its stack has
        ended, and one of them, the program's own thread, out of the queue of its PU.
        """
        suspended, busy = set(), {}  # busy: of gangs out of sight, who began to run something since
        checked = 0
        for event in chrome:
            turn = re.match(r"bubble (\d+) (attached to|suspended)", event.get("name", ""))
            slice_of = re.match(r"(\d+)\.(\d+)$", event.get("name", ""))
            if event["ph"] == "i" and turn and turn[2] == "suspended":
                suspended.add(int(turn[1]))
            elif event["ph"] == "i" and turn:
                suspended.discard(int(turn[1]))
                busy.pop(int(turn[1]), None)
                busy.update({gang: set() for gang in suspended - set(busy)})
            elif event["ph"] == "B" and slice_of:
                gang, member = int(slice_of[1]), int(slice_of[2])
                if gang in busy and member > 0:
                    self.test.assertNotIn(event["tid"], busy[gang], event)
                for kernel_threads in busy.values():
                    kernel_threads.add(event["tid"])
                    checked += 1
        self.test.assertGreater(checked, 20)


class Paje:
    """Reads a Paje file by its own definitions (L. Schnorr, "Paje Trace File Format")."""

    def __init__(self, test):
        self.test = test

    def check(self, text):
        self.definitions, self.types, self.containers, self.depth = {}, {"0"}, {"0"}, {}
        self.values, self.now, open_definition = set(), 0.0, None
        for line in text.splitlines():
            if line.startswith("%EventDef"):
                _, name, number = line.split()
                open_definition = self.definitions.setdefault(number, (name, []))
            elif line.startswith("%EndEventDef"):
                open_definition = None
            elif line.startswith("%"):
                open_definition[1].append(line.split()[1])
            else:
                self.event(line)
        self.test.assertEqual(self.containers, {"0"}, "left over")
        self.test.assertEqual(set(self.depth.values()), {0}, "states left on their stacks")

    def event(self, line):
        words = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', line)]
        name, fields = self.definitions[words[0]]
        self.test.assertEqual(len(fields), len(words) - 1, line)
        value = dict(zip(fields, words[1:]))
        if "Time" in value:
            self.test.assertGreaterEqual(float(value["Time"]), self.now, line)
            self.now = float(value["Time"])
        self.test.assertIn(value["Type"], self.types, line)
        if name.startswith("PajeDefine"):
            self.test.assertNotIn(value["Alias"], self.types | self.values)
            (self.values if name == "PajeDefineEntityValue" else self.types).add(value["Alias"])
        elif name == "PajeCreateContainer":
            self.test.assertIn(value["Container"], self.containers, line)
            self.test.assertNotIn(value["Alias"], self.containers, line)
            self.containers.add(value["Alias"])
        elif name == "PajeDestroyContainer":
            self.containers.remove(value["Name"])
        else:
            self.test.assertIn(value["Container"], self.containers, line)
            if name == "PajeSetState":
                self.test.assertIn(value["Value"], self.values, line)
            stack = value["Container"], value["Type"]
            self.depth[stack] = self.depth.get(stack, 0) + {
                "PajePushState": 1, "PajePopState": -1}.get(name, 0)
            self.test.assertGreaterEqual(self.depth[stack], 0, line)


class TraceTrouble(Traced):
    """Programs that do not end well, and files that are not well."""

    def regions(self, trace):
        return self.numbers(trace)["regions"]

    def test_plain_end(self):
        self.assertEqual(self.regions(self.traced("trouble", TROUBLE)), 2)

    # GCC 12's libasan does not take its allocator's locks around fork(): a child may hang in it.
    @unittest.skipIf(any("address" in word for word in SANITIZE), "libasan and fork()")
    def test_child_is_not_traced(self):
        self.assertEqual(self.regions(self.traced("trouble", TROUBLE, "fork")), 2)

    def test_closed_descriptors(self):
        self.assertEqual(self.regions(self.traced("trouble", TROUBLE, "close")), 2)

    def test_exit_inside_a_region(self):
        trace = self.traced("trouble", TROUBLE, "exit", code=5)
        self.assertEqual(self.regions(trace), 3)

    def test_abort_loses_no_more_than_the_last_moment(self):
        trace = self.traced("trouble", TROUBLE, "abort", code=-6)
        self.assertEqual(self.regions(trace), 2)
        self.assertIn("did not end its trace", self.xylem("trace", trace).stdout)

    def test_process_number_in_the_name(self):
        program = self.compile("trouble", TROUBLE, "-fopenmp", *SANITIZE)
        os.makedirs(self.path("numbered"), exist_ok=True)
        done = self.xylem("run", "--trace", self.path("numbered/%p.xtr"), "--", program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(" ".join(os.listdir(self.path("numbered"))), r"^\d+\.xtr$")

    def test_no_such_folder(self):
        program = self.compile("trouble", TROUBLE, "-fopenmp", *SANITIZE)
        done = self.xylem("run", "--trace", "/no/such/folder/x.xtr", "--", program)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"^xylem: warning: XYLEM_TRACE: cannot write .*\n$")

    def test_full_disk(self):
        program = self.compile("trouble", TROUBLE, "-fopenmp", *SANITIZE)
        done = self.xylem("run", "--trace", "/dev/full", "--", program)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"^xylem: warning: .*no space left on the device.*\n$")

    def test_damaged_files(self):
        trace = self.traced("trouble", TROUBLE)
        with open(trace, "rb") as file:
            whole = file.read()
        self.write("none.xtr", "no trace")
        self.complains(2, "it is no trace", "trace", self.path("none.xtr"))
        self.complains(2, "cannot read", "trace", self.path("nothing.xtr"))
        self.complains(2, "show which trace", "trace")
        self.complains(2, "no argument 'b'", "trace", "a", "b")
        with open(self.path("cut.xtr"), "wb") as file:
            file.write(whole[:-100])
        done = self.xylem("trace", self.path("cut.xtr"))
        self.assertEqual(done.returncode, 0)
        self.assertIn("damaged: it is cut off", done.stderr)

    def test_the_documents_table_is_the_table(self):
        table = self.xylem("trace", "--events").stdout
        with open(os.path.join(SOURCE, "docs", "trace.md")) as file:
            document = file.read()
        for part in table.strip().split("\n\n"):
            self.assertIn(part, document)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
