// The table of settings.
#include <iterator>

#include "omp/env/affinity_format.hpp"
#include "omp/env/setting_parsers.hpp"
#include "omp/env/setting_printers.hpp"

namespace xylem::omp {
namespace {

using Values = SettingsValues;
using enum SettingType;
using Shown = Setting::Shown;

constexpr Setting table[] = {
    {"KMP_WARNINGS", boolean, "true", "Warnings of the runtime are printed.", parse_kmp_warnings,
     nullptr, Shown::never},
    {"OMP_DYNAMIC", boolean, "false",
     "The runtime may make teams smaller than the program asks when processors are busy.",
     parse_boolean<&Icvs::dyn_var>, print_boolean<&Icvs::dyn_var>, Shown::always},
    {"OMP_NESTED", boolean, "false",
     "Nested parallel regions get threads of their own (old form of OMP_MAX_ACTIVE_LEVELS).",
     parse_nested, print_nested, Shown::always, true},
    {"OMP_NUM_THREADS", integer_list, "one thread a usable processor",
     "Threads of a parallel region; a list gives one number for each nesting level.",
     parse_num_threads, print_num_threads, Shown::always},
    {"OMP_SCHEDULE", schedule, "dynamic",
     "What schedule(runtime) means: [monotonic:|nonmonotonic:]static|dynamic|guided|auto[,chunk]; "
     "for programs built by Clang also trapezoidal and static_steal, and static without it.",
     parse_schedule, print_schedule, Shown::always},
    {"OMP_PROC_BIND", word_list, "false",
     "Bind threads to places: true, false, or primary, close or spread for each nesting level.",
     parse_proc_bind, print_proc_bind, Shown::always},
    {"OMP_PLACES", places, "a place for each processor where threads are bound",
     "The places: threads, cores, ll_caches, sockets or numa_domains, with an optional count in "
     "parentheses, or a list such as {0:4},{4:4} or {0:2}:8:2 of processor numbers.",
     parse_places_setting, print_places, Shown::always},
    {"OMP_STACKSIZE", size, "the stack limit of the process",
     "Stack of a thread that the runtime makes; B, K, M or G may follow, K is meant without.",
     parse_stack_size, print_stack_size, Shown::always},
    {"OMP_WAIT_POLICY", word, "passive after a short spin",
     "What waiting threads do: active spins, passive sleeps.", parse_wait_policy, print_wait_policy,
     Shown::always},
    {"OMP_THREAD_LIMIT", integer, "no limit", "The most threads in one contention group.",
     parse_thread_limit, print_thread_limit, Shown::always},
    {"OMP_MAX_ACTIVE_LEVELS", integer, "1, or 255 when another variable lists nesting levels",
     "How many nested regions may have more than one thread; at most 255.", parse_max_active_levels,
     print_integer<&Icvs::max_active_levels_var>, Shown::always},
    {"OMP_NUM_TEAMS", integer, "0", "Upper bound of the teams a teams construct makes.",
     parse_integer<&GlobalIcvs::num_teams, 1>, print_integer<&GlobalIcvs::num_teams>,
     Shown::always},
    {"OMP_TEAMS_THREAD_LIMIT", integer, "0", "The most threads of each team of a teams construct.",
     parse_integer<&GlobalIcvs::teams_thread_limit, 1>,
     print_integer<&GlobalIcvs::teams_thread_limit>, Shown::always},
    {"OMP_CANCELLATION", boolean, "false", "Cancellation constructs take effect.",
     parse_boolean<&GlobalIcvs::cancellation>, print_boolean<&GlobalIcvs::cancellation>,
     Shown::always},
    {"OMP_DEFAULT_DEVICE", integer, "0", "The device of constructs without a device clause.",
     parse_integer<&Icvs::default_device_var, 0>, print_integer<&Icvs::default_device_var>,
     Shown::always},
    {"OMP_MAX_TASK_PRIORITY", integer, "0", "The largest task priority that is honoured.",
     parse_integer<&GlobalIcvs::max_task_priority, 0>,
     print_integer<&GlobalIcvs::max_task_priority>, Shown::always},
    {"OMP_DISPLAY_AFFINITY", boolean, "false",
     "Print the affinity of the threads of each new team on standard error.",
     parse_boolean<&GlobalIcvs::display_affinity>, print_boolean<&GlobalIcvs::display_affinity>,
     Shown::always},
    {"OMP_AFFINITY_FORMAT", text, default_affinity_format,
     "How affinity is printed; fields such as %L, %n, %A, %{host}.", parse_affinity_format,
     print_text<&GlobalIcvs::affinity_format>, Shown::always},
    {"OMP_ALLOCATOR", word, "omp_default_mem_alloc", "The predefined allocator used by default.",
     parse_allocator, print_allocator, Shown::always},
    {"OMP_TARGET_OFFLOAD", word, "default",
     "default, mandatory or disabled. Target regions always run on the host.", parse_target_offload,
     print_target_offload, Shown::always},
    {"OMP_DISPLAY_ENV", word, "false",
     "true or verbose: print the settings on standard error at the start.", parse_display_env,
     nullptr, Shown::never},
    {"OMP_TOOL", word, "enabled", "enabled or disabled: look for an OMPT tool.",
     parse_enabled<&GlobalIcvs::tool>, nullptr, Shown::never},
    {"OMP_TOOL_LIBRARIES", text, "", "Libraries in which to look for an OMPT tool.",
     parse_text<&GlobalIcvs::tool_libraries>, nullptr, Shown::never},
    {"OMP_TOOL_VERBOSE_INIT", text, "disabled",
     "disabled, stdout, stderr or a file: where to tell about loading an OMPT tool.",
     parse_text<&GlobalIcvs::tool_verbose_init>, nullptr, Shown::never},
    {"GOMP_CPU_AFFINITY", places, "any processor",
     "Processors that threads are bound to, such as 0 3 1-2 or 4-15:2. OMP_PLACES comes first.",
     parse_cpu_affinity_setting, print_text<&Values::cpu_affinity_text>, Shown::verbose},
    {"GOMP_STACKSIZE", size, "the stack limit of the process",
     "As OMP_STACKSIZE, which comes first.", parse_gomp_stack_size, print_stack_size,
     Shown::verbose},
    {"GOMP_SPINCOUNT", integer, "300000",
     "Turns of about 10 ns that an idle worker spins before it sleeps, up to 10 ms; k, M, G or T "
     "may "
     "follow; or infinite. XYLEM_SPIN comes first.",
     parse_spin_count, print_spin_count, Shown::verbose},
    {"KMP_AFFINITY", text, "none",
     "Where threads are bound: compact, scatter, balanced, explicit or none, with modifiers before "
     "it such as granularity=fine, proclist=[0,2] and verbose, and a permutation and an offset "
     "behind. OMP_PROC_BIND, OMP_PLACES and GOMP_CPU_AFFINITY come first.",
     parse_kmp_affinity_setting, print_text<&Values::kmp_affinity_text>, Shown::verbose},
    {"KMP_HW_SUBSET", text, "",
     "Which part of the machine is used: of sockets (s), memory nodes (n), caches (l3, l2), cores "
     "(c) and threads (t) so many each, such as 1s,4c@2,1t; @: from which on; a colon in front: "
     "levels that are not named do not count.",
     parse_kmp_hw_subset, print_text<&Values::kmp_hw_subset_text>, Shown::verbose},
    {"KMP_PLACE_THREADS", text, "", "As KMP_HW_SUBSET, which comes first.", parse_kmp_hw_subset,
     nullptr, Shown::never},
    {"KMP_BLOCKTIME", integer, "200",
     "Milliseconds that an idle worker spins before it sleeps, up to 10 ms; us may follow; or "
     "infinite. XYLEM_SPIN and GOMP_SPINCOUNT come first.",
     parse_kmp_block_time, print_block_time, Shown::verbose},
    {"KMP_LIBRARY", word, "throughput",
     "serial: regions have one thread; turnaround: as OMP_WAIT_POLICY=active, which comes first; "
     "throughput: as OMP_WAIT_POLICY=passive, which comes first, but for KMP_BLOCKTIME.",
     parse_kmp_library, nullptr, Shown::never},
    {"KMP_FORCE_REDUCTION", word, "tree in teams of more than four threads",
     "How members combine reductions of Clang's code: critical (one after the other), atomic "
     "(where "
     "the compiler made that) or tree (in an order that is the same in each run).",
     parse_kmp_reduction, nullptr, Shown::never},
    {"KMP_DETERMINISTIC_REDUCTION", boolean, "false",
     "true: as KMP_FORCE_REDUCTION=tree, which comes first.", parse_kmp_deterministic, nullptr,
     Shown::never},
    {"KMP_STACKSIZE", size, "the stack limit of the process",
     "As OMP_STACKSIZE, which comes first; bytes are meant without a unit.", parse_kmp_stack_size,
     print_stack_size, Shown::verbose},
    {"KMP_DEVICE_THREAD_LIMIT", integer, "no limit",
     "Most threads, besides OMP_THREAD_LIMIT; all: one a processor.", parse_kmp_device_thread_limit,
     nullptr, Shown::never},
    {"KMP_ALL_THREADS", integer, "no limit", "As KMP_DEVICE_THREAD_LIMIT, which comes first.",
     parse_kmp_all_threads, nullptr, Shown::never},
    {"KMP_TEAMS_THREAD_LIMIT", integer, "no limit",
     "Most threads of all teams of a teams construct together: of more teams there are so many, "
     "and "
     "each has its share.",
     parse_kmp_teams_thread_limit, nullptr, Shown::never},
    {"KMP_TEAMS_PROC_BIND", word, "spread",
     "Where the teams of a teams construct are bound, in programs built by Clang whose threads are "
     "bound: primary, close or spread.",
     parse_kmp_teams_proc_bind, nullptr, Shown::never},
    {"KMP_SETTINGS", boolean, "false",
     "Print the settings at the start, as OMP_DISPLAY_ENV=verbose does, which comes first.",
     parse_kmp_settings, nullptr, Shown::never},
    {"XYLEM_MACHINE", text, "",
     "A synthetic machine instead of this one: an hwloc synthetic description or an XML file.",
     parse_text<&RuntimeSettings::machine>, print_text<&RuntimeSettings::machine>, Shown::verbose},
    {"XYLEM_POLICY", text, "cache",
     "Where threads go: a policy's name (`xylem run --policy help` lists them), or a file with "
     "one.",
     parse_text<&RuntimeSettings::policy>, print_text<&RuntimeSettings::policy>, Shown::verbose},
    {"XYLEM_CODELET_POLICY", word, "eager",
     "Who runs which codelet, where the program does not say: eager (first come first served), "
     "priority, steal (near first), random (by the executors' speeds), earliest (who ends it "
     "first, by models) or data (the same with its data's way). `xylem models` shows models.",
     parse_codelet_policy, print_text<&RuntimeSettings::codelet_policy>, Shown::verbose},
    {"XYLEM_CUDA", text, "auto",
     "CUDA devices that run codelets: off, auto or all, or their numbers, such as 0,2. A card that "
     "is one of these is none of XYLEM_OPENCL's.",
     parse_cuda, print_text<&RuntimeSettings::cuda>, Shown::verbose},
    {"XYLEM_OPENCL", text, "auto",
     "OpenCL devices that run codelets: off, auto (graphics cards and accelerators), all "
     "(processors, too), or their numbers in the list of all, such as 0,2.",
     parse_opencl, print_text<&RuntimeSettings::opencl>, Shown::verbose},
    {"XYLEM_DEVICE_MEMORY", size, "0",
     "Memory that codelets' data may take on each device; B, K, M or G may follow, B is meant "
     "without. 0: nine tenths of what the device has.",
     parse_device_memory, print_device_memory, Shown::verbose},
    {"XYLEM_ZERO_COPY", boolean, "true",
     "Devices that share the processors' memory, such as integrated graphics, work on codelets' "
     "data where it lies, if it is dense and begins on a boundary of 128 bytes.",
     parse_boolean<&RuntimeSettings::zero_copy>, print_boolean<&RuntimeSettings::zero_copy>,
     Shown::verbose},
    {"XYLEM_NEAR_COPIES", word, "measured",
     "Copies of codelets' data on the memory nodes of the processors that use it: off, measured "
     "(where `xylem topo --costs` has measured what access costs), or on (by the machine's "
     "distances, too).",
     parse_choice<&RuntimeSettings::near_copies, near_copies_choices>,
     print_choice<&RuntimeSettings::near_copies, near_copies_choices>, Shown::verbose},
    {"XYLEM_SPREAD_THRESHOLD", integer, "100",
     "Percent of an even share from which on `spread` opens a team: less balances, more keeps "
     "teams together.",
     parse_integer<&RuntimeSettings::spread_threshold, 1>,
     print_integer<&RuntimeSettings::spread_threshold>, Shown::verbose},
    {"XYLEM_GANG_LEVEL", word, "machine",
     "On which levels of the machine `gang` gives turns, each its own: machine (one gang has all), "
     "package, group, node, l4, l3, l2, l1, cache (the largest), core or pu.",
     parse_choice<&RuntimeSettings::gang_level, gang_levels>,
     print_choice<&RuntimeSettings::gang_level, gang_levels>, Shown::verbose},
    {"XYLEM_HINTS", word, "cheapest",
     "What may move when the program tells which memory its threads use: off, pages, threads, "
     "mixed "
     "(threads, then pages left behind), or cheapest (whichever costs least).",
     parse_choice<&RuntimeSettings::hints, hint_choices>,
     print_choice<&RuntimeSettings::hints, hint_choices>, Shown::verbose},
    {"XYLEM_ENGINES", word, "off",
     "What may move where the program tells nothing, by what its iterations were counted to "
     "access: off, pages, threads, loops (whose iterations have owners: as by "
     "XYLEM_SCHEDULE=affinity XYLEM_SCHEDULE_DYNAMIC=true where XYLEM_SCHEDULE is not set), auto "
     "(whichever costs least), or count: nothing, but the policy memory goes by what was counted.",
     parse_choice<&RuntimeSettings::engines, engine_choices>,
     print_choice<&RuntimeSettings::engines, engine_choices>, Shown::verbose},
    {"XYLEM_SOURCE", word, "auto",
     "Who tells the engines which memory threads access: instrument (libxylem-instrument.so, for "
     "programs compiled for it), pmu (the processor samples accesses), fault (pages that are taken "
     "away for a moment; the program starts by xylem run), idle (the kernel tells which pages are "
     "accessed or written, not by whom), or auto (the first of the others that there is).",
     parse_choice<&RuntimeSettings::source, source_choices>,
     print_choice<&RuntimeSettings::source, source_choices>, Shown::verbose},
    {"XYLEM_PMU_RATE", integer, "1000",
     "Accesses a second that the source pmu samples of each thread at most.",
     parse_integer<&RuntimeSettings::pmu_rate, 1>, print_integer<&RuntimeSettings::pmu_rate>,
     Shown::verbose},
    {"XYLEM_PMU_EVENT", text, "",
     "The event that the source pmu samples, as perf_event_open takes it: TYPE:CONFIG or "
     "TYPE:CONFIG:CONFIG1; each event is a sample. Unset: what Linux describes of the processor.",
     parse_text<&RuntimeSettings::pmu_event>, print_text<&RuntimeSettings::pmu_event>,
     Shown::verbose},
    {"XYLEM_MISSES", text, "auto",
     "Whether cache misses of bubbles are counted, for policies from shared objects, "
     "xylem_bubble_query() and xylem top: on, off, auto (if the policy has hooks), or, as "
     "perf_event_open takes it, the event TYPE:CONFIG that is counted in their place.",
     parse_text<&RuntimeSettings::misses>, print_text<&RuntimeSettings::misses>, Shown::verbose},
    {"XYLEM_SCHEDULE", word, "off",
     "Whether loops with schedule(runtime) or schedule(auto) have the same iterations on the same "
     "threads each time, shorter ones too: affinity[:block|cyclic|auto][,chunk][,begin|end], or "
     "off. block: neighbouring iterations, cyclic: chunks in turn, auto: what times both say; "
     "begin, end (the default): where shorter loops are alike in programs built by Clang.",
     parse_loop_affinity, print_loop_affinity, Shown::verbose},
    {"XYLEM_SCHEDULE_STATIC", boolean, "false",
     "XYLEM_SCHEDULE, as blocks, also for schedule(static) without a chunk in programs built by "
     "Clang. Loops of equal length may then be divided differently.",
     parse_boolean<&RuntimeSettings::static_loops>, print_boolean<&RuntimeSettings::static_loops>,
     Shown::verbose},
    {"XYLEM_SCHEDULE_DYNAMIC", boolean, "false",
     "XYLEM_SCHEDULE also for loops with schedule(dynamic): threads begin with their own "
     "iterations, and then take those of others, near ones first. Chunks do not ascend then.",
     parse_boolean<&RuntimeSettings::dynamic_loops>, print_boolean<&RuntimeSettings::dynamic_loops>,
     Shown::verbose},
    {"XYLEM_REPEAT_DYNAMIC", boolean, "false",
     "Whether loops with schedule(dynamic) or schedule(guided) give each thread in later runs the "
     "iterations that it had in the first one, so that these find their data where they left it.",
     parse_boolean<&RuntimeSettings::repeat_dynamic>,
     print_boolean<&RuntimeSettings::repeat_dynamic>, Shown::verbose},
    {"XYLEM_TOUCHES", text, "",
     "File that has, when the process ends, which threads the source fault or pmu saw at which "
     "pages, for xylem pages report; of idle the pages, as thread 0's.",
     parse_text<&RuntimeSettings::touches_file>, print_text<&RuntimeSettings::touches_file>,
     Shown::verbose},
    {"XYLEM_RECORD_PLAN", text, "",
     "File for where pages of the program's arrays are best, for `xylem run --apply`. Set by "
     "`xylem "
     "run --record`.",
     parse_text<&RuntimeSettings::record_plan>, nullptr, Shown::never, false, true},
    {"XYLEM_APPLY_PLAN", text, "", "A checked plan, as `xylem run --apply` hands it over.",
     parse_text<&RuntimeSettings::apply_plan>, nullptr, Shown::never, false, true},
    {"XYLEM_FAULT_RATE", integer, "1000",
     "Pages a second that the source fault takes away at most.",
     parse_integer<&RuntimeSettings::fault_rate, 1>, print_integer<&RuntimeSettings::fault_rate>,
     Shown::verbose},
    {"XYLEM_FAULT_COST", integer, "1",
     "Percent of the time that the source fault or idle takes at most: 1 to 100.",
     parse_integer<&RuntimeSettings::fault_cost, 1, 100>,
     print_integer<&RuntimeSettings::fault_cost>, Shown::verbose},
    {"XYLEM_MEMORY_POLICY", word, "default",
     "Where memory of xylem_malloc and the like goes that asks for no placement: default (as the "
     "process's memory does), node:N, least-loaded, first-touch or interleaved.",
     parse_memory_policy, print_memory_policy, Shown::verbose},
    {"XYLEM_TLS", word, "auto",
     "How thread-local data of OpenMP threads is kept apart, at least: 1 (errno only), 2 (and C++ "
     "exceptions), 3 (all); a program that needs more gets it. thread: a kernel thread each. auto: "
     "by what the program imports.",
     parse_tls, print_tls, Shown::verbose},
    {"XYLEM_INTERPOSE", boolean, "true",
     "Where libxylem-wait.so is preloaded, as `xylem run` does: calls that block a thread "
     "(mutexes, "
     "conditions, barriers, semaphores, sleeps, sched_yield) let another OpenMP thread run.",
     parse_boolean<&RuntimeSettings::interpose>, print_boolean<&RuntimeSettings::interpose>,
     Shown::verbose},
    {"XYLEM_SHARE", boolean, "true",
     "Programs of one user on one machine tell each other how many processors they need, in "
     "$XDG_RUNTIME_DIR/xylem or /tmp/xylem-USER, and each keeps to its part of them.",
     parse_boolean<&RuntimeSettings::share>, print_boolean<&RuntimeSettings::share>,
     Shown::verbose},
    {"XYLEM_SHARE_STRANGERS", boolean, "true",
     "Where programs that do not divide the processors, as those on other runtimes, take them from "
     "this one's workers, fewer of these run, if more is computed so.",
     parse_boolean<&RuntimeSettings::share_strangers>,
     print_boolean<&RuntimeSettings::share_strangers>, Shown::verbose},
    {"XYLEM_CHECK", integer, "0", "1: check the runtime's own structures while running (slow).",
     [](const char* text, Values& values) -> const char* {
       int value = 0;
       const char* error = read_integer(text, 0, 1, value);
       if (error == nullptr) values.runtime.check = value == 1;
       return error;
     },
     print_integer<&RuntimeSettings::check>, Shown::verbose},
    {"XYLEM_WATCHDOG", integer, "0",
     "Seconds without progress after which the runtime says what every thread waits for, and "
     "aborts; 0: off. Progress in a region is that a thread begins, ends or switches, or that "
     "threads use processor time (who computes or spins is not seen as hung).",
     parse_integer<&RuntimeSettings::watchdog_seconds, 0>,
     print_integer<&RuntimeSettings::watchdog_seconds>, Shown::verbose},
    {"XYLEM_DUMP_AFTER", integer, "0",
     "Seconds after the first region at which the runtime says what every thread does, and aborts, "
     "whatever the program is doing; 0: off.",
     parse_integer<&RuntimeSettings::dump_after_seconds, 0>,
     print_integer<&RuntimeSettings::dump_after_seconds>, Shown::verbose},
    {"XYLEM_TIME_SLICE", integer, "10",
     "Milliseconds, or microseconds where us follows, that a thread may keep a processor others "
     "wait for before they get help (at least 1 ms), and of a turn under policies that give turns.",
     parse_time_slice, print_time_slice, Shown::verbose},
    {"XYLEM_PREEMPT", boolean, "true",
     "Under policies that give turns: stop threads whose turn is over and that come by no "
     "scheduling point, by SIGURG, until they have it again; false: they go on beside the others.",
     parse_boolean<&RuntimeSettings::preempt>, print_boolean<&RuntimeSettings::preempt>,
     Shown::verbose},
    {"XYLEM_STEAL_PATIENCE", integer, "50",
     "Microseconds for which an idle processor leaves work on another memory node to those there; "
     "0: it takes it at once, -1: it takes nothing from any other processor.",
     parse_integer<&RuntimeSettings::steal_patience_us, -1>,
     print_integer<&RuntimeSettings::steal_patience_us>, Shown::verbose},
    {"XYLEM_SHORT_REGION", integer, "20",
     "Microseconds up to which a region may count as short: where its maker runs all its threads "
     "sooner than others would, they stay with it; 0: all are shared.",
     parse_integer<&RuntimeSettings::short_region_us, 0>,
     print_integer<&RuntimeSettings::short_region_us>, Shown::verbose},
    {"XYLEM_NONMONOTONIC", boolean, "false",
     "A thread gets the chunks of schedule(dynamic) in any order unless `monotonic` is written, "
     "not in the order of the iterations: less traffic between processors.",
     parse_boolean<&RuntimeSettings::nonmonotonic>, print_boolean<&RuntimeSettings::nonmonotonic>,
     Shown::verbose},
    {"XYLEM_VERBOSE", boolean, "false",
     "Say on standard error which of the program's libraries call Xylem, after the first region "
     "and when others have come; for which of them OpenMP threads are kernel threads; and what "
     "XYLEM_ENGINES moves, and why.",
     parse_boolean<&RuntimeSettings::verbose>, print_boolean<&RuntimeSettings::verbose>,
     Shown::verbose},
    {"XYLEM_TRACE", text, "",
     "A file to write a trace to, for `xylem trace`; %p in its name becomes the process's number.",
     parse_text<&RuntimeSettings::trace>, print_text<&RuntimeSettings::trace>, Shown::verbose},
    {"XYLEM_KEEP_MACHINE", boolean, "true",
     "What was read of the machine is kept until the next boot in $XDG_CACHE_HOME/xylem or "
     "~/.cache/xylem, so that programs start sooner.",
     parse_boolean<&RuntimeSettings::keep_machine>, print_boolean<&RuntimeSettings::keep_machine>,
     Shown::verbose},
    {"XYLEM_COSTS_FILE", text, "",
     "The file that keeps what access to memory costs here (`xylem topo --costs`); by default one "
     "for each machine in $XDG_CACHE_HOME/xylem or ~/.cache/xylem, and none for a machine that "
     "XYLEM_MACHINE describes.",
     parse_text<&RuntimeSettings::costs_file>, print_text<&RuntimeSettings::costs_file>,
     Shown::verbose},
    {"XYLEM_FAIL_CALL", text, "",
     "In builds with checks: the n-th call for memory, a policy or a move fails; n+: all from it "
     "on.",
     parse_fail_call, nullptr, Shown::never, false, true},
    {"XYLEM_SPIN", integer, "by OMP_WAIT_POLICY",
     "Turns of about 10 ns that an idle worker spins before it sleeps, up to 10 ms.", parse_spin,
     print_spin, Shown::verbose},
};

}  // namespace

std::span<const Setting> settings_table() { return table; }

const char* type_name(SettingType type) {
  static constexpr const char* names[] = {"boolean",   "integer",  "integer list", "size", "word",
                                          "word list", "schedule", "places",       "text"};
  return names[static_cast<int>(type)];
}

}  // namespace xylem::omp
