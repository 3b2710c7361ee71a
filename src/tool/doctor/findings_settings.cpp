// What of the environment will hurt: see findings.hpp.
#include <algorithm>
#include <numeric>
#include <string_view>

#include "omp/env/settings.hpp"
#include "omp/env/settings_values.hpp"
#include "os/files.hpp"
#include "tool/doctor/findings.hpp"

namespace xylem::tool {

namespace {

const omp::Setting* find_setting(std::string_view name) {
  for (const omp::Setting& setting : omp::settings_table()) {
    if (name == setting.name) return &setting;
  }
  return nullptr;
}

// How many letters must be added, taken away or changed to make one word of the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t corner = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = corner + (a[i] == b[j] ? 0 : 1);
      corner = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, corner + 1});
    }
  }
  return row.back();
}

// The variable the user may have meant, or "".
std::string nearest_setting(std::string_view name) {
  std::string nearest;
  std::size_t least = 4;
  for (const omp::Setting& setting : omp::settings_table()) {
    const std::size_t away = distance(name, setting.name);
    if (away < least) {
      least = away;
      nearest = setting.name;
    }
  }
  return nearest;
}

// False if it is wrong.
bool check_value(const Facts& facts, const omp::Setting& setting, const std::string& text,
                 std::vector<Finding>& out) {
  omp::SettingsValues values;
  values.machine = facts.machine;
  const char* wrong = setting.parse == nullptr ? nullptr : setting.parse(text.c_str(), values);
  if (wrong == nullptr) return true;
  const char* used = values.used_instead;
  out.push_back({"bad-setting", true,
                 fmt::format("{}='{}' is not valid ({}), so {}{}.", setting.name, text, wrong,
                             used == nullptr ? "it is ignored" : "what is used is ",
                             used == nullptr ? "" : used),
                 fmt::format("{} (`xylem help settings` lists all)", setting.help)});
  return false;
}

// Job scripts of other runtimes set them: what a KMP_ variable does here; null: nothing, whatever
// it says elsewhere.
void tell_kmp(const std::string& name, const std::string& text, const omp::Setting* setting,
              std::vector<Finding>& out) {
  if (setting != nullptr) {
    out.push_back({"kmp-setting", false,
                   fmt::format("{}='{}' is obeyed. {}", name, text, setting->help), ""});
    return;
  }
  out.push_back({"kmp-setting", false,
                 fmt::format("{} is a variable of LLVM's and Intel's runtimes; Xylem does not "
                             "obey it.",
                             name),
                 "`xylem help settings` lists those it obeys."});
}

void check_name(const std::string& name, std::vector<Finding>& out) {
  const std::string meant = nearest_setting(name);
  out.push_back({"unknown-setting", !meant.empty(),
                 fmt::format("{} is no variable that Xylem knows, so it does nothing.", name),
                 meant.empty() ? "`xylem help settings` lists those it knows."
                               : fmt::format("Perhaps {} is meant.", meant)});
}

void check_preload(const Facts& facts, std::vector<Finding>& out) {
  const std::string preload = value_of(facts.environment, "LD_PRELOAD");
  for (const char* runtime : {"libgomp", "libomp", "libiomp5"}) {
    if (preload.find(runtime) == std::string::npos) continue;
    out.push_back(
        {"preload", true,
         fmt::format("LD_PRELOAD already puts an OpenMP runtime into every program: {}.", preload),
         "Unset LD_PRELOAD; `xylem run` sets what it needs."});
    return;
  }
}

void check_thread_limit(const Facts& facts, std::vector<Finding>& out) {
  long long limit = 0;
  const std::string text = value_of(facts.environment, "OMP_THREAD_LIMIT");
  if (!os::parse_integer(text, limit) || limit < 1 || limit >= threads_asked(facts)) return;
  out.push_back({"thread-limit", true,
                 fmt::format("OMP_THREAD_LIMIT={} is below OMP_NUM_THREADS={}: teams will be "
                             "smaller than asked for.",
                             limit, threads_asked(facts)),
                 "Raise OMP_THREAD_LIMIT or unset it."});
}

}  // namespace

void check_settings(const Facts& facts, std::vector<Finding>& out) {
  for (const auto& [name, text] : facts.environment) {
    const bool ours = name.starts_with("OMP_") || name.starts_with("XYLEM_");
    const bool is_kmp = name.starts_with("KMP_");
    const omp::Setting* setting = find_setting(name);
    if (setting != nullptr) {
      if (check_value(facts, *setting, text, out) && is_kmp) tell_kmp(name, text, setting, out);
    } else if (ours) {
      check_name(name, out);
    } else if (is_kmp) {
      tell_kmp(name, text, nullptr, out);
    }
  }
  if (!facts.machine_trouble.empty())
    out.push_back({"bad-setting", true, fmt::format("{}, so it is ignored.", facts.machine_trouble),
                   "`xylem topo` shows what it makes."});
  check_thread_limit(facts, out);
  check_preload(facts, out);
}

}  // namespace xylem::tool
