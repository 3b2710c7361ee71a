"""The environments that compare.py tries: values of each KMP_ variable, right and wrong, and
several variables together, with the words that the probe is given; then where Xylem differs. Left
out: KMP_BLOCKTIME=2147483648, at which libomp 19 fails an assertion of its own."""

# By variable: the probe's words, and values of which each is one environment.
VALUES = {
    "KMP_AFFINITY": ("team bound", [
        "none", "disabled", "compact", "scatter", "balanced", "granularity=fine,compact",
        "granularity=thread,scatter", "granularity=core,compact", "granularity=fine,balanced",
        "granularity=socket,compact", "compact,0,1", "compact,1,0", "granularity=fine,compact,1,0",
        "granularity=fine,scatter,0,1", "explicit,proclist=[0,1]", "explicit,proclist=[1,0]",
        "explicit,proclist=[0-1]", "explicit,proclist=[{0,1},1]",
        "granularity=fine,proclist=[1],explicit", "norespect,compact", "respect,compact",
        "noverbose,scatter", "nowarnings,compact", "reset,compact", "COMPACT", "logical,0",
        "physical,0", "granularity=fine,logical,1", "granularity=fine,physical,0,1", "", "x",
        "explicit", "explicit,proclist=[99]", "explicit,proclist=[0,99]", "compact,x",
        "granularity=x,compact", "compact,scatter", "compact,0,1,2"]),
    "KMP_HW_SUBSET": ("team bound", [
        "1c", "2c", "1s", "1s,1c", "1c,1t", "1c@1", "1s,1c@1", "1C", "1cores", "1core", "1t",
        "2c,1t", "1s,2c,1t", "1s,9c", "9c", "2s", "x", "1x", "c", "0c", "", "*c", "1c,1c",
        ":1c", "1c@9"]),
    "KMP_BLOCKTIME": ("team", [
        "0", "1", "50", "infinite", "INFINITE", "infinity", "20us", "20000us", "10ms", "1s",
        "2147483647", "99999999999999999999", "-1", "x", "5x", "", " 7 "]),
    "KMP_LIBRARY": ("team nested", [
        "serial", "turnaround", "throughput", "SERIAL", "x", ""]),
    "KMP_STACKSIZE": ("team", [
        "1m", "1M", "2048k", "2048K", "1048576", "1048576b", "2mb", "64k", "1", "0", "x", "1x", "",
        " 3m ", "-1"]),
    "KMP_DEVICE_THREAD_LIMIT": ("team nested", ["1", "2", "3", "all", "0", "x", "", "-1"]),
    "KMP_ALL_THREADS": ("team", ["1", "3", "x"]),
    "KMP_TEAMS_THREAD_LIMIT": ("teams", ["1", "2", "9", "0", "x", "", "-1"]),
    "KMP_TEAMS_PROC_BIND": ("teams", ["close", "spread", "primary", "x"]),
    "KMP_WARNINGS": ("team", ["0", "false", "1"]),
    "KMP_DUPLICATE_LIB_OK": ("team", ["true"]),
    "KMP_INIT_AT_FORK": ("team", ["true"]),
}

# Several variables together.
TOGETHER = [
    ("team stack 20000", {"KMP_STACKSIZE": "24m"}),
    ("team stack 20000", {"OMP_STACKSIZE": "24M"}),
    ("team stack 40", {"KMP_STACKSIZE": "128k"}),
    ("team", {"KMP_STACKSIZE": "1m", "OMP_STACKSIZE": "24M"}),
    ("team", {"KMP_STACKSIZE": "24m", "OMP_STACKSIZE": "x"}),
    ("team", {"KMP_STACKSIZE": "x", "OMP_STACKSIZE": "2M"}),
    ("team", {"KMP_BLOCKTIME": "50", "OMP_WAIT_POLICY": "active"}),
    ("team", {"KMP_BLOCKTIME": "50", "OMP_WAIT_POLICY": "passive"}),
    ("team", {"OMP_WAIT_POLICY": "active"}),
    ("team", {"OMP_WAIT_POLICY": "passive"}),
    ("team", {"KMP_LIBRARY": "turnaround", "OMP_WAIT_POLICY": "passive"}),
    ("team", {"KMP_LIBRARY": "serial", "OMP_NUM_THREADS": "3"}),
    ("team bound", {"KMP_AFFINITY": "compact", "OMP_NUM_THREADS": "4"}),
    ("team bound", {"KMP_AFFINITY": "scatter", "OMP_NUM_THREADS": "4"}),
    ("team bound", {"KMP_AFFINITY": "balanced", "OMP_NUM_THREADS": "4"}),
    ("team bound", {"KMP_AFFINITY": "granularity=fine,compact,0,1", "OMP_NUM_THREADS": "3"}),
    ("team bound", {"KMP_AFFINITY": "explicit,proclist=[1,0]", "OMP_NUM_THREADS": "3"}),
    ("team bound", {"KMP_AFFINITY": "compact", "OMP_PROC_BIND": "false"}),
    ("team bound", {"KMP_AFFINITY": "compact", "OMP_PROC_BIND": "spread"}),
    ("team bound", {"KMP_AFFINITY": "compact", "OMP_PLACES": "{1},{0}"}),
    ("team bound", {"KMP_AFFINITY": "scatter", "GOMP_CPU_AFFINITY": "1 0"}),
    ("team bound", {"KMP_HW_SUBSET": "1c", "OMP_NUM_THREADS": "3"}),
    ("team bound", {"KMP_HW_SUBSET": "1c", "KMP_AFFINITY": "compact"}),
    ("team bound", {"KMP_HW_SUBSET": "1c@1", "KMP_AFFINITY": "compact"}),
    ("team bound", {"KMP_HW_SUBSET": "1c", "OMP_PLACES": "cores"}),
    ("team", {"KMP_PLACE_THREADS": "1c"}),
    ("team", {"KMP_PLACE_THREADS": "1c", "KMP_HW_SUBSET": "2c"}),
    ("team nested", {"KMP_DEVICE_THREAD_LIMIT": "2", "OMP_THREAD_LIMIT": "3",
                     "OMP_NUM_THREADS": "4"}),
    ("team nested", {"KMP_DEVICE_THREAD_LIMIT": "3", "OMP_NUM_THREADS": "2,2",
                     "OMP_MAX_ACTIVE_LEVELS": "2"}),
    ("team nested", {"KMP_DEVICE_THREAD_LIMIT": "3", "OMP_NUM_THREADS": "2,3",
                     "OMP_MAX_ACTIVE_LEVELS": "2"}),
    ("team", {"KMP_ALL_THREADS": "2", "KMP_DEVICE_THREAD_LIMIT": "3", "OMP_NUM_THREADS": "4"}),
    ("teams", {"KMP_TEAMS_THREAD_LIMIT": "1", "OMP_TEAMS_THREAD_LIMIT": "2"}),
    ("teams", {"KMP_TEAMS_THREAD_LIMIT": "2", "OMP_NUM_TEAMS": "3"}),
    ("team", {"KMP_WARNINGS": "0", "KMP_BLOCKTIME": "x"}),
    ("team", {"KMP_WARNINGS": "0", "KMP_STACKSIZE": "x"}),
    ("team", {"KMP_WARNINGS": "0", "KMP_AFFINITY": "x"}),
]

