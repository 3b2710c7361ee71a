// What each kernel thread ran when, as nested slices: what Chrome's and Paje's viewers show.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tool/trace/trace_codelets.hpp"
#include "tool/trace/trace_file.hpp"

namespace xylem::tool {

// Follows the events in order and says when slices open and close on each source. A thread that
// sleeps takes what is open with it (the makers under it, the tasks on it) and opens it again where
// it goes on; so slices of a source are always nested, whatever was dropped.
class Slices {
 public:
  struct Sink {
    std::function<void(int64_t time, int source, const std::string& name)> open;
    std::function<void(int64_t time, int source)> close;
  };
  Slices(const Trace& trace, Sink sink) : names_(trace), sink_(std::move(sink)) {}

  void follow(const TraceEvent& event);
  // Closes what is open at the end.
  void finish(int64_t time);

 private:
  using ThreadKey = std::pair<int64_t, int64_t>;  // bubble, member

  void open(const TraceEvent& event, std::string name);
  void close(const TraceEvent& event);
  void put_away(const TraceEvent& event);
  void bring_back(const TraceEvent& event);

  CodeletNames names_;
  Sink sink_;
  std::map<int, std::vector<std::string>> open_;            // by source
  std::map<ThreadKey, std::vector<std::string>> put_away_;  // of threads that sleep
};

// "2.5": member 5 of bubble 2; "external 1".
std::string thread_name(const TraceEvent& event);

}  // namespace xylem::tool
