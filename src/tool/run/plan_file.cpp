// Owns: from JSON to a plan. See plan_file.hpp.
#include "tool/run/plan_file.hpp"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "os/files.hpp"

namespace xylem::tool {

namespace {

using Json = nlohmann::json;

bool read_number(const Json& from, uint64_t& number) {
  if (!from.is_number_unsigned()) return false;
  number = from.get<uint64_t>();
  return true;
}

bool read_number(const Json& object, const char* name, uint64_t& number) {
  const auto found = object.find(name);
  return found != object.end() && read_number(*found, number);
}

bool read_text(const Json& object, const char* name, count::PlanText& text) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return false;
  const auto& read = found->get_ref<const std::string&>();
  text = count::plan_text_of(read);
  return read == text.data();
}

bool read_run(const Json& json, count::HomeRun& run) {
  uint64_t node = 0;
  if (!json.is_array() || json.size() != 3 || !read_number(json[0], run.first) ||
      !read_number(json[1], run.count) || !read_number(json[2], node) || node > INT32_MAX)
    return false;
  run.node = static_cast<int>(node);
  return true;
}

bool read_array(const Json& json, count::SavedArray& array) {
  if (!json.is_object() || !read_text(json, "name", array.name) ||
      !read_number(json, "bytes", array.bytes))
    return false;
  const auto runs = json.find("runs");
  if (runs == json.end() || !runs->is_array()) return false;
  for (const Json& run : *runs)
    if (!read_run(run, array.runs.emplace_back())) return false;
  return true;
}

bool read_loop(const Json& json, count::SavedLoop& loop) {
  if (!json.is_object() || !read_text(json, "name", loop.name) ||
      !read_number(json, "first", loop.first) || !read_number(json, "step", loop.step))
    return false;
  const auto lines = json.find("schedule");
  if (lines == json.end() || !lines->is_array()) return false;
  std::string text;
  for (const Json& line : *lines) {
    if (!line.is_string()) return false;
    text += line.get_ref<const std::string&>() + "\n";
  }
  auto schedule = count::Schedule::parse(text);
  if (schedule.ok()) loop.schedule = std::move(schedule.value());
  return schedule.ok();
}

bool read_plan(const Json& json, count::SavedPlan& plan) {
  if (!read_text(json, "machine", plan.machine) || !read_text(json, "program", plan.program) ||
      !read_number(json, "threads", plan.threads) ||
      !read_number(json, "page_bytes", plan.page_bytes))
    return false;
  const auto arrays = json.find("arrays");
  if (arrays == json.end() || !arrays->is_array()) return false;
  for (const Json& array : *arrays)
    if (!read_array(array, plan.arrays.emplace_back())) return false;
  const auto loops = json.find("loops");
  if (loops == json.end() || !loops->is_array()) return false;
  for (const Json& loop : *loops)
    if (!read_loop(loop, plan.loops.emplace_back())) return false;
  return true;
}

}  // namespace

bool parse_plan_json(std::string_view text, count::SavedPlan& plan, std::string& why) {
  plan = {};
  const Json json = Json::parse(text, nullptr, false);
  uint64_t version = 0;
  if (json.is_discarded()) {
    why = "is no JSON: it is cut off or damaged";
  } else if (!json.is_object() || !read_number(json, "xylem_plan", version)) {
    why = "is none that xylem run --record wrote";
  } else if (version != 2) {
    why = fmt::format("has version {}, and this Xylem reads 2", version);
  } else if (!read_plan(json, plan)) {
    why = "lacks something that a plan has";
  } else if (const char* wrong = count::is_unsound(plan)) {
    why = fmt::format("cannot be: {}", wrong);
  } else if (json.value("check", Json()) != fmt::format("{:x}", count::plan_check(plan))) {
    why = "was changed since it was recorded";
  } else {
    return true;
  }
  return false;
}

bool read_plan_file(const std::string& path, count::SavedPlan& plan, std::string& why) {
  std::vector<char> text;
  if (const int error = os::read_all(path.c_str(), text); error != 0) {
    why = fmt::format("cannot be read ({})", std::strerror(-error));
    return false;
  }
  return parse_plan_json({text.data(), text.size()}, plan, why);
}

}  // namespace xylem::tool
