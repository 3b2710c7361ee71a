// Printers of the settings table: each writes a value as OMP_DISPLAY_ENV shows it.
#pragma once

#include <cinttypes>
#include <cstdio>
#include <string_view>

#include "omp/env/setting_parsers.hpp"

namespace xylem::omp {

template <auto member>
void print_boolean(std::FILE* out, const SettingsValues& values) {
  std::fputs(setting_field(values, member) ? "TRUE" : "FALSE", out);
}

template <auto member>
void print_integer(std::FILE* out, const SettingsValues& values) {
  std::fprintf(out, "%" PRId64, static_cast<std::int64_t>(setting_field(values, member)));
}

template <auto member>
void print_text(std::FILE* out, const SettingsValues& values) {
  std::fputs(setting_field(values, member), out);
}

// `words` are separated by blanks.
void print_word(std::FILE* out, std::string_view words, int position);

template <auto member, const Choice& choice>
void print_choice(std::FILE* out, const SettingsValues& values) {
  print_word(out, choice.words, static_cast<int>(setting_field(values, member)));
}

void print_num_threads(std::FILE* out, const SettingsValues& values);
void print_schedule(std::FILE* out, const SettingsValues& values);
void print_proc_bind(std::FILE* out, const SettingsValues& values);
void print_places(std::FILE* out, const SettingsValues& values);
void print_wait_policy(std::FILE* out, const SettingsValues& values);
void print_thread_limit(std::FILE* out, const SettingsValues& values);
void print_stack_size(std::FILE* out, const SettingsValues& values);
void print_nested(std::FILE* out, const SettingsValues& values);
void print_allocator(std::FILE* out, const SettingsValues& values);
void print_target_offload(std::FILE* out, const SettingsValues& values);
void print_spin_count(std::FILE* out, const SettingsValues& values);
void print_spin(std::FILE* out, const SettingsValues& values);
void print_tls(std::FILE* out, const SettingsValues& values);
void print_loop_affinity(std::FILE* out, const SettingsValues& values);
void print_memory_policy(std::FILE* out, const SettingsValues& values);
void print_device_memory(std::FILE* out, const SettingsValues& values);
void print_block_time(std::FILE* out, const SettingsValues& values);
void print_time_slice(std::FILE* out, const SettingsValues& values);

}  // namespace xylem::omp
