"""The environments that compare.py tries: right and wrong values of each variable, and several
variables together. Values that would make a runtime start very many threads are only read: the
probe asks for teams of at most two."""
import os

LONG_LIST = ",".join(["2"] * 70)
HUGE = "99999999999999999999"

# By variable: each value is one environment.
VALUES = {
    "OMP_NUM_THREADS": [
        "1", "3", "4", "2147483647", HUGE, "0", "-1", "+3", "", " ", " 3", "3 ", " 2 , 3 ", "2,3,4",
        "4,1", "2,", ",2", "2,,3", "2,0", "2,-1", "2,x", "2x", "2 3", "2;3", "0x2", "010", "2.5",
        "two", "\t3\n", LONG_LIST,
    ],
    "OMP_SCHEDULE": [
        "static", "dynamic", "guided", "auto", "STATIC", "Dynamic", " guided ", "static,4",
        "static,0", "static,1", "dynamic,4", "dynamic,1", "dynamic,0", "guided,3", "guided,0",
        "auto,4", "auto,0", "dynamic , 5", "dynamic, 5 ", "dynamic,+5", "dynamic,05",
        "monotonic:static", "monotonic:dynamic", "monotonic:guided,7", "monotonic:auto",
        "nonmonotonic:static", "nonmonotonic:static,2", "nonmonotonic:dynamic",
        "monotonic:static,2", "nonmonotonic:guided,2", "nonmonotonic:auto", "Monotonic:Dynamic",
        " monotonic : dynamic , 3", "monotonic :static", "monotonic: static", "", " ", "runtime",
        "static,", "dynamic,", "dynamic,x", "dynamic,4x", "dynamic,4 5", "dynamic,4,5", "static 4",
        "static,2147483647", "static,2147483648", "dynamic,2147483648", "dynamic," + HUGE,
        "dynamicx", "dynamic_4", "dyn", "dynamic:4", "monotonic", "monotonic:", "monotonic dynamic",
        "monotonic,dynamic", "monotonicdynamic", "simd:static", "monotonic:nonmonotonic:dynamic",
        "monotonic:simd:dynamic", ",4", "4", "auto,", "auto,x", "auto,5x", "trapezoidal",
        "guided,x", "guided 4", "guided,5x", "static,4x", "staticx", "monotonic:dynamic,x",
        "monotonic:static,x", "nonmonotonic:static,x", "nonmonotonic:static,", "monotonic:x",
        "monotonic:auto,7x",
    ],
    "OMP_PLACES": [
        "threads", "cores", "sockets", "ll_caches", "numa_domains", "THREADS", "Cores", " threads ",
        "threads(1)", "threads(2)", "threads(100)", "cores(1)", "cores( 2 )", "cores (1)",
        "sockets(1)", "ll_caches(1)", "numa_domains(1)", "threads(0)", "threads()", "threads(x)",
        "threads(1", "threads 1", "threads(1)x", "threads(1),{0}", "threads,", "threadsx", "thread",
        "core", "hyperthreads", "", " ", "{0}", "{1}", "{0},{1}", "{1},{0}", "{0,1}", "{0:2}",
        "{ 0 : 2 }", " { 0 } , { 1 } ", "{0:2:1}", "{0}:2", "{0}:2:1", "{1}:2:-1", "{0:1}:2:1",
        "{0,1},{0}", "{0}:1", "{0}:1:5", "{0},!{0}", "{0:2},!{1}", "{0:2,!1}", "{0:2,!0}", "{0,!0}",
        "{0},{1},!{0}", "{0}:2,!{1}", "!{0}", "{!0,0:2}", "{0},{0}", "{0,0}", "{0:2}:2:0",
        "{1:2:-1}", "{0:2:0}", "0", "0,1", "0:2", "0:2:1", "!0", "{0},1", "{0", "0}", "{}",
        "{},{0}", "{0},", ",{0}", "{0},,{1}", "{0} {1}", "{0}x", "{x}", "{-1}", "{0:0}", "{0:-1}",
        "{0:2:}", "{0:}", "{0}:", "{0}:0", "{0}:-1", "{0}:2:", "{0:1:1:1}", "{0}:1:1:1", "{0,}",
        "{,0}", "{0 1}", "{0-1}", "{99}", "{0},{99}", "{99},{0}", "{0,99}", "{0}:2:99", "{0:2:99}",
        "{0:100}", "{0}:100", "{1},{98}:3", "{" + HUGE + "}", "{0:" + HUGE + "}", "{65536}",
        "{2147483648}", "{0}:65536:0", "{0:2}:65535:0", "{0},!{1}", "{0,1},!{0}", "{0:2},!{1,0}",
        "{(0)}", "(0)", "[0]", "{0}!{1}", "{0:+2}", "{+0}", "{0x1}", "{01}", "!{0},{0}",
        "!{1},{0},{1}", "{0,!1}", "{!0,1}", "{!0,0:2,!1}", "{0:2,!0:1}", "{0}:2,!{0}:2", "{5}",
        "{0},{5}", "{0,5}", "{0:10}", "{0}:10", "{0},{5},!{0}", "{5},!{5}", "threads(" + HUGE + ")",
    ],
    "OMP_PROC_BIND": [
        "true", "false", "TRUE", "False", " true ", "master", "primary", "close", "spread",
        "PRIMARY", "close,spread", "spread,close,master", " close , spread ", "primary,primary", "",
        " ", "yes", "1", "0", "tru", "truex", "true,close", "close,true", "false,close",
        "close,false", "true,true", "close,", ",close", "close,,spread", "close spread",
        "close;spread", "any", "none", "closex", ",".join(["close"] * 70), "false,false", "true,",
    ],
    "OMP_STACKSIZE": [
        "1M", "512", "512k", "512K", "2m", "1g", "1G", "65536b", "65536B", " 1 M ", "1 M", "1M ",
        "1048576b", "0", "0M", "1", "16", "+1M", "010M", "", " ", "M", "x", "1x", "1MB", "1Mx",
        "1M 2", "-1", "-1M", "1.5M", "1t", HUGE, "18446744073709551615", "18014398509481984k",
        "17179869184G", "0x100k",
    ],
    "GOMP_STACKSIZE": [
        "1M", "512", "512k", " 2 m ", "0", "", "x", "1x", "-1", HUGE, "18446744073709551615",
    ],
    "OMP_THREAD_LIMIT": [
        "1", "2", "5", "2147483647", "2147483648", "4294967295", "4294967296", HUGE,
        "18446744073709551615", "0", "-1", "+4", " 4", "4 ", "", " ", "x", "4x", "4 5", "4,5",
        "0x4", "4.5", "9223372036854775807", "9223372036854775808",
    ],
    "OMP_MAX_ACTIVE_LEVELS": [
        "0", "1", "2", "4", "255", "256", "9999", "2147483647", "2147483648", HUGE, "-1", "+2",
        " 2 ", "", " ", "x", "2x", "2,3", "true", "9223372036854775807", "9223372036854775808",
    ],
    "OMP_NESTED": [
        "true", "false", "TRUE", " false ", "", " ", "1", "0", "yes", "truex", "true x", "falsex",
    ],
    "OMP_DYNAMIC": [
        "true", "false", "TRUE", " false ", "", "1", "0", "yes", "falsex", "t", "truex",
        "true false",
    ],
    "OMP_CANCELLATION": ["true", "false", "TRUE", " true ", "", "1", "0", "on", "true,", "truex"],
    "OMP_WAIT_POLICY": [
        "active", "passive", "ACTIVE", " passive ", "", " ", "x", "activex", "active passive", "0",
    ],
    "OMP_ALLOCATOR": [
        "omp_default_mem_alloc", "omp_large_cap_mem_alloc", "omp_const_mem_alloc",
        "omp_high_bw_mem_alloc", "omp_low_lat_mem_alloc", "omp_cgroup_mem_alloc",
        "omp_pteam_mem_alloc", "omp_thread_mem_alloc", "OMP_THREAD_MEM_ALLOC",
        " omp_thread_mem_alloc ", "omp_thread_mem_allocx", "omp_thread_mem_alloc x", "", " ", "0",
        "1", "8", "9", "omp_null_allocator", "omp_default_mem_space", "omp_large_cap_mem_space",
        "omp_default_mem_space:alignment=64", "omp_default_mem_space:pinned=false,pool_size=4096",
        "omp_default_mem_space:pool_size=1024,fallback=null_fb", "omp_default_mem_space:",
        "omp_default_mem_space:alignment=3", "omp_default_mem_space:colour=red",
        "omp_default_mem_alloc:alignment=64", "default", "malloc",
    ],
    "OMP_DEFAULT_DEVICE": [
        "0", "1", "3", "2147483647", "2147483648", HUGE, "-1", "-2", "+1", " 1 ", "", " ", "x",
        "1x", "1 2", "host",
    ],
    "OMP_TARGET_OFFLOAD": [
        "default", "mandatory", "disabled", "DEFAULT", " disabled ", "Disabled", "", " ", "x",
        "disabledx", "0", "mandatory x",
    ],
    "OMP_NUM_TEAMS": [
        "1", "4", "2147483647", "2147483648", "4294967295", HUGE, "0", "-1", "+2", " 2 ", "", "x",
        "2x", "2,3",
    ],
    "OMP_TEAMS_THREAD_LIMIT": [
        "1", "4", "2147483647", "2147483648", "4294967295", HUGE, "0", "-1", "+2", " 2 ", "", "x",
        "2x", "2,3",
    ],
    "OMP_MAX_TASK_PRIORITY": [
        "0", "1", "10", "2147483647", "2147483648", HUGE, "-1", "+2", " 2 ", "", "x", "2x", "2,3",
    ],
    "OMP_DISPLAY_AFFINITY": ["true", "false", "TRUE", " true ", "", "1", "0", "yes", "truex"],
    "OMP_AFFINITY_FORMAT": [
        "", " ", "plain", "%n of %N", "%{thread_num}", "%%", "%5n", "%.5n", "%0.5n", "a'b",
        " padded ", "x" * 300,
    ],
    "GOMP_CPU_AFFINITY": [
        "0", "1", "0 1", "1 0", "0,1", "0-1", "0-1:1", "0-1:2", " 0 1 ", "0 0", "0, 1", "0 , 1", "",
        " ", "x", "0x", "-1", "0-", "1-0", "0-x", "0-1:", "0-1:0", "0-1:-1", "0-1:x", "0 1-",
        "0,,1", "0,", ",0", HUGE, "0-" + HUGE, "65536", "0 x", "0:1", "{0}", "0 - 1", "0- 1",
        "0 -1", "0-1 :1", "0-1: 1", "0-1 1", "+0", "0;1", "2147483648",
    ],
    "GOMP_SPINCOUNT": [
        "0", "1", "100", "10k", "10K", "2m", "2M", "1g", "1G", "1t", "1T", "1 k", " 100 ",
        "infinite", "INFINITY", " infinity ", "infinitex", "inf", "", " ", "x", "1x", "1b", "1kk",
        "+5", HUGE, "18446744073709551615", "18446744073709551615k", "18446744073709551t",
        "18446745t", "4294967296", "1.5", "0x10",
    ],
    "OMP_DISPLAY_ENV": [
        "true", "false", "verbose", "TRUE", "Verbose", " true ", " verbose ", " false ", "", " ",
        "1", "0", "yes", "truex", "verbose x", "VERBOSEX",
    ],
}

