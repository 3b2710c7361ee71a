// Gathering the fields of affinity formats from the calling thread.
#include "omp/team/affinity_display.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/report.hpp"
#include "omp/env/affinity_format.hpp"
#include "omp/sync/lock.hpp"
#include "omp/team/query.hpp"
#include "os/process.hpp"
#include "os/thread.hpp"

namespace xylem::omp {
namespace {

// Both guarded by format_lock. Null until the program sets a format: then globals() has it.
constinit LockWord format_lock{0};
constinit char* program_format = nullptr;

std::size_t copy_text(char* buffer, std::size_t room, std::string_view text) {
  if (room == 0) return text.size();
  std::size_t copied = std::min(text.size(), room - 1);
  std::memcpy(buffer, text.data(), copied);
  buffer[copied] = '\0';
  return text.size();
}

const char* initial_format(Door door) {
  const GlobalIcvs& global = globals();
  if (door == Door::llvm && !global.affinity_format_given) return default_llvm_affinity_format;
  return global.affinity_format;
}

std::vector<char> current_format(Door door) {
  std::vector<char> format(get_affinity_format(nullptr, 0, door) + 1);
  // Another thread may have set a longer one meanwhile: then this one is cut.
  const std::size_t length = get_affinity_format(format.data(), format.size(), door);
  format.resize(std::min(length + 1, format.size()));
  return format;
}

std::size_t expand_for_caller(char* buffer, std::size_t room, std::string_view format, Door door) {
  if (const char* error = check_affinity_format(format, door)) base::warn_once("%s", error);
  char host[256];
  os::host_name(host, sizeof host);
  std::vector<int> os_indices;
  affinity_of_thread(os_indices);
  AffinityFields fields;
  fields.team_num = team_num();
  fields.num_teams = num_teams();
  fields.nesting_level = level();
  fields.thread_num = thread_num();
  fields.num_threads = num_threads();
  fields.ancestor_thread_num = ancestor_thread_num(level() - 1);
  fields.host = host;
  fields.process_id = os::process_id();
  fields.native_thread_id = os::thread_id();
  fields.os_indices = os_indices;
  return expand_affinity_format(buffer, room, format, fields, door);
}

}  // namespace

void set_affinity_format(std::string_view format) {
  char* copy = new char[format.size() + 1];
  copy_text(copy, format.size() + 1, format);
  lock(format_lock);
  char* before = program_format;
  program_format = copy;
  unlock(format_lock);
  delete[] before;
}

std::size_t get_affinity_format(char* buffer, std::size_t room, Door door) {
  ensure_runtime();
  lock(format_lock);
  const char* format = program_format != nullptr ? program_format : initial_format(door);
  std::size_t length = copy_text(buffer, room, format);
  unlock(format_lock);
  return length;
}

std::size_t capture_affinity(char* buffer, std::size_t room, std::string_view format, Door door) {
  if (!format.empty()) return expand_for_caller(buffer, room, format, door);
  return expand_for_caller(buffer, room, current_format(door).data(), door);
}

void display_affinity(std::string_view format, Door door) {
  std::vector<char> line(512);
  std::size_t length = capture_affinity(line.data(), line.size(), format, door);
  if (length + 2 > line.size()) {
    line.resize(length + 2);
    length = std::min(capture_affinity(line.data(), length + 1, format, door), length);
  }
  line[length] = '\n';  // one write, so that lines of threads do not mix
  line[length + 1] = '\0';
  std::fputs(line.data(), door == Door::llvm ? stdout : stderr);
}

}  // namespace xylem::omp
