// Lending and borrowing: see top_sharing.hpp.
#include "tool/top/top_sharing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "tool/command/common.hpp"

namespace xylem::tool {

namespace {

using Part = os::CpuSet Sharer::*;

int owner_of(const SharingSeen& seen, Part part, int cpu) {
  for (const Sharer& it : seen.sharers)
    if ((it.*part).has(cpu)) return it.process;
  return 0;
}

// What is in one part of the process and not in the other, with who has it in that other.
std::vector<Traded> difference(const SharingSeen& seen, const Sharer& sharer, Part in, Part of) {
  std::vector<Traded> traded;
  const os::CpuSet& cpus = sharer.*in;
  for (int cpu = cpus.next(-1); cpu >= 0; cpu = cpus.next(cpu))
    if (!(sharer.*of).has(cpu)) traded.push_back({cpu, owner_of(seen, of, cpu)});
  return traded;
}

const Sharer* watched(const Measure& measure) {
  const std::vector<Sharer>& all = measure.sharing.sharers;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Sharer& it) { return it.process == measure.process; });
  return found == all.end() ? nullptr : &*found;
}

// "2-3 to 4711, 5 to 12"
std::string traded_text(const std::vector<Traded>& traded, const char* word) {
  std::vector<int> processes;
  for (const Traded& it : traded)
    if (std::find(processes.begin(), processes.end(), it.process) == processes.end())
      processes.push_back(it.process);
  std::string text;
  for (const int process : processes) {
    os::CpuSet cpus;
    for (const Traded& it : traded)
      if (it.process == process) cpus.add(it.cpu);
    text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", cpu_list(cpus), word,
                        process == 0 ? std::string("nobody") : std::to_string(process));
  }
  return text.empty() ? "-" : text;
}

}  // namespace

Trade trade_of(const SharingSeen& seen, const Sharer& sharer) {
  return {difference(seen, sharer, &Sharer::even, &Sharer::has),
          difference(seen, sharer, &Sharer::has, &Sharer::even)};
}

// PU 0's slot is never lent, as a thread of the program is in it: where that PU is another's, one
// of the process's own is lent instead.
int borrower_of(const Measure& measure, int pu) {
  const Sharer* self = watched(measure);
  if (self == nullptr) return 0;
  const auto cpu_of = [&](int number) {
    return static_cast<int>(measure.last.pus[static_cast<size_t>(number)].os_index);
  };
  const int cpu = self->has.has(cpu_of(pu)) ? cpu_of(0) : cpu_of(pu);
  const int owner = owner_of(measure.sharing, &Sharer::has, cpu);
  return owner == self->process ? 0 : owner;
}

std::vector<std::string> sharing_lines(const Measure& measure) {
  if (watched(measure) == nullptr || measure.sharing.sharers.size() < 2) return {};
  const auto line = [](std::string_view mark, std::string_view process, std::string_view work,
                       std::string_view has, std::string_view lends, std::string_view borrows,
                       std::string_view command) {
    return fmt::format("{:<1} {:>8} {:>8} {:<12} {:<20} {:<20} {}", mark, process, work, has, lends,
                       borrows, command);
  };
  std::vector<std::string> lines{
      "", "Processes that share the machine:",
      line("", "process", "work for", "has PUs", "lends", "borrows", "command")};
  for (const Sharer& it : measure.sharing.sharers) {
    const Trade trade = trade_of(measure.sharing, it);
    lines.push_back(line(it.process == measure.process ? "*" : "", std::to_string(it.process),
                         std::to_string(it.needs), it.has.empty() ? "-" : cpu_list(it.has),
                         traded_text(trade.lends, "to"), traded_text(trade.borrows, "from"),
                         it.command));
  }
  return lines;
}

}  // namespace xylem::tool
