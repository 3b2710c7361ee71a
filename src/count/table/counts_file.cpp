// Owns: writing and reading Counts. See counts_file.hpp.
#include "count/table/counts_file.hpp"

#include <iterator>

#include "count/table/lines.hpp"
#include "os/files.hpp"
#include "os/kept_file.hpp"

namespace xylem::count {

namespace {

constexpr std::string_view first_line = "xylem counts 1";
constexpr std::size_t least_bytes_a_cell = 8;  // "0 0 0 1\n"
constexpr uint64_t most_page_bytes = uint64_t{1} << 30;

constexpr std::string_view names[] = {"pages", "threads", "pages_by_threads"};  // as Rows has them

bool read_rows(LineReader& reader, Rows& rows) {
  std::string_view name;
  if (!reader.text("rows", name)) return false;
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (name != names[i]) continue;
    rows = static_cast<Rows>(i);
    return true;
  }
  return false;
}

bool is_behind(uint64_t row, uint64_t node, const Cell& before) {
  return row > before.row || (row == before.row && node > static_cast<uint64_t>(before.node));
}

const char* read_cells(LineReader& reader, Counts& counts) {
  uint64_t cells = 0;
  if (!reader.number("cells", 0, reader.left() / least_bytes_a_cell, cells))
    return "says how many cells it has in a way that cannot be";
  Cell before{0, -1, 0, 0};
  for (uint64_t i = 0; i < cells; ++i) {
    uint64_t values[4];  // row, node, reads, writes
    if (!reader.numbers(values, UINT64_MAX)) return "has a line that is no cell";
    if (values[1] >= static_cast<uint64_t>(counts.nodes())) return "names a node that is none";
    if (i > 0 && !is_behind(values[0], values[1], before)) return "has its cells out of order";
    if (values[2] > most_accesses || values[3] > most_accesses || values[2] + values[3] == 0)
      return "has a count that cannot be";
    before = {values[0], static_cast<int>(values[1]), 0, 0};
    counts.add(values[0], before.node, values[2], values[3]);
  }
  return nullptr;
}

}  // namespace

std::vector<char> counts_text(const Counts& counts) {
  LineWriter writer;
  writer.line(first_line);
  writer.text("rows", names[static_cast<std::size_t>(counts.rows())]);
  writer.number("nodes", static_cast<uint64_t>(counts.nodes()));
  writer.number("page_bytes", counts.page_bytes());
  writer.number("cells", counts.size());
  for (const Cell& cell : counts.sorted()) {
    const uint64_t values[] = {cell.row, static_cast<uint64_t>(cell.node), cell.reads, cell.writes};
    writer.numbers(values);
  }
  writer.line("end");
  return writer.take();
}

int write_counts(const char* path, const Counts& counts) {
  const std::vector<char> text = counts_text(counts);
  return os::write_kept_file(path, {text.data(), text.size()});
}

base::Result<Counts> parse_counts(std::string_view text) {
  LineReader reader(text);
  if (!reader.line(first_line)) return base::Error{"is no file of counts of this version"};
  Rows rows = Rows::pages;
  uint64_t nodes = 0, page_bytes = 0;
  if (!read_rows(reader, rows)) return base::Error{"has rows that are neither pages nor threads"};
  if (!reader.number("nodes", 1, most_nodes, nodes))
    return base::Error{"has a number of nodes that cannot be"};
  if (!reader.number("page_bytes", 1, most_page_bytes, page_bytes))
    return base::Error{"has a size of pages that cannot be"};
  Counts counts(rows, static_cast<int>(nodes), page_bytes);
  if (const char* wrong = read_cells(reader, counts)) return base::Error{wrong};
  if (!reader.line("end") || !reader.at_end()) return base::Error{"does not end where it should"};
  return counts;
}

base::Result<Counts> read_counts(const char* path) {
  std::vector<char> text;
  const int error = os::read_all(path, text);
  if (error != 0) return base::Error{"cannot be read", -error};
  return parse_counts({text.data(), text.size()});
}

}  // namespace xylem::count
