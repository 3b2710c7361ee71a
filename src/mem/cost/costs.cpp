// Owns: the costs in force: estimated, kept or measured. See costs.hpp.
//
// Costs are made at most three times and never freed, so that references stay
// good. One thread at a time measures, whoever came first; those that come
// meanwhile sleep until it is done.
#include "mem/cost/costs.hpp"

#include <atomic>

#include "mem/cost/costs_estimate.hpp"
#include "mem/cost/costs_file.hpp"
#include "mem/cost/costs_measure.hpp"
#include "os/futex.hpp"

namespace xylem::mem {

namespace {

enum Stage : uint32_t { untried, measuring, settled };

// Written by start_costs before anybody else is here.
constinit const topo::Machine* the_machine = nullptr;
constinit const char* the_file = "";
constinit const char* the_folder = "";

// What known_costs() tells; null: nobody has asked. Written by the first who
// asks and by the one who measures, read by all.
constinit std::atomic<const Costs*> in_force{nullptr};
// `settled`: in_force is what costs() tells. Written by the one who measures,
// and in a child of fork(), which is alone.
constinit std::atomic<uint32_t> stage{untried};

os::PathBuffer path_here() { return costs_path(the_file, the_folder, costs_key(*the_machine)); }

// What is kept, else an estimate. A synthetic machine has a file only if the user names one.
const Costs* make_known() {
  auto* made = new Costs;
  if (!the_machine->synthetic() || *the_file != '\0') {
    const os::PathBuffer path = path_here();
    const bool kept = path.size() > 0 && read_costs(path.c_str(), costs_key(*the_machine), *made);
    if (kept && made->nodes == the_machine->node_count()) return made;
  }
  *made = estimated_costs(*the_machine);
  return made;
}

// Only the one who set `stage` to measuring.
void measure_now() {
  auto* made = new Costs;
  if (measure_costs(*the_machine, {}, *made) == nullptr) {
    in_force.store(made,
                   std::memory_order_release);  // pairs with the acquires of those who read
    const os::PathBuffer path = path_here();
    if (path.size() > 0) write_costs(path.c_str(), costs_key(*the_machine), *made);
  } else {
    delete made;  // the estimate is all there is
  }
}

bool cannot_be_better(const Costs& costs) { return costs.measured || the_machine->synthetic(); }

}  // namespace

void start_costs(const topo::Machine& machine, const char* file, const char* cache_folder) {
  the_machine = &machine;
  the_file = file;
  the_folder = cache_folder;
}

const Costs& known_costs() {
  const Costs* known = in_force.load(std::memory_order_acquire);  // pairs with who stored it
  if (known) return *known;
  const Costs* made = make_known();
  // Release pairs with the acquires of those who read; acquire with whoever was
  // first.
  if (in_force.compare_exchange_strong(known, made, std::memory_order_acq_rel)) return *made;
  delete made;
  return *known;
}

const Costs& costs() {
  while (stage.load(std::memory_order_acquire) != settled) {  // pairs with the release below
    if (cannot_be_better(known_costs())) break;
    uint32_t expected = untried;
    // Acquire: whoever measured before is done. Nothing is published by it.
    if (stage.compare_exchange_strong(expected, measuring, std::memory_order_acquire)) {
      measure_now();
      stage.store(settled,
                  std::memory_order_release);  // pairs with the acquire above
      os::futex_wake(&stage, __INT_MAX__);
    } else if (expected == measuring) {
      os::futex_wait(&stage, measuring);
    }
  }
  return known_costs();
}

void forget_measuring_in_child() {
  uint32_t expected = measuring;
  stage.compare_exchange_strong(expected, untried,
                                std::memory_order_relaxed);  // nobody else
}

}  // namespace xylem::mem
