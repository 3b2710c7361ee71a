// Owns: recording, and naming. See plan_recorder.hpp.
#include "count/live/plan_recorder.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "base/hash.hpp"
#include "mem/cost/costs_file.hpp"
#include "mem/map/memory.hpp"
#include "os/files.hpp"
#include "os/memory.hpp"
#include "os/program_image.hpp"

namespace xylem::count {

namespace {

uint64_t page_of(uintptr_t address) { return address / os::page_size(); }

bool is_same(const ProgramArray& one, const ProgramArray& other) {
  return one.bytes == other.bytes && one.name() == other.name();
}

// A page of which nothing is known goes with the page before it, or with the first that is known.
std::vector<HomeRun> runs_of(std::span<const int16_t> nodes) {
  std::vector<HomeRun> runs;
  for (std::size_t page = 0; page < nodes.size(); ++page) {
    if (nodes[page] < 0) {
      if (!runs.empty()) ++runs.back().count;
      continue;
    }
    if (runs.empty()) {
      runs.push_back({0, page + 1, nodes[page]});
      continue;
    }
    if (runs.back().node == nodes[page])
      ++runs.back().count;
    else
      runs.push_back({page, 1, nodes[page]});
  }
  return runs;
}

}  // namespace

PlanRecorder::Recorded* PlanRecorder::of(const ProgramArray& array) {
  const auto known = std::ranges::find_if(
      arrays_, [&array](const Recorded& recorded) { return is_same(recorded.array, array); });
  if (known != arrays_.end()) return &*known;
  if (arrays_.size() == most_arrays) return nullptr;
  const uint64_t pages = page_of(array.start + array.bytes - 1) - page_of(array.start) + 1;
  arrays_.push_back({array, std::vector<int16_t>(pages, -1)});
  return &arrays_.back();
}

void PlanRecorder::note(std::span<const PageHome> homes, std::span<const PageMove> moves,
                        int threads) {
  threads_ = std::max(threads_, threads);
  for (const ProgramArray& array : program_arrays()) {
    const uint64_t first = page_of(array.start), end = page_of(array.start + array.bytes - 1) + 1;
    auto home = std::ranges::lower_bound(homes, first, {}, &PageHome::page);
    if (home == homes.end() || home->page >= end) continue;
    Recorded* recorded = of(array);
    if (recorded == nullptr) continue;
    for (; home != homes.end() && home->page < end; ++home)
      recorded->nodes[home->page - first] = static_cast<int16_t>(home->node);
    auto move = std::ranges::lower_bound(moves, first, {}, &PageMove::page);
    for (; move != moves.end() && move->page < end; ++move)
      recorded->nodes[move->page - first] = static_cast<int16_t>(move->to);
  }
}

SavedPlan PlanRecorder::plan() const {
  SavedPlan plan{.machine = machine_of_plan(),
                 .program = program_of_plan(),
                 .threads = static_cast<uint64_t>(threads_),
                 .page_bytes = os::page_size(),
                 .arrays = {},
                 .loops = {}};
  for (const Recorded& recorded : arrays_)
    plan.arrays.push_back(
        {plan_text_of(recorded.array.name()), recorded.array.bytes, runs_of(recorded.nodes)});
  const auto by_name = [](const SavedArray& array) { return std::string_view(array.name.data()); };
  std::ranges::stable_sort(plan.arrays, {}, by_name);
  // Of arrays of one name, such as the data of a library that was opened twice, the first.
  const auto is_again = [](const SavedArray& one, const SavedArray& other) {
    return one.name == other.name;
  };
  plan.arrays.erase(std::unique(plan.arrays.begin(), plan.arrays.end(), is_again),
                    plan.arrays.end());
  return plan;
}

PlanText machine_of_plan() {
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%d nodes, %d PUs, %016" PRIx64, mem::node_count(),
                mem::machine().pu_count(), mem::costs_key(mem::machine(), "", ""));
  return plan_text_of(text.data());
}

PlanText program_of_plan() {
  const std::string_view name = program_file();
  const os::ProgramImage& image = os::program_image();
  base::Hash hash;
  if (image.build_id_bytes > 0) {
    hash.add({reinterpret_cast<const char*>(image.build_id), image.build_id_bytes});
  } else {
    std::vector<char> file;
    os::read_all("/proc/self/exe", file);
    hash.add({file.data(), file.size()});
  }
  std::array<char, 96> text;
  std::snprintf(text.data(), text.size(), "%.*s, %016" PRIx64, static_cast<int>(name.size()),
                name.data(), hash.value());
  return plan_text_of(text.data());
}

}  // namespace xylem::count
