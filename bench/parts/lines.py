"""What is measured: the lines of each group, and what the group aims at.

A line is one case of one program under some settings. A target is a limit: of the geometric mean, over
the lines that it covers, of Xylem's median divided by a peer's, or of the worst of these ratios; or,
absolute, of the largest of Xylem's medians, in the lines' unit.
"""
import dataclasses

from parts import programs
from parts.peers import Side

BEST = "the best peer"


@dataclasses.dataclass(frozen=True)
class Line:
    group: str
    program: str
    case: str
    threads: int = 0  # 0: as many as the runtime takes, or the program says
    passive: bool = False
    one_pu: bool = False
    once: bool = False  # one sample a process
    variant: str = ""  # what else tells it from lines of the same case
    more: tuple = ()  # further settings, pairs
    unit: str = "ns"  # of what the program prints: ns, bytes, percent, ratio
    only: tuple = ()  # the names of the peers that can do it; empty: all
    sides: tuple = ()  # measured on these instead of the peers
    variants: tuple = ()  # (name, case, settings) each: measured on Xylem alone, as it is and with each of these
    command: object = dataclasses.field(default=None, compare=False)  # a programs.Program

    def name(self):
        words = [self.case]
        words += [self.variant] if self.variant else []
        words += [f"{self.threads} threads" if self.threads > 1 else "1 thread"] * (self.threads > 0)
        words += ["passive"] if self.passive else []
        words += ["on one PU"] if self.one_pu else []
        return ", ".join(words)

    def settings(self):
        settings = {"OMP_DYNAMIC": "false"} | dict(self.more)
        if self.threads:
            settings["OMP_NUM_THREADS"] = str(self.threads)
        if self.passive:
            settings["OMP_WAIT_POLICY"] = "passive"
        return settings


@dataclasses.dataclass(frozen=True)
class Target:
    name: str
    limit: float
    against: str | None  # BEST, or a peer's name; None: the limit is absolute
    covers: object  # of a line: whether it counts
    worst: bool = False  # the limit is for each line, not for their mean


REGION_CASES = ("region", "barrier", "for_static", "for_static_1", "for_dynamic_1", "for_dynamic_8",
                "for_guided", "ordered", "single", "critical", "lock", "atomic", "reduction",
                "private_array", "team_change")
SPINNING = "spin_barrier"  # more threads than PUs: its time is the kernel's, it is in no target
GRIDS = ("2x2", "2x8", "4x4", "8x2", "8x8", "16x4", "16x8")
TREES = ("4_4", "4_6", "4_8", "8_4", "8_5", "10_5")
TASK_CASES = ("one_producer", "all_producers", "taskwait_each", "chain", "wavefront", "taskloop",
              "taskyield", "fib", "fib_cut", "nqueens", "nqueens_cut", "sort", "sort_cut", "tree",
              "tree_cut", "lu")
ON_ONE_PU = ("creation", "execution", "creation_execution", "blocking", "schedule", "switch",
             "hand_over")
MIGRATION = ("order_inactive", "order_active", "migration_latency")
TIERS = (1, 2, 3)
REGIONS_IN_TIERS = ("region", "barrier", "for_static", "for_dynamic_1", "single", "critical", "lock")
NESTING_IN_TIERS = ("grid_4x4", "grid_8x8", "grid_8x8_2us", "tree_4_6", "tree_8_4")
TASKS_IN_TIERS = ("one_producer", "all_producers", "taskwait_each", "chain", "wavefront", "taskyield", "fib",
                  "nqueens", "lu")
BLOCKING_CASES = ("yield_spin", "taskyield_spin", "pthread_barrier", "condition", "semaphore",
                  "contended_mutex")
INTERPOSED = "interposed"


def regions(pus):
    for threads in sorted({1, 2, 4, 8, 16, 64, pus}):
        for passive in (False, True):
            for case in REGION_CASES:
                yield Line("regions", "regions", case, threads, passive)
            yield Line("regions", "regions", "first_region", threads, passive, once=True)
    for case in REGION_CASES:
        yield Line("regions", "regions", case, pus, one_pu=True)
    for threads in (2 * pus, 4 * pus):
        yield Line("regions", "regions", SPINNING, threads)
    yield Line("regions", "regions", SPINNING, max(pus, 2), one_pu=True)


