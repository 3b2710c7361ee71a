// Reading who sends how much to whom; see communication.hpp.
#include "tool/mpi/communication.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

namespace xylem::tool::mpi {

namespace {

[[noreturn]] void refuse(const std::string& why) { throw InputError(why); }

std::size_t square(int ranks) {
  return static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks);
}

void check_rank_count(long long ranks, const std::string& name) {
  if (ranks < 1) refuse(fmt::format("{} has no ranks", name));
  if (ranks > kMostRanks) {
    refuse(fmt::format("{} has {} ranks; {} are the most", name, ranks, kMostRanks));
  }
}

void check_number(double value, const std::string& name, int from, int to) {
  if (std::isfinite(value) && value >= 0) return;
  refuse(fmt::format("{}: from rank {} to rank {} stands {}, which is no number of bytes", name,
                     from, to, value));
}

// --- the matrix ----------------------------------------------------------------------------------

bool is_blank(char letter) { return letter == ' ' || letter == '\t' || letter == '\r'; }

// The next word of the line from `at` on; empty at its end or before a comment.
std::string_view next_word(std::string_view line, std::size_t& at) {
  while (at < line.size() && (is_blank(line[at]) || line[at] == ',')) ++at;
  if (at == line.size() || line[at] == '#') return {};
  const std::size_t begin = at;
  while (at < line.size() && !is_blank(line[at]) && line[at] != ',' && line[at] != '#') ++at;
  return line.substr(begin, at - begin);
}

std::vector<double> parse_row(std::string_view line, int number, const std::string& name) {
  std::vector<double> row;
  std::size_t at = 0;
  for (std::string_view word = next_word(line, at); !word.empty(); word = next_word(line, at)) {
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) {
      refuse(fmt::format("{}, line {}: '{}' is no number", name, number, word));
    }
    row.push_back(value);
  }
  return row;
}

std::vector<std::vector<double>> parse_rows(std::string_view text, const std::string& name) {
  std::vector<std::vector<double>> rows;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::vector<double> row = parse_row(text.substr(0, end), ++number, name);
    if (!row.empty()) rows.push_back(std::move(row));
    if (rows.size() > static_cast<std::size_t>(kMostRanks)) break;
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return rows;
}

Communication parse_matrix(std::string_view text, const std::string& name) {
  const std::vector<std::vector<double>> rows = parse_rows(text, name);
  check_rank_count(static_cast<long long>(rows.size()), name);
  Communication all{static_cast<int>(rows.size()), {}, {}};
  all.bytes.reserve(square(all.ranks));
  for (int from = 0; from < all.ranks; ++from) {
    const std::vector<double>& row = rows[static_cast<std::size_t>(from)];
    if (row.size() != rows.size()) {
      refuse(
          fmt::format("{}: there are {} rows, but the row of rank {} has {} numbers; a rank is "
                      "missing or too many",
                      name, rows.size(), from, row.size()));
    }
    for (int to = 0; to < all.ranks; ++to) {
      const double value = row[static_cast<std::size_t>(to)];
      check_number(value, name, from, to);
      all.bytes.push_back(from == to ? 0 : value);
    }
  }
  return all;
}

// --- the recording -------------------------------------------------------------------------------

int rank_of(const nlohmann::json& value, int ranks, const std::string& name) {
  const int rank = value.is_number_integer() ? value.get<int>() : -1;
  if (rank >= 0 && rank < ranks) return rank;
  refuse(fmt::format("{}: a pair names rank {}, but there are ranks 0 to {}", name, value.dump(),
                     ranks - 1));
}

double number_of(const nlohmann::json& value, const std::string& name, int from, int to) {
  const double number = value.is_number() ? value.get<double>() : std::nan("");
  check_number(number, name, from, to);
  return number;
}

void add_pair(const nlohmann::json& pair, Communication& all, const std::string& name) {
  if (!pair.is_array() || pair.size() != 4) {
    refuse(fmt::format("{}: a pair is [from, to, bytes, messages], not {}", name, pair.dump()));
  }
  const int from = rank_of(pair[0], all.ranks, name), to = rank_of(pair[1], all.ranks, name);
  const double bytes = number_of(pair[2], name, from, to);
  const double messages = number_of(pair[3], name, from, to);
  if (from == to) return;
  const std::size_t at = static_cast<std::size_t>(from) * static_cast<std::size_t>(all.ranks) +
                         static_cast<std::size_t>(to);
  all.bytes[at] += bytes;
  all.messages[at] += messages;
}

Communication parse_recording(std::string_view text, const std::string& name) {
  const nlohmann::json file = nlohmann::json::parse(text, nullptr, false);
  if (file.is_discarded()) refuse(fmt::format("{} is not whole: it is no JSON", name));
  if (!file.is_object() || file.value("format", "") != "xylem-mpi" ||
      file.value("version", 0) != 1 || !file.contains("ranks") ||
      !file["ranks"].is_number_integer() || !file.contains("pairs") || !file["pairs"].is_array()) {
    refuse(fmt::format("{} is no recording of `xylem mpi record`, version 1", name));
  }
  const auto ranks = file["ranks"].get<long long>();
  check_rank_count(ranks, name);
  Communication all{static_cast<int>(ranks), {}, {}};
  all.bytes.resize(square(all.ranks));
  all.messages.resize(square(all.ranks));
  for (const nlohmann::json& pair : file["pairs"]) add_pair(pair, all, name);
  return all;
}

}  // namespace

std::vector<std::vector<Partner>> partners_of(const Communication& communication) {
  std::vector<std::vector<Partner>> all(static_cast<std::size_t>(communication.ranks));
  for (int a = 0; a < communication.ranks; ++a) {
    for (int b = 0; b < communication.ranks; ++b) {
      const double bytes = a == b ? 0 : communication.between(a, b);
      if (bytes > 0) all[static_cast<std::size_t>(a)].push_back({b, bytes});
    }
  }
  return all;
}

Communication parse_communication(std::string_view text, const std::string& name) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool recording = first != std::string_view::npos && text[first] == '{';
  return recording ? parse_recording(text, name) : parse_matrix(text, name);
}

Communication read_communication(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in) refuse(fmt::format("'{}' cannot be read", file));
  return parse_communication(text, "'" + file + "'");
}

}  // namespace xylem::tool::mpi
