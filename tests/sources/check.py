"""check.py WHAT FOLDER LIBRARY-FOLDER COMMAND: the source `fault` beside `instrument`, what engines do by it in programs
that are compiled for nothing, and what it refuses. FOLDER has the programs of this folder; those whose name ends in
_counted are instrumented."""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

WHAT, FOLDER, LIBRARY, COMMAND = sys.argv[1:5]
MACHINE, THREADS, NODES = "node:4 core:2 pu:1", 8, 4
# Seconds for a run. The table's longest takes 100 of both processors, and more where others have them.
LIMIT = 1000 if WHAT == "table" else 200


def run(program, *arguments, by_command=True, user=None, command_options=(), **settings):
    """Through `xylem run`; or straight, with the library's folder in front."""
    environment = {**os.environ, "XYLEM_MACHINE": MACHINE, "OMP_NUM_THREADS": str(THREADS), "XYLEM_VERBOSE": "true",
                   "XYLEM_ENGINES": "pages", "XYLEM_STEAL_PATIENCE": "-1", **settings}
    words = [os.path.join(FOLDER, program), *map(str, arguments)]
    if by_command:
        words = [COMMAND, "run", "-q", *command_options, *words]
    else:
        environment["LD_LIBRARY_PATH"] = LIBRARY
    done = subprocess.run(words, text=True, capture_output=True, timeout=LIMIT, env=environment, user=user)
    assert done.returncode == 0, (program, done.returncode, done.stdout, done.stderr)
    done.said = [line for line in done.stderr.splitlines() if "xylem:" in line]
    return done


