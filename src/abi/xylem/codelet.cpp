// Owns: the entry points of codelets, include/xylem/codelet.h.
#include "xylem/codelet.h"

#include <algorithm>
#include <cerrno>
#include <new>

#include "base/export.hpp"
#include "hetero/driver/links_file.hpp"
#include "hetero/model/models_file.hpp"
#include "hetero/run/codelets.hpp"
#include "hetero/run/crew.hpp"
#include "hetero/run/executors.hpp"
#include "hetero/run/measured.hpp"
#include "hetero/tasks/acquire.hpp"
#include "mem/cost/costs_file.hpp"
#include "omp/env/settings.hpp"
#include "omp/env/settings_folders.hpp"
#include "omp/team/query.hpp"
#include "omp/team/runtime.hpp"
#include "omp/team/team.hpp"
#include "sched/sched.hpp"

namespace {

namespace hetero = xylem::hetero;
using hetero::Handle;
using hetero::Kind;
using hetero::Layout;
using hetero::Location;
using hetero::Shape;
using hetero::Task;

constinit xylem::base::SpinLock codelets_lock{{9, "codelets_lock"}};
enum Phase : uint32_t { unused, starting, started };
// Left `unused` under the lock. Release, by who starts: pairs with the acquires in start().
constinit std::atomic<uint32_t> phase{unused};
constinit const hetero::PolicyKind* policy = nullptr;  // by the same lock

// --- the crew's team -----------------------------------------------------------------------------

struct TeamBody {
  void (*body)(int member, int members);
  int member;
  int members;
};

void call_body(void* raw) {
  const auto& call = *static_cast<const TeamBody*>(raw);
  call.body(call.member, call.members);
}

// In a team of one: what a codelet's function does with OpenMP is its own affair.
void be_team_member(void* raw) {
  const xylem::omp::Member& self = xylem::omp::current_member();
  TeamBody call{static_cast<const TeamBody*>(raw)->body, self.num, self.team->n};
  xylem::omp::parallel({.function = call_body, .data = &call, .wanted = 1});
}

void run_team(int members, void (*body)(int member, int members)) {
  TeamBody call{body, 0, members};
  xylem::omp::parallel(
      {.function = be_team_member, .data = &call, .wanted = static_cast<unsigned>(members)});
}

void let_regions_have(int threads, xylem::omp::Icvs& settings) {
  const int levels = xylem::omp::active_level() + 1;
  settings.nthreads_var = threads;
  settings.max_active_levels_var = std::max(settings.max_active_levels_var, levels);
}

// In an implicit task of its own (be_team_member), which has its team's settings before and after.
int call(const xylem_codelet& codelet, int threads, const xylem_view* views, void* argument) {
  xylem::omp::TaskIcvs& settings = xylem::omp::current_task().icvs;
  const xylem::omp::Icvs& of_team = *settings;
  if (threads > 0) let_regions_have(threads, settings.own());
  const int error = codelet.cpu(views, argument);
  settings.inherit(of_team);
  return error;
}

// --- starting ------------------------------------------------------------------------------------

// The program's, else the user's.
const hetero::PolicyKind& chosen_policy() {
  if (policy) return *policy;
  return *hetero::find_policy(xylem::omp::read_runtime_settings().codelet_policy);
}

void start_models(const hetero::PolicyKind& chosen) {
  xylem::os::PathBuffer path;
  if (chosen.uses_models)
    path = hetero::models_path(xylem::omp::cache_folder(),
                               xylem::mem::costs_key(xylem::omp::machine()));
  hetero::start_models(path.c_str());
}

xylem::os::PathBuffer links_file() {
  return hetero::links_path(xylem::omp::cache_folder(),
                            xylem::mem::costs_key(xylem::omp::machine()));
}

// True: the caller is to start codelets. False: somebody else does, or has.
bool claim_start() {
  xylem::base::Locked locked(codelets_lock);
  if (phase.load(std::memory_order_relaxed) != unused) return false;  // relaxed: under the lock
  phase.store(starting, std::memory_order_relaxed);                   // likewise
  return true;
}

// Without the lock: drivers load libraries, and compile.
void start_all() {
  xylem::sched::the_pool();
  const xylem::omp::RuntimeSettings& settings = xylem::omp::read_runtime_settings();
  const xylem::topo::Machine& machine = xylem::omp::machine();
  hetero::make_executors(
      machine, machine.synthetic() ? settings.machine : "",
      {settings.cuda, settings.opencl, settings.zero_copy, settings.device_memory, links_file},
      settings.near_copies);
  const hetero::PolicyKind& chosen = chosen_policy();
  start_models(chosen);
  hetero::start_crew(chosen, {.run_team = run_team, .call = call});
}

void start() {
  if (phase.load(std::memory_order_acquire) == started) return;
  xylem::omp::start_runtime();
  if (!claim_start()) {
    while (phase.load(std::memory_order_acquire) != started)
      xylem::sched::wait_on(&phase, starting);
    return;
  }
  start_all();
  phase.store(started, std::memory_order_release);
  xylem::sched::wake_all(&phase);
}

// --- handles -------------------------------------------------------------------------------------

Handle& handle_of(xylem_data* data) { return *reinterpret_cast<Handle*>(data); }
xylem_data* data_of(Handle* handle) { return reinterpret_cast<xylem_data*>(handle); }

xylem_data* make(const Shape& shape, const Layout& layout) {
  start();
  if (layout.arrays[0].memory)
    return data_of(new (std::nothrow) Handle(hetero::memories(), shape, layout));
  return data_of(new (std::nothrow) Handle(hetero::memories(), shape));
}

Layout layout_at(void* at, size_t row_step, size_t plane_step) {
  Layout layout;
  layout.arrays[0] = Location{at, 0};
  layout.row_step = row_step;
  layout.plane_step = plane_step;
  return layout;
}

}  // namespace

