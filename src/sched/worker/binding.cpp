// Owns: which processors workers may run on (a part of Pool).
//
// What a kernel thread makes inherits its mask: pthreads, children, what a library starts lazily.
// So a worker is bound no tighter than it must be: to its place where the user binds threads to
// places, else to its memory node's part of what the process may use, and not at all where that is
// one node. Which PU a worker serves is then a name for its queue, not a processor. An external
// thread that serves PU 0 is bound to that PU's node for as long as a region needs it, at most.
#include <algorithm>

#include "os/running.hpp"
#include "os/thread.hpp"
#include "os/ticks.hpp"
#include "sched/queue/fiber.hpp"
#include "sched/worker/external_thread.hpp"
#include "sched/worker/pool.hpp"

namespace xylem::sched {

namespace {

// Refused: the kernel places the thread, which is still right.
void bind_to(const std::vector<int>& cpus) {
  os::bind_to_cpus(cpus.data(), static_cast<int>(cpus.size()));
}

bool may_run_on_all(const std::vector<int>& cpus) {
  const os::AffinityMask mine = os::affinity();
  return std::all_of(cpus.begin(), cpus.end(), [&mine](int cpu) { return mine.has(cpu); });
}

// The same of all the machine's, without memory: a thread's first malloc takes 64 MiB of address
// space.
bool has_all(const os::AffinityMask& mask, const topo::Machine& machine) {
  const auto pus = machine.pus();
  return std::all_of(pus.begin(), pus.end(),
                     [&mask](const topo::Pu& pu) { return mask.has(pu.os_index); });
}

std::vector<int> cpus_of_process(const topo::Machine& machine) {
  std::vector<int> cpus;
  for (const topo::Pu& pu : machine.pus()) cpus.push_back(pu.os_index);
  return cpus;
}

}  // namespace

std::vector<int> Pool::cpus_for(int pu) const {
  std::vector<int> cpus;
  if (settings_.place_of_pu) cpus = settings_.place_of_pu(pu);
  if (!cpus.empty()) return cpus;
  for (const topo::Pu& each : machine_.pus())
    if (each.node == machine_.pu_node(pu)) cpus.push_back(each.os_index);
  return cpus;
}

// False where all workers may run on all that the process may use.
bool Pool::confines_workers() const {
  const auto pus = machine_.pus();
  return settings_.place_of_pu || std::any_of(pus.begin(), pus.end(), [pus](const topo::Pu& pu) {
           return pu.node != pus.front().node;
         });
}

// A kernel thread inherits the mask of whoever happened to make it, which may be narrower.
void Pool::bind_to_pu(int pu, int& bound) {
  const int wanted = settings_.place_of_pu ? pu : machine_.pu_node(pu);
  if (machine_.synthetic() || bound == wanted) return;
  bound = wanted;
  if (confines_workers() || settings_.stays_in_machine || !has_all(os::affinity(), machine_))
    bind_to(cpus_for(pu));
}

// One that the program has bound otherwise stays so, and so does one in a place.
void Pool::unbind_child() const {
  const Fiber* fiber = current_fiber();
  if (machine_.synthetic() || settings_.place_of_pu || !confines_workers() || !fiber) return;
  const std::vector<int> cpus = cpus_for(fiber->worker->pu);
  if (os::affinity().count() == static_cast<int>(cpus.size()) && may_run_on_all(cpus))
    bind_to(cpus_of_process(machine_));
}

// --- external threads ----------------------------------------------------------------------------
//
// Between regions an external thread's kernel thread may run anywhere, and so may all that it makes
// then. While the thread holds PU 0's slot it is that PU's worker: what it touches belongs on that
// PU's node, and on any other node one thread too many would run.

os::AffinityMask Pool::home_cpus() const {
  if (machine_.synthetic() || settings_.place_of_pu || !confines_workers()) return {};
  return os::mask_of(cpus_for(0));
}

// Members on kernel threads may see the mask change.
void Pool::bring_to_node(ExternalThread& external) const {
  const uint64_t began = os::read_ticks_early();
  if (began < external.home_until || !external.has_slot || a_thread_each_) return;
  if (!home_cpus_.has(os::running_on().cpu)) {
    keep_home(external);
    let_go(external);
  }
  const uint64_t ended = os::read_ticks_early();
  external.home_until = ended + 100 * (ended - began);
}

// One that the program has bound stays as it is.
void Pool::keep_home(ExternalThread& external) const {
  const bool is_kept = external.affinity_before.bytes > 0;
  if (home_cpus_.bytes == 0 || !external.has_slot || is_kept) return;
  const os::AffinityMask before = os::affinity();
  if (!has_all(before, machine_)) return;
  external.affinity_before = before;
  os::set_affinity(home_cpus_);
}

void Pool::let_go(ExternalThread& external) {
  if (external.affinity_before.bytes == 0) return;
  os::set_affinity(external.affinity_before);
  external.affinity_before.bytes = 0;
}

}  // namespace xylem::sched