def read_counts(path):
    """Accesses by page and node; thread t runs on node t / 2."""
    counts = collections.defaultdict(lambda: [0] * NODES)
    with open(path) as file:
        lines = file.read().splitlines()
    assert lines[0] == "xylem counts 1" and lines[-1] == "end", lines[:3]
    for line in lines[5:-1]:
        page, thread, reads, writes = map(int, line.split())
        counts[page][thread * NODES // THREADS] += reads + writes
    return counts


def errors(truth, touches, pages):
    """Of the pages: the share of accesses that the shares of touches by node put on the wrong node, and the share of
    accesses to pages whose node with most touches is not that with most accesses, by more than a tenth."""
    accesses = wrong = misplaced = 0
    for page in pages:
        real, seen = truth[page], touches[page]
        total, all_seen = sum(real), sum(seen)
        accesses += total
        wrong += total * sum(abs(a / total - b / all_seen) for a, b in zip(real, seen)) / 2
        if real[seen.index(max(seen))] < 0.9 * max(real):
            misplaced += total
    return wrong / max(accesses, 1), misplaced / max(accesses, 1)


def beside_instrument(program, size, iterations):
    """The errors on pages that one node has nearly alone, and on all that were touched. Where others have the
    processors a page costs more, and fewer are seen: more iterations, until enough are."""
    for times in (1, 2, 4, 8):
        if (found := compared(program, size, iterations * times)) is not None:
            return found
    raise AssertionError(f"{program}: too few pages were touched")


Errors = collections.namedtuple("Errors", "touches seen pages own covered of_own of_all said")


def errors_of(program, *arguments, cost, rate):
    """Of the touches in a run, beside what instrumentation counted in the same run: pages seen, pages that one node has
    nearly alone, the share of all accesses that the pages seen have, and the errors on both."""
    with tempfile.TemporaryDirectory() as folder:
        truth, touches = os.path.join(folder, "truth"), os.path.join(folder, "touches")
        done = run(program + "_counted", *arguments, XYLEM_SOURCE="fault", XYLEM_ACCESSES=truth, XYLEM_TOUCHES=touches,
                   XYLEM_FAULT_COST=cost, XYLEM_FAULT_RATE=rate)
        real, seen = read_counts(truth), read_counts(touches)
    known = [page for page in seen if page in real]
    assert len(known) > 0.98 * len(seen), (len(known), len(seen), done.said)
    own = [page for page in known if max(real[page]) > 0.99 * sum(real[page])]
    covered = sum(sum(real[page]) for page in known) / sum(map(sum, real.values()))
    return Errors(sum(map(sum, seen.values())), len(known), len(real), len(own), covered,
                  errors(real, seen, own), errors(real, seen, known), done.said[-1])


def compared(program, *arguments):
    """As beside_instrument(); None: too few were touched."""
    found = errors_of(program, *arguments, cost=os.environ.get("FAULT_COST", "10"), rate="10000")
    print(f"{program}: {found.touches} touches of {found.seen} pages of {found.pages}, with {found.covered:.1%} of all "
          f"accesses. Pages of one node ({found.own}): {found.of_own[0]:.2%} of accesses by node wrong, "
          f"{found.of_own[1]:.2%} misplaced; all: {found.of_all[0]:.2%}, {found.of_all[1]:.2%}. {found.said}")
    return (found.of_own, found.of_all) if found.own > 200 else None


def table():
    """What docs/counting.md shows of each code and rate: run this by hand, no test does."""
    print("| code | percent of the time, pages a second | iterations | touches | pages seen | of one node: wrong, misplaced | "
          "all: wrong, misplaced |")
    print("|---|---|---|---|---|---|---|")
    for name, program, size, iterations in (("stencil, 600 x 600", "sources_jacobi", 600, 60),
                                            ("CG, 60,000 rows", "sources_cg", 60000, 60)):
        for cost, rate, times in (("1", "1000", 10), ("10", "10000", 1), ("10", "10000", 10)):
            found = errors_of(program, size, iterations * times, cost=cost, rate=rate)
            shares = [f"{wrong:.2%}, {misplaced:.2%}" for wrong, misplaced in (found.of_own, found.of_all)]
            print(f"| {name} | {cost}, {rate} | {iterations * times} | {found.touches} | {found.seen} of {found.pages} | "
                  f"{' | '.join(shares)} |", flush=True)


def truth():
    """Pages that one node has are told of rightly. Of pages that several nodes have a touch says who came next: how often
    each comes, not how often it reads. CG's vector is such: each node passes over a page once a product, its owner
    reads it most."""
    of_own, of_all = beside_instrument("sources_jacobi", 600, 60)
    assert max(of_own) < 0.02 and max(of_all) < 0.05, (of_own, of_all)
    of_own, of_all = beside_instrument("sources_cg", 60000, 60)
    assert max(of_own) < 0.02 and max(of_all) < 0.25, (of_own, of_all)


def unmodified():
    """Engines act in programs that are compiled for nothing, and results stay."""
    for program, *arguments in (("sources_jacobi", 600, 2000), ("sources_cg", 60000, 1000)):
        off = run(program, *arguments, XYLEM_ENGINES="off")
        on = run(program, *arguments, XYLEM_FAULT_COST="10")
        assert on.stdout == off.stdout, (on.stdout, off.stdout)
        assert any("told by the source fault" in line for line in on.said), on.said
        assert re.search(r"watched [1-9]", on.stderr), on.said
    placed = run("sources_placed", 300, 64, "until", XYLEM_FAULT_COST="10")
    assert int(re.search(r"after the last: (-?[0-9]+)%", placed.stdout).group(1)) >= 85, (placed.stdout, placed.said)
    # Nothing moves without: the array is where nobody said.
    off = run("sources_placed", 300, 64, XYLEM_ENGINES="off")
    assert "after the last: 0%" in off.stdout, off.stdout
    assert placed.stdout.splitlines()[-1] == off.stdout.splitlines()[-1], (placed.stdout, off.stdout)


def churn():
    for settings in ({}, {"XYLEM_FAULT_COST": "50", "XYLEM_FAULT_RATE": "100000"}, {"XYLEM_MACHINE": "node:2 core:1 pu:1"}):
        done = run("sources_churn", 300, **settings)
        assert done.stdout == "wrong 0\n", done.stdout
        assert re.search(r"watched [1-9]", done.stderr), done.said


def pmu():
    """The kernel's rings, by the one event with data addresses that machines without counters have: page faults."""
    obstacle = doctor()["source_pmu_obstacle"]
    if obstacle is not None and "describes no event" not in obstacle and "samples no data" not in obstacle:
        print(f"skipped: {obstacle}")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        seen = os.path.join(folder, "seen")
        done = run("sources_fresh", XYLEM_SOURCE="pmu", XYLEM_PMU_EVENT="1:2", XYLEM_TOUCHES=seen)
        assert any("the source pmu gave" in line for line in done.said), done.said
        expected = dict(tuple(map(int, line.split())) for line in done.stdout.splitlines())
        found = {}
        with open(seen) as file:
            for line in file.read().splitlines()[5:-1]:
                page, thread, reads, writes = map(int, line.split())
                if page in expected:
                    assert page not in found, (page, found[page], thread)
                    found[page] = (thread, reads + writes)
    wrong = {page: (what, expected[page]) for page, what in found.items() if what != (expected[page], 1)}
    assert not wrong, wrong
    # The first iterations pass before they are known to be any.
    assert len(found) >= 8 * 50, (len(found), len(expected))
    bad = run("sources_jacobi", 200, 20, XYLEM_SOURCE="pmu", XYLEM_PMU_EVENT="one")
    assert sum("XYLEM_PMU_EVENT is not TYPE:CONFIG" in line for line in bad.said) == 1, bad.said
    if obstacle is not None:
        none = run("sources_jacobi", 200, 20, XYLEM_SOURCE="pmu")
        assert sum(obstacle in line and "Nothing moves" in line for line in none.said) == 1, none.said
        assert none.stdout == bad.stdout == run("sources_jacobi", 200, 20).stdout


def bound():
    """What the source takes of the processors stays below its share of the time, however many pages are watched."""
    def bystanders(**settings):
        done = run("sources_bystanders", 4, XYLEM_MACHINE="node:2 core:1 pu:1", OMP_NUM_THREADS="2", **settings)
        assert done.stdout == "alike\n", done.stdout
        print(settings, done.said[-1:], percent := float(re.search(r"bystanders ([0-9.]+)%", done.stderr).group(1)))
        return percent, done

    without, _ = bystanders(XYLEM_ENGINES="off")
    for cost in (1, 10):
        percent, done = bystanders(XYLEM_FAULT_COST=str(cost), XYLEM_FAULT_RATE="100000")
        # A page's worth, and that the runtime's own looks differ from run to run.
        assert percent - without < 1.2 * cost + 1, (percent, without, done.said)
        assert re.search(r"watched [1-9]", done.stderr), done.said


def doctor(user=None):
    done = subprocess.run([COMMAND, "doctor", "--json"], text=True, capture_output=True, timeout=100, user=user)
    return json.loads(done.stdout)


def refusals():
    one = run("sources_jacobi", 200, 20, XYLEM_MACHINE="node:1 core:4 pu:1")
    assert sum("one memory node" in line for line in one.said) == 1, one.said
    none = run("sources_jacobi", 200, 20, XYLEM_SOURCE="instrument")
    assert sum("nothing counts" in line for line in none.said) == 1, none.said
    bare = run("sources_jacobi", 200, 20, by_command=False)
    assert sum("start the program by xylem run" in line for line in bare.said) == 1, bare.said
    assert one.stdout == none.stdout == bare.stdout
    lacks = doctor()["source_idle_obstacles"]
    idle = run("sources_jacobi", 200, 20, XYLEM_SOURCE="idle")
    refused = [line for line in idle.said if "the source idle cannot be had" in line and "Nothing moves" in line]
    assert len(refused) == (None not in lacks.values()), (lacks, idle.said)
    assert all(why is None or any(why in line for line in idle.said) for why in lacks.values()), (lacks, idle.said)
    assert idle.stdout == one.stdout
    assert doctor()["source"] in ("fault", "pmu") and 1000 < doctor()["source_page_ns"] < 10**8, doctor()
    if os.geteuid() != 0 or open("/proc/sys/vm/unprivileged_userfaultfd").read().strip() != "0":
        return  # nobody here who may not
    refused = run("sources_jacobi", 200, 20, user=65534)
    assert sum("source fault cannot be had: the process may not" in line for line in refused.said) == 1, refused.said
    assert refused.stdout == one.stdout
    assert doctor(user=65534)["source"] == "none", doctor(user=65534)



def plans():
    """The plan of an earlier run: pages are in place before the first iteration."""
    with tempfile.TemporaryDirectory() as folder:
        plan = os.path.join(folder, "plan.json")
        before = run("sources_placed", 3000, command_options=("--record", plan), XYLEM_FAULT_COST="20")
        with open(plan) as file:
            recorded = json.load(file)
        assert {array["bytes"] for array in recorded["arrays"]} >= {8 * 64 * 4096}, recorded
        for settings in ({}, {"XYLEM_ENGINES": "off"}):
            applied = run("sources_placed", 300, command_options=("--apply", plan), **settings)
            assert applied.stdout.splitlines()[-1] == before.stdout.splitlines()[-1], applied.stdout
            share = int(re.search(r"^before the first iteration: (-?[0-9]+)%", applied.stdout, re.M).group(1))
            assert share >= 95, (applied.stdout, recorded, applied.said)
        assert int(re.search(r"iteration: (-?[0-9]+)%", before.stdout).group(1)) < 50, before.stdout
        refused_plans(plan, folder)


def refused_plans(plan, folder):
    """One clear line each, and the program runs as without a plan."""
    def applied(expected, *arguments, program="sources_placed", file=plan, **settings):
        done = run(program, *arguments, command_options=("--apply", file), **{"XYLEM_ENGINES": "off", **settings})
        assert sum("--apply" in line for line in done.said) == 1 and expected in done.stderr, (expected, done.said)
        return done.stdout.splitlines()[-1]

    plain = run("sources_placed", 300, XYLEM_ENGINES="off").stdout.splitlines()[-1]
    assert applied("is for another machine (4 nodes", 300, XYLEM_MACHINE="node:2 core:4 pu:1") == plain
    assert applied("one memory node", 300, XYLEM_MACHINE="node:1 core:8 pu:1") == plain
    assert applied("is for another program (sources_placed", 200, 20, program="sources_jacobi")
    sized = applied("and 2097152 in the plan; it is skipped", 300, 32)
    assert sized == run("sources_placed", 300, 32, XYLEM_ENGINES="off").stdout.splitlines()[-1]
    with open(plan) as file:
        text = file.read()
    for name, changed, expected in (("cut", text[:len(text) // 2], "cut off or damaged"), ("empty", "", "cut off"),
                                    ("edited", text.replace('"threads": 8', '"threads": 4'), "was changed"),
                                    ("other", "[1, 2]", "is none that")):
        assert changed != text, name
        file = os.path.join(folder, name)
        with open(file, "w") as out:
            out.write(changed)
        assert applied(expected, 300, file=file) == plain
    assert applied("cannot be read (No such file", 300, file=os.path.join(folder, "nowhere")) == plain
    nothing = run("sources_placed", 1, command_options=("--record", os.path.join(folder, "none")))
    assert sum("no iteration of the program was found" in line for line in nothing.said) == 1, nothing.said
    churned = run("sources_churn", 100, command_options=("--record", os.path.join(folder, "churn")), XYLEM_FAULT_COST="20")
    again = run("sources_churn", 100, command_options=("--apply", os.path.join(folder, "churn")))
    assert churned.stdout == again.stdout == "wrong 0\n", (churned.stdout, again.stdout)


def loops():
    """Dynamic loops are divided as in an earlier run of the program."""
    with tempfile.TemporaryDirectory() as folder:
        plan = os.path.join(folder, "plan.json")
        before = run("sources_repeated", 0, command_options=("--record", plan), XYLEM_REPEAT_DYNAMIC="true")
        with open(plan) as file:
            recorded = json.load(file)
        assert sorted(loop["schedule"][1:3] for loop in recorded["loops"]) == [
            [f"threads {THREADS}", f"iterations {iterations}"] for iterations in (110, 240)], recorded
        for leader in range(1, 4):
            applied = run("sources_repeated", leader, command_options=("--apply", plan), XYLEM_ENGINES="off")
            assert applied.stdout == before.stdout, (leader, before.stdout, applied.stdout)
            assert sum("is repeated" in line for line in applied.said) == 2, applied.said
            alone = run("sources_repeated", leader, XYLEM_ENGINES="off")
            assert alone.stdout.splitlines()[1] != before.stdout.splitlines()[1], (leader, alone.stdout)
        fewer = run("sources_repeated", 0, command_options=("--apply", plan), OMP_NUM_THREADS="3")
        assert sum("2 loops of the plan did not come" in line for line in fewer.said) == 1, fewer.said
        assert set(fewer.stdout.split()) <= {"-1", "0", "1", "2"}, fewer.stdout
    # Pages stay with the threads that have their iterations, where these have them each time.
    local = {}
    for repeat in ("false", "true"):
        ran = run("sources_dynamic", 4000, XYLEM_FAULT_COST="20", XYLEM_REPEAT_DYNAMIC=repeat)
        assert ran.stdout.endswith("wrong 0\n"), ran.stdout
        local[repeat] = int(ran.stdout.split("%")[-2])
    assert local["false"] < 60 < 90 <= local["true"], local


{"truth": truth, "table": table, "unmodified": unmodified, "churn": churn, "refusals": refusals, "plans": plans, "loops": loops, "pmu": pmu, "bound": bound}[WHAT]()