def nesting(pus):
    for shape in GRIDS:
        yield Line("nesting", "nesting", "grid_" + shape, pus)
        yield Line("nesting", "nesting", "grid_" + shape + "_2us", pus)
    for shape in TREES:
        yield Line("nesting", "nesting", "tree_" + shape, pus)
        yield Line("nesting", "nesting", "tree_" + shape + "_half_us", pus)
    yield Line("nesting", "nesting", "cold_64x64", pus, once=True)


def tasks(pus):
    yield Line("tasks", "tasks", "taskyield", 1)
    for threads in sorted({pus, 4 * pus}):
        for case in TASK_CASES:
            yield Line("tasks", "tasks", case, threads)


def blocking(pus):
    """Calls that block a thread; once more with the interposing library, which `xylem run` preloads."""
    for threads in sorted({4 * pus, 8 * pus}):
        for case in BLOCKING_CASES:
            yield Line("blocking", "blocking", case, threads)
            yield Line("blocking", "blocking", case, threads, variant=INTERPOSED,
                       more=(("LD_PRELOAD", "libxylem-wait.so"),))


def threads(pus):
    """Fibers in each tier of thread-local storage against NPTL's threads; migration needs two PUs."""
    for tier in TIERS:
        for case in ON_ONE_PU + (MIGRATION if pus > 1 else ()):
            settings = (("XYLEM_TLS", str(tier)),)
            if tier == 2:
                settings += (("LD_PRELOAD", "libxylem_exceptions.so"),)
            both = (Side("Xylem", "fiber_" + case, settings), Side("NPTL", "nptl_" + case))
            yield Line("threads", "threads", case, one_pu=case in ON_ONE_PU, variant=f"tier {tier}",
                       sides=both)


def memory(pus):
    def line(case, **more):
        return Line("memory", "memory", case, once=True, **more)

    yield line("seed", one_pu=True, unit="bytes", only=("Xylem",))
    yield line("team_of_4", one_pu=True, unit="bytes", passive=True)
    for case in ("asleep", "asleep_tables"):
        yield line(case, unit="bytes", passive=True)
        yield line(case, unit="bytes", passive=True, variant="tier 3", only=("Xylem",),
                   more=(("XYLEM_TLS", "3"),))
    yield line("left", unit="bytes", passive=True, only=("Xylem",))
    yield line("idle", unit="percent")
    for case in ("undisturbed", "beside_hog"):
        yield Line("memory", "memory", case, pus)


def short_cuts(pus):
    """What exists for speed alone, on Xylem as it is and without."""
    def line(case, what, off_case=None, settings=(), **more):
        return Line("short_cuts", "regions", case, max(pus, 2), variant=what,
                    variants=(("without", off_case or case, settings),), **more)

    yield line("region", "short regions stay with their maker", settings=(("XYLEM_SHORT_REGION", "0"),))
    yield line("for_dynamic_1", "a loop that comes again keeps its record", "for_dynamic_1_turns")
    yield line("first_region", "the machine is kept in a file", settings=(("XYLEM_KEEP_MACHINE", "false"),), once=True)


def tiers(pus):
    """What nearly every program has, tier 3, beside the tiers that these small programs would do with."""
    def asked(tier):
        return (("XYLEM_TLS", str(tier)),)

    cases = [("regions", case, count) for count in sorted({max(pus, 2), 4 * pus}) for case in REGIONS_IN_TIERS]
    cases += [("nesting", case, pus) for case in NESTING_IN_TIERS]
    cases += [("tasks", case, count) for count in sorted({pus, 4 * pus}) for case in TASKS_IN_TIERS]
    for program, case, count in cases:
        yield Line("tiers", program, case, count, more=asked(3),
                   variants=tuple((f"tier {tier}", case, asked(tier)) for tier in TIERS if tier < 3))


def whole_programs(pus):
    for case, command in programs.all_of(pus).items():
        yield Line("programs", command.name, case, command.threads or pus, command=command)


BY_EITHER = ("regions", "nesting", "tasks", "blocking", "memory")  # programs that GCC and Clang build

GROUPS = {"regions": regions, "nesting": nesting, "tasks": tasks, "blocking": blocking,
          "threads": threads, "tiers": tiers, "short_cuts": short_cuts,
          "memory": memory, "programs": whole_programs}