# Where Xylem differs on purpose: the lines of the probe that begin so, or "warning", in which
# environments, by what some variables are (None: anything), and why.
CHOSEN = []


def choose(reason, lines, *environments):
    CHOSEN.extend((reason, lines, environment) for environment in environments)


def values(variable, *those):
    return [{variable: value} for value in those]


choose("Xylem tells the limit that it obeys", ("thread limit", "team's thread limit"),
       *values("KMP_DEVICE_THREAD_LIMIT", "1", "2", "3", "all"),
       *values("KMP_ALL_THREADS", "1", "3"), *values("KMP_TEAMS_THREAD_LIMIT", "1", "2", "9"),
       {"KMP_DEVICE_THREAD_LIMIT": None, "OMP_NUM_THREADS": None},
       {"KMP_TEAMS_THREAD_LIMIT": None, "OMP_TEAMS_THREAD_LIMIT": None},
       {"KMP_TEAMS_THREAD_LIMIT": None, "OMP_NUM_TEAMS": None})
choose("Xylem does not warn of each team that is smaller than wanted, nor of old names",
       ("warning",), *values("KMP_DEVICE_THREAD_LIMIT", "1"), *values("KMP_ALL_THREADS", "1"),
       {"KMP_DEVICE_THREAD_LIMIT": None, "OMP_NUM_THREADS": None},
       {"KMP_TEAMS_THREAD_LIMIT": None, "OMP_NUM_TEAMS": None},
       {"KMP_PLACE_THREADS": None, "KMP_HW_SUBSET": None})
choose("what is no number of threads is not taken for 1", ("team", "outer", "league"),
       *values("KMP_DEVICE_THREAD_LIMIT", "0"), *values("KMP_TEAMS_THREAD_LIMIT", "0"))
choose("Xylem tells how many threads regions will have", ("levels", "max threads"),
       *values("KMP_LIBRARY", "serial", "SERIAL"), {"KMP_LIBRARY": "serial", "OMP_NUM_THREADS": "3"})
choose("Xylem's threads search for longer, and it tells so", ("blocktime",),
       *values("KMP_LIBRARY", "turnaround"))
choose("libomp tells microseconds where they were set so", ("blocktime",),
       *values("KMP_BLOCKTIME", "20us", "20000us"))
choose("of a wrong value Xylem obeys no part", ("blocktime", "processors"),
       *values("KMP_BLOCKTIME", "5x", "1s", "99999999999999999999"),
       *values("KMP_AFFINITY", "compact,x", "granularity=x,compact", "compact,scatter",
               "compact,0,1,2", "granularity=fine,physical,0,1"))
choose("a stack that is too small is not made a little larger", ("stack",),
       *values("KMP_STACKSIZE", "1", "0"))
choose("libomp warns of a number that it can hold", ("warning",),
       *values("KMP_BLOCKTIME", "2147483647"))
choose("libomp warns of the granularity that it had to choose", ("warning",),
       *values("KMP_AFFINITY", "balanced"), {"KMP_AFFINITY": "balanced", "OMP_NUM_THREADS": "4"})
choose("processors that the process may not use are passed over, as in OMP_PLACES", ("warning",),
       *values("KMP_AFFINITY", "explicit,proclist=[0,99]"))
choose("what cannot be obeyed is named", ("warning",), *values("KMP_AFFINITY", ""),
       *values("KMP_HW_SUBSET", "1s,9c", "9c", "2s", "1c@9"))
choose("OMP_ and GOMP_ variables come first, as a process may have code of both compilers",
       ("warning", "processors", "stack", "blocktime", "library"),
       {"KMP_AFFINITY": None, "OMP_PROC_BIND": None}, {"KMP_AFFINITY": None, "OMP_PLACES": None},
       {"KMP_AFFINITY": None, "GOMP_CPU_AFFINITY": None},
       {"KMP_STACKSIZE": None, "OMP_STACKSIZE": None},
       {"KMP_LIBRARY": None, "OMP_WAIT_POLICY": None})