# Several variables together.
TOGETHER = [
    {"OMP_STACKSIZE": "1M", "GOMP_STACKSIZE": "2M"},
    {"OMP_STACKSIZE": "x", "GOMP_STACKSIZE": "2M"},
    {"OMP_STACKSIZE": "1M", "GOMP_STACKSIZE": "x"},
    {"OMP_STACKSIZE": "x", "GOMP_STACKSIZE": "y"},
    {"OMP_STACKSIZE": "", "GOMP_STACKSIZE": "2M"},
    {"OMP_STACKSIZE": "0", "GOMP_STACKSIZE": "2M"},
    {"OMP_STACKSIZE": "x", "GOMP_STACKSIZE": "1"},
    {"OMP_WAIT_POLICY": "active", "GOMP_SPINCOUNT": "5"},
    {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "5"},
    {"OMP_WAIT_POLICY": "active", "GOMP_SPINCOUNT": "x"},
    {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "x"},
    {"OMP_WAIT_POLICY": "x", "GOMP_SPINCOUNT": "infinity"},
    {"OMP_NESTED": "true", "OMP_MAX_ACTIVE_LEVELS": "1"},
    {"OMP_NESTED": "false", "OMP_MAX_ACTIVE_LEVELS": "3"},
    {"OMP_NESTED": "true", "OMP_MAX_ACTIVE_LEVELS": "x"},
    {"OMP_NESTED": "x", "OMP_MAX_ACTIVE_LEVELS": "3"},
    {"OMP_NESTED": "false", "OMP_NUM_THREADS": "2,2"},
    {"OMP_NESTED": "x", "OMP_NUM_THREADS": "2,2"},
    {"OMP_MAX_ACTIVE_LEVELS": "1", "OMP_NUM_THREADS": "2,2"},
    {"OMP_MAX_ACTIVE_LEVELS": "x", "OMP_NUM_THREADS": "2,2"},
    {"OMP_MAX_ACTIVE_LEVELS": "0", "OMP_NUM_THREADS": "2,2"},
    {"OMP_NESTED": "true", "OMP_NUM_THREADS": "2,x"},
    {"OMP_NESTED": "false", "OMP_PROC_BIND": "close,close"},
    {"OMP_MAX_ACTIVE_LEVELS": "2", "OMP_PROC_BIND": "close,close"},
    {"OMP_NUM_THREADS": "8", "OMP_THREAD_LIMIT": "4"},
    {"OMP_NUM_THREADS": "2", "OMP_THREAD_LIMIT": "4"},
    {"OMP_NUM_THREADS": "8,9", "OMP_THREAD_LIMIT": "1"},
    {"OMP_NUM_THREADS": "2,2", "OMP_THREAD_LIMIT": "2"},
    {"OMP_NUM_THREADS": "0", "OMP_THREAD_LIMIT": "1"},
    {"OMP_NUM_THREADS": "3", "OMP_DYNAMIC": "true"},
    {"OMP_TEAMS_THREAD_LIMIT": "8", "OMP_THREAD_LIMIT": "4"},
    {"OMP_PLACES": "threads", "OMP_PROC_BIND": "true"},
    {"OMP_PLACES": "threads", "OMP_PROC_BIND": "false"},
    {"OMP_PLACES": "threads", "OMP_PROC_BIND": "close"},
    {"OMP_PLACES": "threads", "OMP_PROC_BIND": "spread"},
    {"OMP_PLACES": "threads", "OMP_PROC_BIND": "primary"},
    {"OMP_PLACES": "threads", "OMP_PROC_BIND": "spread,close"},
    {"OMP_PLACES": "threads", "OMP_PROC_BIND": "close,spread,primary"},
    {"OMP_PLACES": "threads", "OMP_PROC_BIND": "x"},
    {"OMP_PLACES": "threads", "OMP_PROC_BIND": ""},
    {"OMP_PLACES": "x", "OMP_PROC_BIND": "true"},
    {"OMP_PLACES": "x", "OMP_PROC_BIND": "close,spread"},
    {"OMP_PLACES": "x", "OMP_PROC_BIND": "false"},
    {"OMP_PLACES": "x", "OMP_PROC_BIND": "x"},
    {"OMP_PLACES": "", "OMP_PROC_BIND": "close"},
    {"OMP_PLACES": "{99}", "OMP_PROC_BIND": "close"},
    {"OMP_PLACES": "{99}", "OMP_PROC_BIND": "false"},
    {"OMP_PLACES": "{0", "OMP_PROC_BIND": "false"},
    {"OMP_PLACES": "{0:0}", "OMP_PROC_BIND": "false"},
    {"OMP_PLACES": "{-1}", "OMP_PROC_BIND": "false"},
    {"OMP_PLACES": "{0},!{0}", "OMP_PROC_BIND": "false"},
    {"OMP_PLACES": "{0,!1}", "OMP_PROC_BIND": "false"},
    {"OMP_PLACES": "{0},{5}", "OMP_PROC_BIND": "false"},
    {"OMP_PLACES": "threads(0)", "OMP_PROC_BIND": "false"},
    {"OMP_PLACES": "threads(x)", "OMP_PROC_BIND": "false"},
    {"OMP_PROC_BIND": "false", "GOMP_CPU_AFFINITY": "99"},
    {"OMP_PLACES": "{1},{0}", "OMP_PROC_BIND": "close"},
    {"OMP_PLACES": "{0,1}", "OMP_PROC_BIND": "spread,spread"},
    {"OMP_PLACES": "{0,1},{0},{1}", "OMP_PROC_BIND": "spread,close"},
    {"OMP_PLACES": "{0}:4:0", "OMP_PROC_BIND": "spread,close"},
    {"OMP_PLACES": "{0}:5:0", "OMP_PROC_BIND": "spread,spread"},
    {"OMP_PLACES": "cores", "GOMP_CPU_AFFINITY": "1"},
    {"OMP_PLACES": "x", "GOMP_CPU_AFFINITY": "1"},
    {"OMP_PLACES": "{99}", "GOMP_CPU_AFFINITY": "1"},
    {"OMP_PLACES": "cores", "GOMP_CPU_AFFINITY": "x"},
    {"OMP_PLACES": "x", "GOMP_CPU_AFFINITY": "x"},
    {"OMP_PROC_BIND": "true", "GOMP_CPU_AFFINITY": "1 0"},
    {"OMP_PROC_BIND": "false", "GOMP_CPU_AFFINITY": "1 0"},
    {"OMP_PROC_BIND": "false", "GOMP_CPU_AFFINITY": "x"},
    {"OMP_PROC_BIND": "spread", "GOMP_CPU_AFFINITY": "1 0"},
    {"OMP_PROC_BIND": "primary,close", "GOMP_CPU_AFFINITY": "0-1"},
    {"OMP_PROC_BIND": "x", "GOMP_CPU_AFFINITY": "0-1"},
    {"OMP_PROC_BIND": "true", "GOMP_CPU_AFFINITY": "x"},
    {"OMP_DISPLAY_AFFINITY": "true", "OMP_AFFINITY_FORMAT": "L%L n%n N%N a%a"},
    {"OMP_DISPLAY_AFFINITY": "true", "OMP_AFFINITY_FORMAT": "%5n|%.5n|%0.5n|%{nesting_level}"},
    {"OMP_DISPLAY_AFFINITY": "true", "OMP_AFFINITY_FORMAT": "[%t %T %A]"},
    {"OMP_DISPLAY_AFFINITY": "true", "OMP_AFFINITY_FORMAT": "%A", "OMP_PLACES": "threads"},
    {"OMP_DISPLAY_AFFINITY": "true", "OMP_AFFINITY_FORMAT": "%L %n", "OMP_NUM_THREADS": "2,2"},
    {"OMP_DISPLAY_AFFINITY": "false", "OMP_AFFINITY_FORMAT": "%n"},
    {"OMP_DISPLAY_AFFINITY": "true", "OMP_AFFINITY_FORMAT": ""},
    {"OMP_DISPLAY_ENV": "true", "OMP_NUM_THREADS": "3,2", "OMP_SCHEDULE": "guided,4"},
    {"OMP_DISPLAY_ENV": "verbose", "OMP_PLACES": "threads", "OMP_PROC_BIND": "spread,close"},
    {"OMP_DISPLAY_ENV": "true", "OMP_NUM_THREADS": "x"},
    {"OMP_DISPLAY_ENV": "x", "OMP_NUM_THREADS": "x", "OMP_SCHEDULE": "x", "OMP_PLACES": "x",
     "OMP_PROC_BIND": "x", "OMP_STACKSIZE": "x", "OMP_DYNAMIC": "x", "OMP_CANCELLATION": "x"},
    {"OMP_DISPLAY_ENV": "verbose", "OMP_STACKSIZE": "3M", "GOMP_SPINCOUNT": "7",
     "OMP_WAIT_POLICY": "active", "GOMP_CPU_AFFINITY": "0", "OMP_CANCELLATION": "true",
     "OMP_DEFAULT_DEVICE": "2", "OMP_MAX_TASK_PRIORITY": "4", "OMP_DISPLAY_AFFINITY": "false",
     "OMP_NUM_TEAMS": "3", "OMP_TEAMS_THREAD_LIMIT": "2", "OMP_TARGET_OFFLOAD": "disabled",
     "OMP_ALLOCATOR": "omp_const_mem_alloc", "OMP_THREAD_LIMIT": "9",
     "OMP_MAX_ACTIVE_LEVELS": "3", "OMP_DYNAMIC": "false", "OMP_NESTED": "true"},
]

