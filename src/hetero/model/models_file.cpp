// Owns: writing and reading kept models. See models_file.hpp.
#include "hetero/model/models_file.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>

#include "hetero/model/history.hpp"
#include "os/kept_file.hpp"

namespace xylem::hetero {

namespace {

constexpr std::string_view first_line = "xylem models 2";
constexpr long long most_ns = 1ll << 53;  // whole numbers below are exact in a double
constexpr long long most_kind = 31;       // Entry::kinds has a bit for each

const char* name_of(Unit unit) { return unit == Unit::work ? "work" : "bytes"; }

void add_model(std::vector<char>& text, const Model& model) {
  const About& about = model.about;
  char numbers[192];
  std::snprintf(numbers, sizeof numbers, "%016" PRIx64 " %016" PRIx64 " %d %s %" PRIu64 " %zu %zu ",
                about.key, about.family, about.kind, name_of(about.unit), about.size, model.drifts,
                model.samples.size());
  os::append(text, numbers);
  for (const double ns : model.samples) {
    std::snprintf(numbers, sizeof numbers, "%lld ", static_cast<long long>(ns));
    os::append(text, numbers);
  }
  os::append_on_one_line(text, about.codelet.view());
  os::append(text, "\n");
}

bool take_key(std::string_view& line, uint64_t& key) {
  const std::string_view text = os::next_part(line, ' ');
  key = 0;
  for (const char letter : text) {
    const std::string_view digits = "0123456789abcdef";
    const size_t digit = digits.find(letter);
    if (digit == std::string_view::npos) return false;
    key = key << 4 | digit;
  }
  return text.size() == 16 && key != 0;
}

bool take_unit(std::string_view& line, Unit& unit) {
  const std::string_view name = os::next_part(line, ' ');
  unit = name == name_of(Unit::work) ? Unit::work : Unit::bytes;
  return name == name_of(unit);
}

bool take_about(std::string_view& line, About& about) {
  long long kind = 0;
  long long size = 0;
  const bool good = take_key(line, about.key) && take_key(line, about.family) &&
                    os::next_number(line, most_kind, kind) && take_unit(line, about.unit) &&
                    os::next_number(line, INT64_MAX, size);
  about.kind = static_cast<int>(kind);
  about.size = static_cast<uint64_t>(size);
  return good;
}

bool parse_model(std::string_view line, Model& model) {
  long long drifts = 0;
  long long count = 0;
  if (!take_about(line, model.about) || !os::next_number(line, INT64_MAX, drifts) ||
      !os::next_number(line, History::kept, count))
    return false;
  model.drifts = static_cast<size_t>(drifts);
  for (long long i = 0; i < count; ++i) {
    long long ns = 0;
    if (!os::next_number(line, most_ns, ns)) return false;
    model.samples.push_back(static_cast<double>(ns));
  }
  model.about.codelet = Name(line);
  return !line.empty();
}

}  // namespace

os::PathBuffer models_path(const char* cache_folder, uint64_t machine_key) {
  return os::kept_path(cache_folder, "models", machine_key);
}

std::vector<char> models_text(std::span<const Model> models) {
  return os::rows_text(first_line, models, add_model);
}

bool parse_models(std::string_view text, std::vector<Model>& models) {
  return os::parse_rows(text, first_line, models, parse_model);
}

std::vector<Model> read_models(const char* path) {
  std::vector<char> text;
  std::vector<Model> models;
  if (os::read_all(path, text) == 0) parse_models({text.data(), text.size()}, models);
  return models;
}

int write_models(const char* path, std::span<const Model> models) {
  const std::vector<char> text = models_text(models);
  return os::write_kept_file(path, {text.data(), text.size()});
}

int merge_models(const char* path, std::span<const Model> models) {
  std::vector<uint64_t> keys;
  for (const Model& model : models) keys.push_back(model.about.key);
  std::sort(keys.begin(), keys.end());
  std::vector<Model> all = read_models(path);
  std::erase_if(all, [&](const Model& old) {
    return std::binary_search(keys.begin(), keys.end(), old.about.key);
  });
  all.insert(all.end(), models.begin(), models.end());
  return write_models(path, all);
}

}  // namespace xylem::hetero
