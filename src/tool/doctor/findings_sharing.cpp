// Whether processes share the machine here, and who does: see findings.hpp.
#include <errno.h>
#include <fmt/ranges.h>

#include <cstring>

#include "sched/share/rows.hpp"
#include "tool/doctor/findings.hpp"

namespace xylem::tool {

namespace {

bool has_several_ranks(const Facts& facts) {
  for (const Job& job : facts.jobs)
    if (job.local_ranks > 1) return true;
  return false;
}

const char* advice_for(int error) {
  switch (error) {
    case EPERM:
      return "Make both your own and closed to others (chmod 700, and 600 for the file), or set "
             "XDG_RUNTIME_DIR to a folder that is.";
    case EAGAIN:
      return "The next ones can when others have ended.";
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "Make room there, or set XDG_RUNTIME_DIR to a folder with room.";
    default:
      return "Set XDG_RUNTIME_DIR to a folder of your own that is there, or unset it.";
  }
}

void tell_sharers(const Facts& facts, std::vector<Finding>& out) {
  constexpr std::size_t most_told = 8;
  const std::vector<Sharer>& sharers = facts.sharing->sharers;
  for (std::size_t i = 0; i < sharers.size() && i < most_told; ++i) {
    const Sharer& it = sharers[i];
    out.push_back({"sharer", false,
                   fmt::format("Process {} ({}) shares this machine: it has work for {} of "
                               "processors {}, and has {} of them now{}.",
                               it.process, it.command, it.needs, cpu_list(it.cpus), it.has.count(),
                               it.has.empty() ? "" : " (" + cpu_list(it.has) + ")"),
                   ""});
  }
  if (sharers.size() > most_told)
    out.push_back(
        {"sharer", false, fmt::format("And {} more share it.", sharers.size() - most_told), ""});
}

}  // namespace

std::string sharing_trouble(const SharingSeen& sharing) {
  switch (-sharing.error) {
    case 0:
      return "";
    case EPERM:
      return fmt::format("{}, or the table in it, is another user's or open to others",
                         sharing.folder);
    case EPROTO:
      return fmt::format("{} is no folder, or the table in it no file", sharing.folder);
    case EAGAIN:
      return fmt::format("all {} rows of the table in {} are taken", sched::most_rows,
                         sharing.folder);
    default:
      return fmt::format("a table in {} cannot be made or written: {}", sharing.folder,
                         strerrordesc_np(-sharing.error));
  }
}

void check_sharing(const Facts& facts, std::vector<Finding>& out) {
  if (!facts.sharing) return;
  const bool matters = has_several_ranks(facts) || !facts.sharing->sharers.empty();
  const std::string trouble = sharing_trouble(*facts.sharing);
  if (!facts.shares) {
    out.push_back({"sharing-off", matters,
                   "XYLEM_SHARE=false: programs started here do not divide the processors with "
                   "others, and the kernel stops their threads while others wait for these.",
                   "Unset XYLEM_SHARE where several programs run at once."});
  } else if (!trouble.empty()) {
    out.push_back({"sharing-fails", matters,
                   fmt::format("Programs started here cannot find each other to divide the "
                               "processors: {}.",
                               trouble),
                   advice_for(-facts.sharing->error)});
  } else if (const auto& keep = facts.keep_processors; !keep.empty()) {
    out.push_back({"sharing-kept", matters,
                   fmt::format("{}: programs started here lend none of their processors to others, "
                               "also while they have no work for them.",
                               fmt::join(keep, ", ")),
                   fmt::format("Unset {} where several programs run at once.",
                               keep.size() == 1 ? "it" : "them")});
  }
  tell_sharers(facts, out);
}

}  // namespace xylem::tool
