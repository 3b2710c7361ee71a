// How values of settings are printed.
#include "omp/env/setting_printers.hpp"

#include <span>
#include <vector>

#include "omp/env/places.hpp"
#include "topo/machine.hpp"

namespace xylem::omp {

using Values = SettingsValues;

namespace {

void print_one_place(std::FILE* out, std::span<const int> pus, const topo::Machine& machine) {
  std::vector<int> numbers;
  os_indices_of(machine, pus, numbers);
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    std::fprintf(out, i > 0 ? ",%d" : "%d", numbers[i]);
    if (last > i) std::fprintf(out, ":%zu", last - i + 1);
    i = last + 1;
  }
}

}  // namespace

void print_num_threads(std::FILE* out, const Values& values) {
  std::fprintf(out, "%d", values.initial.nthreads_var);
  for (std::size_t i = 1; i < values.nthreads.values.size(); ++i)
    std::fprintf(out, ",%d", values.nthreads.values[i]);
}

void print_schedule(std::FILE* out, const Values& values) {
  static constexpr const char* names[] = {"STATIC", "DYNAMIC", "GUIDED", "AUTO"};
  const Icvs& icvs = values.initial;
  bool is_static = icvs.run_sched_kind == ScheduleKind::static_schedule;
  if (icvs.run_sched_monotonic && !is_static) std::fputs("MONOTONIC:", out);
  if (!icvs.run_sched_monotonic && is_static) std::fputs("NONMONOTONIC:", out);
  if (icvs.run_sched_kind == ScheduleKind::trapezoidal_schedule)
    std::fputs("TRAPEZOIDAL", out);
  else
    std::fputs(names[static_cast<int>(icvs.run_sched_kind) - 1], out);
  bool default_chunk = icvs.run_sched_chunk == (is_static ? 0 : 1);
  if (!default_chunk && icvs.run_sched_kind != ScheduleKind::auto_schedule)
    std::fprintf(out, ",%d", icvs.run_sched_chunk);
}

void print_proc_bind(std::FILE* out, const Values& values) {
  static constexpr const char* names[] = {"FALSE", "TRUE", "MASTER", "CLOSE", "SPREAD"};
  std::fputs(names[static_cast<int>(values.initial.bind_var)], out);
  for (std::size_t i = 1; i < values.binds.values.size(); ++i)
    std::fprintf(out, ",%s", names[static_cast<int>(values.binds.values[i])]);
}

void print_places(std::FILE* out, const Values& values) {
  const PlaceList* places = values.global.places;
  for (int i = 0; places != nullptr && i < places->size(); ++i) {
    std::fputs(i > 0 ? ",{" : "{", out);
    print_one_place(out, places->place(i), *values.machine);
    std::fputs("}", out);
  }
}

void print_wait_policy(std::FILE* out, const Values& values) {
  std::fputs(values.global.wait_policy == WaitPolicy::active ? "ACTIVE" : "PASSIVE", out);
}

void print_thread_limit(std::FILE* out, const Values& values) {
  bool limited = values.thread_limit > 0 && values.thread_limit <= unlimited_threads;
  constexpr std::int64_t unlimited = 0xffffffff;  // what libgomp shows
  std::fprintf(out, "%" PRId64, limited ? values.thread_limit : unlimited);
}

void print_stack_size(std::FILE* out, const Values& values) {
  std::fprintf(out, "%" PRIu64, values.shown_stack_size);
}

void print_nested(std::FILE* out, const Values& values) {
  std::fputs(values.initial.max_active_levels_var > 1 ? "TRUE" : "FALSE", out);
}

void print_allocator(std::FILE* out, const Values& values) {
  std::fputs(predefined_allocator_name(values.initial.default_allocator), out);
}

void print_target_offload(std::FILE* out, const Values& values) {
  static constexpr const char* names[] = {"DEFAULT", "MANDATORY", "DISABLED"};
  std::fputs(names[static_cast<int>(values.global.target_offload)], out);
}

void print_spin_count(std::FILE* out, const Values& values) {
  std::fprintf(out, "%" PRIu64, values.global.spin_count);
}

void print_spin(std::FILE* out, const Values& values) {
  if (values.runtime.spin >= 0) print_integer<&RuntimeSettings::spin>(out, values);
}

void print_tls(std::FILE* out, const Values& values) {
  static constexpr const char* names[] = {"auto", "1", "2", "3", "thread"};
  std::fputs(names[static_cast<int>(values.runtime.tls)], out);
}

void print_word(std::FILE* out, std::string_view words, int position) {
  for (int skipped = 0; skipped < position; ++skipped) words.remove_prefix(words.find(' ') + 1);
  words = words.substr(0, words.find(' '));
  std::fwrite(words.data(), 1, words.size(), out);
}

void print_loop_affinity(std::FILE* out, const Values& values) {
  static constexpr const char* names[] = {"off", "affinity:block", "affinity:cyclic",
                                          "affinity:auto"};
  std::fputs(names[static_cast<int>(values.runtime.loops)], out);
  if (values.runtime.loop_chunk > 0) std::fprintf(out, ",%d", values.runtime.loop_chunk);
  if (values.runtime.loops_begin_alike) std::fputs(",begin", out);
}

void print_memory_policy(std::FILE* out, const Values& values) {
  if (values.runtime.memory_placement == mem::Placement::node) {
    std::fprintf(out, "node:%d", values.runtime.memory_node);
    return;
  }
  print_word(out, memory_words, static_cast<int>(values.runtime.memory_placement));
}

void print_device_memory(std::FILE* out, const Values& values) {
  std::fprintf(out, "%zu", values.runtime.device_memory);
}

void print_block_time(std::FILE* out, const Values& values) {
  const int ms = values.global.block_time_ms;
  if (ms == endless_block_time)
    std::fputs("INFINITE", out);
  else if (ms >= 0)
    std::fprintf(out, "%d", ms);
}

void print_time_slice(std::FILE* out, const Values& values) {
  const std::int64_t us = values.runtime.time_slice_us;
  const bool whole = us % 1000 == 0;
  std::fprintf(out, "%" PRId64 "%s", whole ? us / 1000 : us, whole ? "" : "us");
}

}  // namespace xylem::omp
