// Owns: start of the runtime. See runtime.hpp.
#include "omp/team/runtime.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "base/report.hpp"
#include "mem/cost/costs.hpp"
#include "mem/map/memory.hpp"
#include "omp/env/policy_choice.hpp"
#include "omp/env/settings.hpp"
#include "omp/env/settings_folders.hpp"
#include "omp/loops/affinity.hpp"
#include "omp/loops/repeated.hpp"
#include "omp/team/binding.hpp"
#include "omp/team/counted_misses.hpp"
#include "omp/team/engines.hpp"
#include "omp/team/found_data.hpp"
#include "omp/team/machine_choice.hpp"
#include "omp/team/program_settings.hpp"
#include "omp/team/query.hpp"
#include "omp/team/served.hpp"
#include "omp/team/spin_time.hpp"
#include "omp/team/tracing.hpp"
#include "omp/tool/records.hpp"
#include "os/cgroup.hpp"
#include "os/clock.hpp"
#include "os/failures.hpp"
#include "os/openmp_users.hpp"
#include "os/thread.hpp"
#include "os/ticks.hpp"
#include "sched/sched.hpp"
#include "trace/recorder.hpp"

namespace xylem::omp {

namespace {

constinit base::SpinLock start_lock{start_rank};
// tool_starts: all but the tool has started, which is starting on one thread without the lock, as
// it asks the runtime. Written by who starts (release), read by all (acquire).
enum class Stage : uint8_t { not_started, tool_starts, started };
constinit std::atomic<Stage> stage{Stage::not_started};
constinit int starter = 0;  // that thread's number, by start_lock
// Written before `stage` is.
constinit const topo::Machine* the_machine = nullptr;
constinit bool machine_is_narrowed = false;  // by KMP_HW_SUBSET
constinit const char* the_runtime_folder = "";
constinit bool processors_are_shared = false;  // fewer real ones than workers, or a quota

std::optional<sched::TlsTier> least_tier(TlsChoice choice) {
  switch (choice) {
    case TlsChoice::tier1:
      return sched::TlsTier::errno_only;
    case TlsChoice::tier2:
      return sched::TlsTier::cxx_library;
    case TlsChoice::tier3:
      return sched::TlsTier::own_blocks;
    case TlsChoice::automatic:
    case TlsChoice::thread:
      break;
  }
  return std::nullopt;
}

struct GangLevel {
  topo::LevelKind kind;
  int cache_depth = 0;
};

// In the order of the setting's words.
constexpr GangLevel gang_levels[] = {
    {topo::LevelKind::machine},  {topo::LevelKind::package},  {topo::LevelKind::group},
    {topo::LevelKind::node},     {topo::LevelKind::cache, 4}, {topo::LevelKind::cache, 3},
    {topo::LevelKind::cache, 2}, {topo::LevelKind::cache, 1}, {topo::LevelKind::cache},
    {topo::LevelKind::core},     {topo::LevelKind::pu}};

plan::Tuning tuning_of(const RuntimeSettings& mine) {
  const GangLevel& wanted = gang_levels[static_cast<size_t>(mine.gang_level)];
  const auto is_one = [&wanted](const topo::Level& level) {
    return level.stands_for(wanted.kind, wanted.cache_depth);
  };
  plan::Tuning tuning{.too_big_percent = mine.spread_threshold};
  const auto levels = machine().levels();
  if (is_one(levels.front())) return tuning;
  if (std::ranges::any_of(levels, is_one)) {
    tuning.gang_kind = wanted.kind;
    tuning.gang_cache_depth = wanted.cache_depth;
  } else {
    base::warn_once("XYLEM_GANG_LEVEL: the machine has no such level; gangs have all of it");
  }
  return tuning;
}

sched::Settings scheduler_settings() {
  const RuntimeSettings& mine = read_runtime_settings();
  sched::Settings settings;
  settings.pool.stack_bytes = thread_stack_bytes();
  settings.pool.spin_ns = idle_spin_ns(globals_as_changed());
  settings.pool.crowded_spin_ns = crowded_spin_ns(globals_as_changed());
  settings.pool.time_slice_ns = mine.time_slice_us * 1'000;
  settings.pool.stops_late_threads = mine.preempt;
  settings.pool.least_tier = least_tier(mine.tls);
  settings.pool.a_thread_each = mine.tls == TlsChoice::thread;
  settings.pool.stays_in_machine = machine_is_narrowed;
  settings.pool.own_data_each = tool::on();
  if (binds_to_places()) settings.pool.place_of_pu = place_of_pu;
  settings.times = {.slice_ns = mine.time_slice_us * 1'000,
                    .patience_ns = int64_t{mine.steal_patience_us} * 1'000};
  settings.tuning = tuning_of(mine);
  settings.machine_text = mine.machine;
  settings.short_region_ns = int64_t{mine.short_region_us} * 1'000;
  settings.shares = mine.share;
  settings.shares_with_strangers = mine.share_strangers;
  settings.runtime_folder = the_runtime_folder;
  settings.watchdog_seconds = mine.watchdog_seconds;
  settings.dump_after_seconds = mine.dump_after_seconds;
  return settings;
}

// The program's first thread keeps to the part of the machine that the user chose.
void bind_to_machine() {
  std::vector<int> os_indices;
  os_indices_of_machine(os_indices);
  os::bind_to_cpus(os_indices.data(), static_cast<int>(os_indices.size()));
}

void end_initial_thread(void* raw) {
  auto* initial = static_cast<InitialThread*>(raw);
  initial->team.tasks.close();
  delete initial;
}

void set_memory_policy(const RuntimeSettings& mine) {
  const mem::Placement placement = mine.memory_placement;
  const bool no_node = placement == mem::Placement::node && mine.memory_node >= mem::node_count();
  if (no_node)
    base::warn(
        "XYLEM_MEMORY_POLICY: there is no node %d, the last one is %d; memory is placed as "
        "the process's is",
        mine.memory_node, mem::node_count() - 1);
  else
    mem::set_default_placement(placement, mine.memory_node);
}

// LLVM's runtime reads the environment at its first call, which may follow setenv() in main().
void settle_door() {
  if (!os::only_llvm_is_needed()) return;
  set_process_door(Door::llvm);
  capture_environment();
}

void start_once() {
  settle_door();
  const RuntimeSettings& mine = read_runtime_settings();
  os::inject_failure(mine.fail_call, mine.fail_all_after);
  os::begin_counting_ticks();
  const os::Allowance allowance = allowance_of_process();
  const ChosenMachine chosen = choose_machine(mine, allowance.cpus);
  the_machine = chosen.machine;
  machine_is_narrowed = chosen.narrowed;
  if (mine.share) the_runtime_folder = runtime_folder();
  mem::start(*the_machine);
  set_memory_policy(mine);
  mem::start_costs(*the_machine, mine.costs_file, cache_folder());
  const int pus = the_machine->pu_count();
  const double quota = allowance.cpu_quota;
  processors_are_shared = pus > allowance.cpus.count() || (quota > 0 && quota < pus);
  initialize_settings(*the_machine,
                      topo::usable_threads(pus, the_machine->synthetic() ? 0 : quota));
  name_ignored_settings();
  const policy::Policy& policy = policy_or_default(mine.policy);
  sched::Settings settings = scheduler_settings();
  settings.misses = misses_to_count(policy);
  sched::start(*the_machine, policy, settings,
               {.ended = end_initial_thread,
                .name = thread_name,
                .settings = scheduler_settings,
                .tell_of_users = tell_served});
  if (*mine.trace) trace::start(mine.trace, *the_machine);
  start_loop_affinity();
  start_repeated_loops();
  start_engines();
}

}  // namespace

// Taken here, released in another function, so not for the analysis.
void lock_start() XYLEM_NO_THREAD_ANALYSIS { start_lock.lock(); }
// The child of a fork has no tool, and none that starts.
void unlock_start(bool in_child) XYLEM_NO_THREAD_ANALYSIS {
  if (in_child) {
    tool::stop_listening();
    // relaxed: the child has one thread
    if (stage.load(std::memory_order_relaxed) == Stage::tool_starts)
      stage.store(Stage::started, std::memory_order_relaxed);
  }
  start_lock.unlock();
}

void offer_waits() {
  if (read_runtime_settings().interpose) sched::offer_waits();
}

namespace {

// True if the caller has started all but the tool, and is to start that.
bool start_all_but_tool() {
  base::Locked locked(start_lock);
  if (stage.load(std::memory_order_relaxed) != Stage::not_started) return false;  // by this lock
  start_once();
  starter = os::thread_id();
  stage.store(tool::expected_start() ? Stage::tool_starts : Stage::started,
              std::memory_order_release);
  return tool::expected_start() != nullptr;
}

// Others wait for a tool that starts; what it does itself goes on.
void wait_for_tool() {
  while (stage.load(std::memory_order_acquire) != Stage::started && starter != os::thread_id())
    os::yield_to_kernel();
}

}  // namespace

void start_runtime() {
  if (stage.load(std::memory_order_acquire) == Stage::started) [[likely]]
    return;
  if (!start_all_but_tool()) return wait_for_tool();
  tool::expected_start()();
  stage.store(Stage::started, std::memory_order_release);
}

int64_t idle_spin_ns(const GlobalIcvs& global) {
  return spin_time_ns(global, read_runtime_settings().spin, processors_are_shared);
}

int64_t crowded_spin_ns(const GlobalIcvs& global) {
  return spin_time_ns(global, read_runtime_settings().spin, true);
}

const topo::Machine& machine() { return *the_machine; }

InitialThread& make_initial_thread(sched::Thread& thread) {
  start_runtime();
  auto* initial = new InitialThread;
  sched::make_contention_group(thread, initial);
  initial->team.works.open(1, thread.pu);
  initial->member.team = &initial->team;
  initial->member.thread = &thread;
  initial->member.implicit.icvs.own() = initial_icvs();
  initial->member.task = &initial->member.implicit;
  initial->team.first_step = &initial->team.works.anchor();
  initial->member.work.start(*initial->team.first_step);
  initial->team.child_icvs = *initial->member.implicit.icvs;
  thread.user = &initial->member;
  watch(initial->member);
  seek_data(initial->member);
  if (os::is_first_thread()) {
    if (machine_is_narrowed) bind_to_machine();
    if (process_door() == Door::gnu) bind_initial_thread(initial->member);
  } else
    initial->team.first_number = sched::take_numbers(thread, 1);
  // Also where no tool came: the call that the runtime started in goes on as one that is told.
  if (tool::expected_start()) [[unlikely]]
    tool::begin_initial_task(initial->member);
  return *initial;
}

InitialThread& initial_thread_of(Member& member) {
  return *static_cast<InitialThread*>(sched::group_user(*member.thread));
}

}  // namespace xylem::omp