# Where Xylem differs on purpose. It behaves as libgomp does in another environment, and warns of
# the variables that are named.
CHOSEN = []


def choose(reason, variable, values, like=None):
    """`like` is the value that libgomp is given instead; None: the variable is not set."""
    for value in values:
        other = {} if like is None else {variable: like}
        CHOSEN.append(({variable: value}, other, {variable}, reason))


TOO_MANY = "libgomp's numbers wrap round: omp_get_max_threads() gives 0 or a negative number"
choose(TOO_MANY, "OMP_NUM_THREADS",
       ["2147483648", "4294967296", "9223372036854775807", "3,2147483648"])

NEGATIVE_CHUNK = "in libgomp a dynamic loop with a negative chunk never ends"
choose(NEGATIVE_CHUNK, "OMP_SCHEDULE", ["dynamic,-1", "dynamic,-5", "nonmonotonic:dynamic,-5"],
       "dynamic")
choose(NEGATIVE_CHUNK, "OMP_SCHEDULE", ["static,-5"], "static,1")
choose(NEGATIVE_CHUNK, "OMP_SCHEDULE", ["guided,-3", "guided,-2147483648"], "guided")
choose(NEGATIVE_CHUNK, "OMP_SCHEDULE", ["auto,-5"], "auto")

MINUS = "libgomp takes a negative number for one near 2^64"
choose(MINUS, "OMP_PLACES", ["threads(-1)"])
choose(MINUS, "OMP_THREAD_LIMIT", ["-18446744073709551614"])
choose(MINUS, "OMP_MAX_ACTIVE_LEVELS", ["-18446744073709551614"])
choose(MINUS, "OMP_STACKSIZE", ["-18446744073709550592"])
choose(MINUS, "GOMP_SPINCOUNT", ["-1"])