def lines(groups, pus):
    return [line for group in groups for line in GROUPS[group](pus)]


def targets(pus):
    def in_regions(holds):
        return lambda line: (line.group == "regions" and not line.once and line.case != SPINNING
                             and holds(line))

    def nested(prefix, end=""):
        return lambda line: (line.group == "nesting" and line.case.startswith(prefix)
                             and line.case.endswith(end))

    def empty_grid(line):
        return nested("grid_")(line) and not line.case.endswith("_2us")

    more = in_regions(lambda l: l.threads > pus and l.threads <= 64 and not l.one_pu
                      and not l.passive)
    few = in_regions(lambda l: l.threads == pus and not l.one_pu and not l.passive)
    few_passive = in_regions(lambda l: l.threads == pus and not l.one_pu and l.passive)
    single = [Target(f"{case}, as many threads as PUs", 1.0, BEST,
                     lambda l, case=case: l.case == case and l.group in ("regions", "tasks")
                     and l.threads == pus and not l.passive and not l.one_pu)
              for case in ("ordered", "critical", "taskwait_each", "taskyield")]
    return [
        Target("regions, as many threads as PUs", 1.0, BEST, few),
        Target("regions, as many threads as PUs, passive", 0.1, BEST, few_passive),
        Target("regions, 4 to 64 threads, more than PUs", 0.3, BEST, more),
        *single,
        Target("empty inner regions", 1 / 90, "libgomp", empty_grid),
        Target("empty inner regions", 1 / 12, BEST, empty_grid),
        Target("inner regions of 2 us", 1 / 18, "libgomp", nested("grid_", "_2us")),
        Target("inner regions of 2 us", 1 / 2, BEST, nested("grid_", "_2us")),
        Target("trees of teams", 1 / 18, "libgomp", nested("tree_")),
        Target("trees of teams", 1 / 25, "libomp", nested("tree_")),
        Target("64 x 64 cold regions", 1 / 55, "libgomp", nested("cold_")),
        Target("nesting, the worst line", 0.7, BEST, lambda l: l.group == "nesting", worst=True),
        Target("tasks, as many threads as PUs", 1.0, BEST,
               lambda l: l.group == "tasks" and l.threads == pus),
        Target("tasks, more threads than PUs", 0.7, BEST,
               lambda l: l.group == "tasks" and l.threads > pus),
        Target("taskyield of a team of one", 1.2, "libgomp",
               lambda l: l.group == "tasks" and l.threads == 1),
        Target("MPU on the bunny", 1 / 3.3, "libgomp", lambda l: l.case == "mpu_nested"),
        Target("MPU on the bunny", 1.0, BEST, lambda l: l.case == "mpu_nested"),
        Target("MPU on the bunny, against tasks", 1.0, BEST,
               lambda l: l.case == programs.AGAINST_TASKS),
        Target("one copy beside a CPU hog", 1.1, BEST, lambda l: l.case == "dgesdd_beside_hog"),
        *blocking_targets(),
        *threads_targets(),
        *memory_targets(),
    ]


def of_case(group, case, variant=None):
    return lambda line: (line.group == group and line.case == case
                         and variant in (None, line.variant))


def blocking_targets():
    for case in ("yield_spin", "taskyield_spin"):
        yield Target(f"{case}, interposed", 1.0, BEST, of_case("blocking", case, INTERPOSED),
                     worst=True)
    for case in ("pthread_barrier", "condition", "semaphore"):
        yield Target(f"{case}, interposed", 0.2, BEST, of_case("blocking", case, INTERPOSED),
                     worst=True)


def threads_targets():
    for variant in (f"tier {tier}" for tier in TIERS):
        for case, limit in (("creation_execution", 1 / 200), ("switch", 1 / 10),
                            ("order_inactive", 1 / 8), ("order_active", 1 / 8)):
            yield Target(f"{case}, {variant}", limit, "NPTL", of_case("threads", case, variant))
        yield Target(f"creation_execution, {variant}", 80, None,
                     of_case("threads", "creation_execution", variant))


def memory_targets():
    for case, limit in (("seed", 128), ("team_of_4", 1024), ("asleep", 12 * 1024), ("idle", 1)):
        yield Target(case, limit, None, of_case("memory", case))
    yield Target("beside_hog", 1.1, BEST, of_case("memory", "beside_hog"))
