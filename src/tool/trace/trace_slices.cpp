// Following what kernel threads run: see trace_slices.hpp.
#include "tool/trace/trace_slices.hpp"

#include <fmt/core.h>

namespace xylem::tool {

using trace::event;
using trace::Role;

std::string thread_name(const TraceEvent& happened) {
  const int64_t bubble = happened.of(Role::bubble), member = happened.of(Role::member);
  return bubble == 0 ? fmt::format("external {}", member) : fmt::format("{}.{}", bubble, member);
}

void Slices::open(const TraceEvent& happened, std::string name) {
  sink_.open(happened.time, happened.source, name);
  open_[happened.source].push_back(std::move(name));
}

void Slices::close(const TraceEvent& happened) {
  std::vector<std::string>& stack = open_[happened.source];
  if (stack.empty()) return;  // its beginning was dropped
  sink_.close(happened.time, happened.source);
  stack.pop_back();
}

void Slices::put_away(const TraceEvent& happened) {
  std::vector<std::string>& stack = open_[happened.source];
  for (size_t i = 0; i < stack.size(); ++i) sink_.close(happened.time, happened.source);
  put_away_[{happened.of(Role::bubble), happened.of(Role::member)}] = std::move(stack);
  stack.clear();
}

void Slices::bring_back(const TraceEvent& happened) {
  const auto found = put_away_.find({happened.of(Role::bubble), happened.of(Role::member)});
  if (found == put_away_.end()) return;
  for (std::string& name : found->second) open(happened, std::move(name));
  put_away_.erase(found);
}

void Slices::follow(const TraceEvent& happened) {
  switch (happened.kind()) {
    case event("started"):
      open(happened, thread_name(happened));
      break;
    case event("task_begin"):
      open(happened, "task");
      break;
    case event("codelet_begin"):
      open(happened, names_.of(happened.of(Role::codelet)));
      break;
    case event("copy_begin"):
      open(happened, fmt::format("copy {} bytes from {} to {}", happened.of(Role::bytes),
                                 copied_node_name(happened.of(Role::from_node)),
                                 copied_node_name(happened.of(Role::to_node))));
      break;
    case event("ended"):
    case event("task_end"):
    case event("codelet_end"):
    case event("copy_end"):
      close(happened);
      break;
    case event("slept"):
      put_away(happened);
      break;
    case event("resumed"):
      bring_back(happened);
      break;
    default:
      break;
  }
}

void Slices::finish(int64_t time) {
  for (auto& [source, stack] : open_)
    for (; !stack.empty(); stack.pop_back()) sink_.close(time, source);
}

}  // namespace xylem::tool
