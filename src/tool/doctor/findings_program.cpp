// What of the program will hurt, and all findings together: see findings.hpp.
#include <algorithm>

#include "tool/doctor/findings.hpp"

namespace xylem::tool {

namespace {

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

// "libgomp.so.1 (by app)" for each runtime.
std::vector<std::string> with_users(const Inspection& inspection) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < inspection.runtimes.size(); ++at) {
    texts.push_back(
        fmt::format("{} (by {})", inspection.runtimes[at], inspection.runtime_users[at]));
  }
  return texts;
}

const char* advice_for(Fit fit) {
  switch (fit) {
    case Fit::static_program:
    case Fit::static_openmp:
      return "Link it without -static.";
    case Fit::own_openmp:
      return "Link the shared OpenMP library instead of the .a file.";
    case Fit::perhaps_later:
      return "If it should use OpenMP, compile and link it with -fopenmp.";
    default:
      return "";
  }
}

}  // namespace

void check_program(const Facts& facts, std::vector<Finding>& out) {
  if (!facts.program) return;
  const Inspection& inspection = facts.inspection;
  if (!inspection.line.empty()) {
    out.push_back({"program", inspection.fit != Fit::perhaps_later, inspection.line + ".",
                   advice_for(inspection.fit)});
  }
  if (!inspection.thread_import.empty()) {
    out.push_back({"kernel-threads", false,
                   fmt::format("'{}' imports {}, by which a program sees its kernel thread: each "
                               "OpenMP thread is a kernel thread of its own, and regions are "
                               "slower than on fibers.",
                               inspection.thread_importer, inspection.thread_import),
                   inspection.kernel_threads == os::KernelThreadNeed::wanted
                       ? "If it does so outside of parallel regions only, or in a child process, "
                         "XYLEM_TLS=3 keeps fibers."
                       : ""});
  }
  if (inspection.runtimes.size() > 1) {
    out.push_back({"two-runtimes", true,
                   fmt::format("'{}' links {} OpenMP runtimes, {}: each makes its own threads, and "
                               "together they fight for the same processors.",
                               facts.program->name, inspection.runtimes.size(),
                               joined(with_users(inspection), " and ")),
                   inspection.can_start
                       ? "Start it by `xylem run`: Xylem stands in for all of them "
                         "with one pool of workers."
                       : "Build all of it with one compiler's OpenMP."});
  }
}

std::vector<Finding> find_all(const Facts& facts) {
  std::vector<Finding> findings;
  check_processors(facts, findings);
  check_ranks(facts, findings);
  check_sharing(facts, findings);
  check_memory(facts, findings);
  check_limits(facts, findings);
  check_settings(facts, findings);
  check_program(facts, findings);
  std::stable_partition(findings.begin(), findings.end(),
                        [](const Finding& finding) { return finding.hurts; });
  return findings;
}

}  // namespace xylem::tool