NO_ROOM = "with such stacks libgomp ends the program at its first region"
choose(NO_ROOM, "OMP_STACKSIZE", ["18446744073709551615b", "18014398509481983k", "17179869183G",
                                  "9223372036854775807b", "100000G"])
choose(NO_ROOM, "GOMP_STACKSIZE", ["17179869183G"])

BAD_FORMAT = "libgomp ends the program when it comes to show such a format"
choose(BAD_FORMAT, "OMP_AFFINITY_FORMAT",
       ["%", "%x", "%{bogus}", "%{thread_num", "%05n", "%.n", "%5", "100%"])

UNUSABLE = "libgomp drops such processors without a word, or ends the program at one of them"


def choose_usable(text, numbers):
    usable = [str(number) for number in numbers if number in os.sched_getaffinity(0)]
    like = " ".join(usable) if usable else None
    if len(usable) < len(numbers):
        choose(UNUSABLE, "GOMP_CPU_AFFINITY", [text], like)


choose_usable("9999", [9999])
choose_usable("0 9999", [0, 9999])
choose_usable("9999 0", [9999, 0])
choose_usable("0-9999", range(10000))
choose_usable("0-9999:2", range(0, 10000, 2))

# Stack that each thread of a team is to use.
TOUCH = [
    ({"OMP_STACKSIZE": "24M"}, 20 << 20),
    ({"GOMP_STACKSIZE": "24M"}, 20 << 20),
    ({"OMP_STACKSIZE": "1"}, 1 << 20),
    ({"OMP_STACKSIZE": "x"}, 1 << 20),
]