extern "C" {

// --- registration --------------------------------------------------------------------------------

XYLEM_EXPORT xylem_data* xylem_data_variable(void* at, size_t bytes) {
  return make({Kind::variable, bytes, {1, 1, 1}, {}}, layout_at(at, 1, 1));
}

XYLEM_EXPORT xylem_data* xylem_data_vector(void* at, size_t count, size_t element_bytes) {
  return make({Kind::vector, element_bytes, {count, 1, 1}, {}}, layout_at(at, count, count));
}

XYLEM_EXPORT xylem_data* xylem_data_matrix(void* at, size_t x, size_t y, size_t row_step,
                                           size_t element_bytes) {
  return make({Kind::matrix, element_bytes, {x, y, 1}, {}}, layout_at(at, row_step, row_step * y));
}

XYLEM_EXPORT xylem_data* xylem_data_block(void* at, size_t x, size_t y, size_t z, size_t row_step,
                                          size_t plane_step, size_t element_bytes) {
  return make({Kind::block, element_bytes, {x, y, z}, {}}, layout_at(at, row_step, plane_step));
}

XYLEM_EXPORT xylem_data* xylem_data_csr(void* values, uint32_t* columns, uint32_t* row_starts,
                                        uint32_t rows, size_t element_bytes) {
  if (!values || !columns || !row_starts) return nullptr;
  Layout layout = layout_at(values, 0, 0);
  layout.arrays[1] = Location{columns, 0};
  layout.arrays[2] = Location{row_starts, 0};
  const uint32_t entries = row_starts[rows] - row_starts[0];
  return make({Kind::csr, element_bytes, {}, {entries, rows, row_starts[0]}}, layout);
}

XYLEM_EXPORT xylem_data* xylem_data_user(void* at, size_t bytes) {
  return make({Kind::user, bytes, {1, 1, 1}, {}}, layout_at(at, 1, 1));
}

XYLEM_EXPORT int xylem_data_unregister(xylem_data* data) {
  return hetero::unregister(&handle_of(data));
}

XYLEM_EXPORT int xylem_data_unregister_later(xylem_data* data) {
  return hetero::unregister_later(handle_of(data));
}

// --- access --------------------------------------------------------------------------------------

XYLEM_EXPORT int xylem_data_acquire(xylem_data* data, xylem_mode mode) {
  if (mode < xylem_read || mode > xylem_read_write) return EINVAL;
  return hetero::acquire(handle_of(data), mode);
}

XYLEM_EXPORT int xylem_data_release(xylem_data* data) {
  return hetero::release(handle_of(data)) ? 0 : EINVAL;
}

XYLEM_EXPORT int xylem_data_acquire_then(xylem_data* data, xylem_mode mode,
                                         void (*acquired)(void* argument, int error),
                                         void* argument) {
  if (mode < xylem_read || mode > xylem_read_write || !acquired) return EINVAL;
  // Bytes that come from a device take time, which an executor has.
  const bool at_once = hetero::device_count() == 0;
  return hetero::acquire_then(handle_of(data), mode, {acquired, argument}, at_once);
}

XYLEM_EXPORT int xylem_data_give_up(xylem_data* data) {
  return hetero::give_up(handle_of(data)) ? 0 : EINVAL;
}

XYLEM_EXPORT int xylem_data_view(xylem_data* data, xylem_view* view) {
  const hetero::Piece& piece = handle_of(data).piece;
  *view = hetero::view_of(piece.shape(), piece.layout(hetero::main_memory));
  return 0;
}

XYLEM_EXPORT int xylem_data_invalidate(xylem_data* data) {
  return hetero::invalidate(handle_of(data));
}

XYLEM_EXPORT int xylem_data_prefetch(xylem_data* data, int executor) {
  return hetero::prefetch(handle_of(data), executor);
}

XYLEM_EXPORT int xylem_data_set_reduction(xylem_data* data, void (*begin)(const xylem_view* copy),
                                          void (*combine)(const xylem_view* into,
                                                          const xylem_view* from)) {
  if (!begin || !combine) return EINVAL;
  hetero::Reduction& reduction = handle_of(data).reduction;
  reduction.begin = begin;
  reduction.combine = combine;
  reduction.copies.resize(static_cast<size_t>(hetero::crew_size()));
  return 0;
}

// --- parts ---------------------------------------------------------------------------------------

XYLEM_EXPORT int xylem_data_partition(xylem_data* data, int x, int y, int z) {
  return hetero::partition(handle_of(data), {.x = x, .y = y, .z = z});
}

XYLEM_EXPORT int xylem_data_partition_by(xylem_data* data, int parts,
                                         int (*cut)(const xylem_view* whole, int number,
                                                    xylem_view* part, void* argument),
                                         void* argument) {
  if (parts < 1 || !cut) return EINVAL;
  return hetero::partition_by(handle_of(data), parts, cut, argument);
}

XYLEM_EXPORT xylem_data* xylem_data_part(xylem_data* data, int number) {
  const auto& parts = handle_of(data).parts;
  if (number < 0 || static_cast<size_t>(number) >= parts.size()) return nullptr;
  return data_of(parts[static_cast<size_t>(number)]);
}

XYLEM_EXPORT int xylem_data_part_count(const xylem_data* data) {
  return static_cast<int>(handle_of(const_cast<xylem_data*>(data)).parts.size());
}

XYLEM_EXPORT int xylem_data_unpartition(xylem_data* data) {
  return hetero::unpartition(handle_of(data));
}

// --- tasks ---------------------------------------------------------------------------------------

XYLEM_EXPORT int xylem_submit(const xylem_codelet* codelet, const xylem_task_options* options,
                              xylem_task** task) {
  static constexpr xylem_task_options none{};
  if (!codelet) return EINVAL;
  start();
  return hetero::submit(*codelet, options ? *options : none, reinterpret_cast<Task**>(task));
}

XYLEM_EXPORT int xylem_task_wait(xylem_task* task) {
  Task& waited = *reinterpret_cast<Task*>(task);
  hetero::wait_for_end(waited);
  const int error = waited.error;
  hetero::let_go(waited);
  return error;
}

XYLEM_EXPORT void xylem_task_release(xylem_task* task) {
  hetero::let_go(*reinterpret_cast<Task*>(task));
}

XYLEM_EXPORT int xylem_wait_all() {
  hetero::wait_for_all();
  return hetero::take_first_error();
}

// --- processors ----------------------------------------------------------------------------------

XYLEM_EXPORT int xylem_codelet_policy(const char* name) {
  const hetero::PolicyKind* found = name ? hetero::find_policy(name) : nullptr;
  if (name && !found) return EINVAL;
  xylem::base::Locked locked(codelets_lock);
  if (phase.load(std::memory_order_relaxed) != unused) return EBUSY;  // relaxed: under the lock
  policy = found;
  return 0;
}

XYLEM_EXPORT int xylem_executor_count() {
  start();
  return hetero::executor_count();
}

XYLEM_EXPORT int xylem_device_count() {
  start();
  return hetero::device_count();
}

XYLEM_EXPORT const char* xylem_executor_name(int executor) {
  start();
  if (executor < 0 || executor >= hetero::executor_count()) return nullptr;
  return hetero::executor_name(executor);
}

XYLEM_EXPORT int xylem_current_executor() { return hetero::current_executor(); }
}
