// Owns: laws, lines and JSON of plans. See saved_plan.hpp.
#include "count/saved/saved_plan.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <tuple>

#include "base/hash.hpp"
#include "count/table/counts.hpp"
#include "count/table/lines.hpp"

namespace xylem::count {

namespace {

constexpr std::string_view first_line = "xylem plan 2";
constexpr uint64_t most_threads = uint64_t{1} << 20, most_page_bytes = uint64_t{1} << 30;
constexpr uint64_t most_bytes = uint64_t{1} << 50;
constexpr std::size_t least_bytes_an_array = 20, least_bytes_a_run = 6, least_bytes_a_loop = 60;

std::string_view view(const PlanText& text) {
  return {text.data(), strnlen(text.data(), text.size())};
}

bool is_plain(char letter) {
  return letter >= ' ' && letter <= '~' && letter != '"' && letter != '\\';
}

bool is_text(const PlanText& text) {
  const std::string_view all = view(text);
  return !all.empty() && all.size() < text.size() && std::ranges::all_of(all, is_plain) &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(all.size()), text.end(),
                     [](char rest) { return rest == '\0'; });
}

// An array that begins within a page has a byte in one more.
uint64_t most_pages(const SavedArray& array, uint64_t page_bytes) {
  return array.bytes / page_bytes + 2;
}

const char* is_unsound(const SavedArray& array, uint64_t page_bytes) {
  if (!is_text(array.name)) return "an array's name cannot be";
  if (array.bytes == 0 || array.bytes > most_bytes) return "an array's size cannot be";
  uint64_t end = 0;
  for (const HomeRun& run : array.runs) {
    if (run.node < 0 || run.node >= most_nodes) return "a node cannot be";
    if (run.first < end || run.count == 0) return "runs of pages are out of order";
    if (run.first >= most_pages(array, page_bytes) ||
        run.count > most_pages(array, page_bytes) - run.first)
      return "pages lie outside of their array";
    end = run.first + run.count;
  }
  return nullptr;
}

const char* is_unsound(std::span<const SavedLoop> loops) {
  const SavedLoop* before = nullptr;
  for (const SavedLoop& loop : loops) {
    if (!is_text(loop.name)) return "a loop's name cannot be";
    if (loop.schedule.iterations() == 0) return "a loop has no iterations";
    if (before != nullptr && !is_before(*before, loop)) return "loops are out of order";
    before = &loop;
  }
  return nullptr;
}

}  // namespace

bool is_before(const SavedLoop& one, const SavedLoop& other) {
  const auto order = [](const SavedLoop& loop) {
    return std::tuple(view(loop.name), loop.first, loop.step, loop.schedule.iterations(),
                      loop.schedule.threads());
  };
  return order(one) < order(other);
}

PlanText plan_text_of(std::string_view text) {
  PlanText plain{};
  const std::size_t length = std::min(text.size(), plain.size() - 1);
  std::ranges::transform(text.substr(0, length), plain.begin(),
                         [](char letter) { return is_plain(letter) ? letter : '?'; });
  return plain;
}

const char* is_unsound(const SavedPlan& plan) {
  if (!is_text(plan.machine) || !is_text(plan.program)) return "machine or program cannot be";
  if (plan.threads == 0 || plan.threads > most_threads) return "the number of threads cannot be";
  if (plan.page_bytes == 0 || plan.page_bytes > most_page_bytes)
    return "the size of pages cannot be";
  const SavedArray* before = nullptr;
  for (const SavedArray& array : plan.arrays) {
    if (const char* wrong = is_unsound(array, plan.page_bytes)) return wrong;
    if (before != nullptr && view(before->name) >= view(array.name))
      return "arrays are out of order";
    before = &array;
  }
  return is_unsound(plan.loops);
}

// --- lines
// -----------------------------------------------------------------------------------------

std::vector<char> plan_lines(const SavedPlan& plan) {
  LineWriter writer;
  writer.line(first_line);
  writer.text("machine", view(plan.machine));
  writer.text("program", view(plan.program));
  writer.number("threads", plan.threads);
  writer.number("page_bytes", plan.page_bytes);
  writer.number("arrays", plan.arrays.size());
  for (const SavedArray& array : plan.arrays) {
    writer.text("array", view(array.name));
    writer.number("bytes", array.bytes);
    writer.number("runs", array.runs.size());
    for (const HomeRun& run : array.runs) {
      const uint64_t values[] = {run.first, run.count, static_cast<uint64_t>(run.node)};
      writer.numbers(values);
    }
  }
  writer.number("loops", plan.loops.size());
  for (const SavedLoop& loop : plan.loops) {
    writer.text("loop", view(loop.name));
    writer.number("first", loop.first);
    writer.number("step", loop.step);
    loop.schedule.write(writer);
  }
  writer.line("end");
  return writer.take();
}

