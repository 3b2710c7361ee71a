#include "matrix_market.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace jobs {
namespace {

struct Header {
  bool pattern = false;
  double mirrored = 0;  // what the entry across the diagonal is times this one; 0: nothing is there
};

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw std::runtime_error(path + ": " + what);
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Header read_header(std::istream& in, const std::string& path) {
  std::string line;
  std::getline(in, line);
  std::istringstream words(lower(line));
  std::string magic;
  std::string object;
  std::string format;
  std::string field;
  std::string symmetry;
  words >> magic >> object >> format >> field >> symmetry;
  if (magic != "%%matrixmarket" || object != "matrix") fail(path, "not a Matrix Market matrix");
  if (format != "coordinate") fail(path, "not a sparse matrix but an " + format);
  Header header;
  header.pattern = field == "pattern";
  if (!header.pattern && field != "real" && field != "integer" && field != "double")
    fail(path, "numbers of kind " + field + " are not served");
  if (symmetry == "symmetric")
    header.mirrored = 1;
  else if (symmetry == "skew-symmetric")
    header.mirrored = -1;
  else if (symmetry != "general")
    fail(path, "symmetry " + symmetry + " is not served");
  return header;
}

// The next line that is neither comment nor empty.
std::istringstream next_line(std::istream& in) {
  std::string line;
  while (std::getline(in, line) && (line.empty() || line[0] == '%')) continue;
  return std::istringstream(in ? line : "");
}

}  // namespace

Matrix read_matrix_market(const std::string& path) {
  std::ifstream in(path);
  if (!in) fail(path, "cannot be read");
  const Header header = read_header(in, path);
  long rows = 0;
  long columns = 0;
  long count = 0;
  if (!(next_line(in) >> rows >> columns >> count) || count < 0) fail(path, "no line of sizes");
  if (rows != columns || rows < 1 || rows > 10000000) fail(path, "not square, or too large");
  std::vector<Entry> entries;
  for (long n = 0; n < count; ++n) {
    std::istringstream line = next_line(in);
    long i = 0;
    long j = 0;
    double value = 1;
    if (!(line >> i >> j) || (!header.pattern && !(line >> value)) || i < 1 || j < 1 || i > rows ||
        j > rows)
      fail(path, "entry " + std::to_string(n + 1) + " cannot be read");
    entries.push_back({static_cast<int>(i - 1), static_cast<int>(j - 1), value});
    if (i != j && header.mirrored != 0)
      entries.push_back(
          {static_cast<int>(j - 1), static_cast<int>(i - 1), value * header.mirrored});
  }
  return matrix_from_entries(static_cast<int>(rows), std::move(entries));
}

}  // namespace jobs
