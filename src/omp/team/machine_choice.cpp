// Owns: the choice of machine_choice.hpp.
#include "omp/team/machine_choice.hpp"

#include <algorithm>
#include <memory>

#include "base/report.hpp"
#include "omp/env/kmp_affinity.hpp"
#include "omp/env/settings_folders.hpp"
#include "os/openmp_users.hpp"
#include "os/starting_affinity.hpp"

namespace xylem::omp {

namespace {

using OwnMachine = std::unique_ptr<topo::Machine>;

// The machine that the user drew, else this one.
base::Result<topo::Machine*> load_machine(const RuntimeSettings& mine, const os::CpuSet& allowed) {
  if (*mine.machine) {
    const auto drawn = topo::load_machine(mine.machine, true);
    if (drawn.ok()) return drawn;
    base::warn_once("XYLEM_MACHINE: %s; the real machine is used", drawn.error().message);
  }
  return topo::load_this_machine(allowed, mine.keep_machine ? cache_folder() : "");
}

OwnMachine load_machine_or_flat(const RuntimeSettings& mine, const os::CpuSet& allowed) {
  auto loaded = load_machine(mine, allowed);
  if (!loaded.ok()) {
    base::warn_once("hwloc cannot read this machine (%s): a flat one is assumed",
                    loaded.error().message);
    loaded = topo::load_machine("pu:1", true);
  }
  if (!loaded.ok()) base::fatal("no machine: %s", loaded.error().message);
  return OwnMachine(loaded.value());
}

const char* wanted_subset() {
  const char* text = environment_lookup("KMP_HW_SUBSET");
  return text != nullptr ? text : environment_lookup("KMP_PLACE_THREADS");
}

// The processors of the part that the text names; none, after a warning, if it cannot be had.
os::CpuSet subset_of(const topo::Machine& machine, const char* text) {
  os::CpuSet cpus;
  if (machine.synthetic()) {
    base::warn("KMP_HW_SUBSET='%.100s': a drawn machine is used whole", text);
    return cpus;
  }
  const auto pus = parse_hw_subset(text, machine);
  if (!pus.ok()) {
    base::warn("KMP_HW_SUBSET='%.100s': %s; using the whole machine", text, pus.error().message);
    return cpus;
  }
  for (const int pu : pus.value()) cpus.add(machine.pu_os_index(pu));
  return cpus;
}

bool user_wants_binding() {
  constexpr const char* variables[] = {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"};
  return std::ranges::any_of(variables, environment_lookup);
}

}  // namespace

os::Allowance allowance_of_process() {
  os::Allowance allowance = os::read_allowance();
  os::CpuSet before;
  if (user_wants_binding() && os::other_libgomp_is_loaded() && os::starting_affinity(before))
    allowance.cpus = before;
  return allowance;
}

ChosenMachine choose_machine(const RuntimeSettings& mine, const os::CpuSet& allowed) {
  OwnMachine whole = load_machine_or_flat(mine, allowed);
  const char* text = wanted_subset();
  if (text == nullptr) return {whole.release(), false};
  const os::CpuSet part = subset_of(*whole, text);
  if (part.empty() || part.count() == whole->pu_count()) return {whole.release(), false};
  return {load_machine_or_flat(mine, part).release(), true};
}

}  // namespace xylem::omp
