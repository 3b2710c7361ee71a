// Owns: which processors workers may run on (a part of Pool).
//
// What a kernel thread makes inherits its mask: pthreads, children, what a library starts lazily.
// So a worker is bound no tighter than it must be: to its place where the user binds threads to
// places, else to its memory node's part of what the process may use, and not at all where that is
// one node. Which PU a worker serves is then a name for its queue, not a processor.
#include <algorithm>

#include "os/thread.hpp"
#include "sched/queue/fiber.hpp"
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
bool may_run_everywhere(const topo::Machine& machine) {
  const os::AffinityMask mine = os::affinity();
  const auto pus = machine.pus();
  return std::all_of(pus.begin(), pus.end(),
                     [&mine](const topo::Pu& pu) { return mine.has(pu.os_index); });
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
  if (confines_workers() || settings_.stays_in_machine || !may_run_everywhere(machine_))
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

}  // namespace xylem::sched