namespace {

bool read_text(LineReader& reader, std::string_view name, PlanText& text) {
  std::string_view read;
  if (!reader.text(name, read)) return false;
  text = plan_text_of(read);
  return view(text) == read;
}

bool read_array(LineReader& reader, SavedArray& array) {
  uint64_t runs = 0;
  if (!read_text(reader, "array", array.name) ||
      !reader.number("bytes", 1, most_bytes, array.bytes) ||
      !reader.number("runs", 0, reader.left() / least_bytes_a_run, runs))
    return false;
  array.runs.reserve(runs);
  for (uint64_t i = 0; i < runs; ++i) {
    uint64_t values[3];
    if (!reader.numbers(values, most_bytes) || values[2] >= most_nodes) return false;
    array.runs.push_back({values[0], values[1], static_cast<int>(values[2])});
  }
  return true;
}

const char* read_loop(LineReader& reader, SavedLoop& loop) {
  if (!read_text(reader, "loop", loop.name) || !reader.number("first", 0, UINT64_MAX, loop.first) ||
      !reader.number("step", 0, UINT64_MAX, loop.step))
    return "has a line that is none of a loop";
  auto schedule = Schedule::read(reader);
  if (!schedule.ok()) return "has a loop whose schedule is none";
  loop.schedule = std::move(schedule.value());
  return nullptr;
}

}  // namespace

base::Result<SavedPlan> parse_plan(std::string_view lines) {
  LineReader reader(lines);
  SavedPlan plan;
  uint64_t arrays = 0, loops = 0;
  if (!reader.line(first_line)) return base::Error{"is no plan of this version"};
  if (!read_text(reader, "machine", plan.machine) || !read_text(reader, "program", plan.program) ||
      !reader.number("threads", 1, most_threads, plan.threads) ||
      !reader.number("page_bytes", 1, most_page_bytes, plan.page_bytes) ||
      !reader.number("arrays", 0, reader.left() / least_bytes_an_array, arrays))
    return base::Error{"does not say what it is for"};
  plan.arrays.resize(arrays);
  for (SavedArray& array : plan.arrays)
    if (!read_array(reader, array)) return base::Error{"has a line that is none of an array"};
  if (!reader.number("loops", 0, reader.left() / least_bytes_a_loop, loops))
    return base::Error{"does not say how many loops there are"};
  plan.loops.resize(loops);
  for (SavedLoop& loop : plan.loops)
    if (const char* wrong = read_loop(reader, loop)) return base::Error{wrong};
  if (!reader.line("end") || !reader.at_end()) return base::Error{"does not end where it should"};
  if (const char* wrong = is_unsound(plan)) return base::Error{wrong};
  return plan;
}

// --- JSON
// ------------------------------------------------------------------------------------------

uint64_t plan_check(const SavedPlan& plan) {
  const std::vector<char> lines = plan_lines(plan);
  base::Hash hash;
  hash.add({lines.data(), lines.size()});
  return hash.value();
}

namespace {

// What is written has no letter that JSON would have to spell otherwise.
class JsonWriter {
 public:
  JsonWriter& put(std::string_view text) {
    text_.insert(text_.end(), text.begin(), text.end());
    return *this;
  }
  JsonWriter& number(uint64_t value, int base = 10) {
    char digits[24];
    const auto made = std::to_chars(digits, digits + sizeof digits, value, base);
    return put({digits, static_cast<std::size_t>(made.ptr - digits)});
  }
  JsonWriter& text(std::string_view name, const PlanText& value) {
    return put("\"").put(name).put("\": \"").put(view(value)).put("\"");
  }
  std::vector<char> take() { return static_cast<std::vector<char>&&>(text_); }

 private:
  std::vector<char> text_;
};

void put_array(JsonWriter& json, const SavedArray& array) {
  json.put("    {").text("name", array.name).put(", \"bytes\": ").number(array.bytes);
  json.put(", \"runs\": [");
  const char* between = "";
  for (const HomeRun& run : array.runs) {
    json.put(between).put("[").number(run.first).put(",").number(run.count).put(",");
    json.number(static_cast<uint64_t>(run.node)).put("]");
    between = ",";
  }
  json.put("]}");
}

// The schedule's lines, one string each.
void put_loop(JsonWriter& json, const SavedLoop& loop) {
  json.put("    {").text("name", loop.name).put(", \"first\": ").number(loop.first);
  json.put(", \"step\": ").number(loop.step).put(", \"schedule\": [");
  const std::vector<char> text = loop.schedule.text();
  LineReader lines({text.data(), text.size()});
  const char* between = "\"";
  for (std::string_view line; lines.any(line);) {
    json.put(between).put(line).put("\"");
    between = ", \"";
  }
  json.put("]}");
}

}  // namespace

std::vector<char> plan_json(const SavedPlan& plan) {
  JsonWriter json;
  json.put("{\n  \"xylem_plan\": 2,\n  ").text("machine", plan.machine).put(",\n  ");
  json.text("program", plan.program).put(",\n  \"threads\": ").number(plan.threads);
  json.put(",\n  \"page_bytes\": ").number(plan.page_bytes).put(",\n  \"arrays\": [");
  const char* between = "\n";
  for (const SavedArray& array : plan.arrays) {
    json.put(between);
    put_array(json, array);
    between = ",\n";
  }
  json.put("\n  ],\n  \"loops\": [");
  between = "\n";
  for (const SavedLoop& loop : plan.loops) {
    json.put(between);
    put_loop(json, loop);
    between = ",\n";
  }
  json.put("\n  ],\n  \"check\": \"").number(plan_check(plan), 16).put("\"\n}\n");
  return json.take();
}

}  // namespace xylem::count
