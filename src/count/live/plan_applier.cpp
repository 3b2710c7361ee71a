// Owns: putting pages in place. See plan_applier.hpp.
#include "count/live/plan_applier.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <memory>
#include <span>

#include "base/report.hpp"
#include "count/live/homes.hpp"
#include "count/live/plan_recorder.hpp"
#include "count/source/program_arrays.hpp"
#include "mem/map/memory.hpp"
#include "mem/move/range_moves.hpp"
#include "os/memory.hpp"
#include "os/program_image.hpp"

namespace xylem::count {

namespace {

// More runs are no policies of ranges, each of which is a mapping in the kernel's books: pages are
// made and moved.
constexpr std::size_t most_policies = 64;

// Written before anybody listens, but for `came` (relaxed: a mark).
struct Planned {
  SavedArray array;
  uintptr_t site = 0;  // 0: its module is not there, or it is not allocated by a call
  uint32_t ordinal = 0;
  std::atomic<bool> came{false};
};
constinit Planned* the_arrays = nullptr;  // never freed: blocks are born until the process ends
constinit std::size_t array_count = 0;

std::span<Planned> planned() { return {the_arrays, array_count}; }

// "MODULE+0xOFFSET#ORDINAL"
void find_site(Planned& planned) {
  const std::string_view name(planned.array.name.data());
  const std::size_t number = name.rfind('#');
  if (number == name.npos) return;
  const char* end = name.data() + name.size();
  const auto [read, error] = std::from_chars(name.data() + number + 1, end, planned.ordinal);
  if (error != std::errc() || read != end) return;
  planned.site = os::named_address(name.substr(0, number));
}

void place_run(uintptr_t start, const HomeRun& run) {
  mem::place_range(reinterpret_cast<void*>(start), run.count * os::page_size(),
                   {.placement = mem::Placement::node, .node = run.node}, true);
}

void move_run(uintptr_t start, const HomeRun& run) {
  auto* pages = reinterpret_cast<void*>(start);
  if (os::populate_pages(pages, run.count * os::page_size()) != 0) return;
  const std::vector<int> nodes(run.count, run.node);
  mem::move_each(pages, nodes, nullptr);
}

void place(uintptr_t start, std::size_t bytes, const SavedArray& array) {
  const uintptr_t page = os::page_size(), first = start / page;
  const uint64_t pages = (start + bytes - 1) / page - first + 1;
  const bool by_policies = array.runs.size() <= most_policies || mem::nodes_are_synthetic();
  if (!by_policies) refuse_huge_pages(start, bytes);
  for (const HomeRun& run : array.runs) {
    if (run.first >= pages) break;
    const HomeRun cut{run.first, std::min(run.count, pages - run.first), run.node};
    (by_policies ? place_run : move_run)((first + run.first) * page, cut);
  }
}

void place_if_same(uintptr_t start, std::size_t bytes, Planned& planned) {
  planned.came.store(true, std::memory_order_relaxed);
  if (bytes == planned.array.bytes) return place(start, bytes, planned.array);
  base::warn("--apply: the array %s has %zu bytes, and %llu in the plan; it is skipped",
             planned.array.name.data(), bytes,
             static_cast<unsigned long long>(planned.array.bytes));
}

// By the thread that allocates the block, which may hold any lock but the runtime's: what the
// runtime allocates is in no plan. Asks the loader nothing.
void born(const os::KnownArray& block) {
  for (Planned& planned : planned())
    if (planned.site == block.site && planned.ordinal == block.ordinal)
      return place_if_same(block.start, block.bytes, planned);
}

void place_known() {
  for (const ProgramArray& array : program_arrays())
    for (Planned& planned : planned())
      if (array.name() == planned.array.name.data() &&
          !planned.came.load(std::memory_order_relaxed))
        place_if_same(array.start, array.bytes, planned);
}

bool is_refused(const SavedPlan& plan) {
  const PlanText machine = machine_of_plan(), program = program_of_plan();
  if (mem::node_count() < 2)
    base::warn("--apply: the machine has one memory node; the plan is not applied");
  else if (plan.machine != machine)
    base::warn("--apply: the plan is for another machine (%s; here: %s); it is not applied",
               plan.machine.data(), machine.data());
  else if (plan.program != program)
    base::warn("--apply: the plan is for another program (%s; this is %s); it is not applied",
               plan.program.data(), program.data());
  else if (plan.page_bytes != os::page_size())
    base::warn("--apply: the plan is for pages of another size; it is not applied");
  else if (!std::ranges::all_of(plan.arrays, [](const SavedArray& array) {
             return std::ranges::all_of(
                 array.runs, [](const HomeRun& run) { return run.node < mem::node_count(); });
           }))
    base::warn("--apply: the plan names a node that the machine does not have; it is not applied");
  else
    return false;
  return true;
}

}  // namespace

bool apply_plan(const SavedPlan& plan) {
  if (is_refused(plan)) return false;
  the_arrays = new Planned[plan.arrays.size()];
  array_count = plan.arrays.size();
  for (std::size_t i = 0; i < array_count; ++i) {
    the_arrays[i].array = plan.arrays[i];
    find_site(the_arrays[i]);
  }
  listen_to_blocks(born);
  place_known();
  return true;
}

void say_missing_arrays() {
  std::size_t missing = 0;
  const char* first = nullptr;
  for (const Planned& planned : planned()) {
    if (planned.came.load(std::memory_order_relaxed)) continue;
    if (first == nullptr) first = planned.array.name.data();
    ++missing;
  }
  if (missing == 1) base::warn("--apply: the array %s of the plan did not come", first);
  if (missing > 1)
    base::warn("--apply: %zu arrays of the plan did not come, the first is %s", missing, first);
}

}  // namespace xylem::count
