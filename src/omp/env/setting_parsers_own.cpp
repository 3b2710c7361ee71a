// Parsers of Xylem's own settings with a form of their own: who runs codelets, and calls that fail.
#include <cstdlib>
#include <string_view>

#include "base/check.hpp"
#include "hetero/policy/policy.hpp"
#include "omp/env/setting_parsers.hpp"

namespace xylem::omp {
namespace {

// Numbers are what the plug-in takes them for: positions in the list of all devices.
bool is_list_of_numbers(std::string_view text) {
  bool digit_before = false;
  for (const char letter : text) {
    const bool digit = letter >= '0' && letter <= '9';
    if (!digit && (letter != ',' || !digit_before)) return false;
    digit_before = digit;
  }
  return digit_before && text.size() < 64;
}

template <auto field>
const char* parse_devices(const char* text, SettingsValues& values) {
  const std::string_view choice = text;
  const bool word = choice == "off" || choice == "auto" || choice == "all";
  if (!word && !is_list_of_numbers(choice)) return "not off, auto, all or numbers such as 0,2";
  return parse_text<field>(text, values);
}

}  // namespace

const char* parse_codelet_policy(const char* text, SettingsValues& values) {
  if (hetero::find_policy(text) == nullptr)
    return "not eager, priority, steal, random, earliest or data";
  return parse_text<&RuntimeSettings::codelet_policy>(text, values);
}

const char* parse_cuda(const char* text, SettingsValues& values) {
  return parse_devices<&RuntimeSettings::cuda>(text, values);
}

const char* parse_opencl(const char* text, SettingsValues& values) {
  return parse_devices<&RuntimeSettings::opencl>(text, values);
}

// "12" or "12+".
const char* parse_fail_call(const char* text, SettingsValues& values) {
  if (!base::kChecked) return "this build cannot let calls fail";
  char* end = nullptr;
  const long nth = std::strtol(text, &end, 10);
  const bool all_after = *end == '+';
  if (all_after) ++end;
  if (*end != 0 || nth < 1 || nth > 1'000'000'000) return "not a number above 0, or one and a +";
  values.runtime.fail_call = static_cast<int>(nth);
  values.runtime.fail_all_after = all_after;
  return nullptr;
}

}  // namespace xylem::omp
