// Owns: reading /proc/zoneinfo. See zones.hpp.
#include "os/zones.hpp"

#include <algorithm>

#include "os/files.hpp"
#include "os/memory.hpp"
#include "os/numa.hpp"

namespace xylem::os {

namespace {

// A zone of a node as far as it was read, in pages.
struct Zone {
  long long node = -1;
  long long free = 0;
  long long high = 0;  // with fewer free pages the kernel goes on to reclaim
  long long kept = 0;  // for who can use no other memory

  bool is_known() const { return node >= 0 && node < most_nodes; }
  int64_t free_pages_kept() const { return std::clamp<int64_t>(high + kept, 0, free); }
};

// False: the line does not begin with the key.
bool take_key(std::string_view& line, std::string_view key) {
  if (!line.starts_with(key)) return false;
  line.remove_prefix(key.size());
  return true;
}

long long count_in(std::string_view text) {
  long long count = 0;
  constexpr long long most = 1LL << 36;  // pages, so that sums stay in range
  return parse_integer(text, count) ? std::clamp(count, 0LL, most) : 0;
}

// Of "(0, 194, 194)".
long long largest_in(std::string_view list) {
  list = list.substr(0, list.find(')'));
  take_key(list, "(");
  long long largest = 0;
  while (!list.empty()) largest = std::max(largest, count_in(next_part(list, ',')));
  return largest;
}

// A line of a zone; true: the last one that is wanted.
bool read_line(std::string_view line, Zone& zone) {
  if (take_key(line, "Node ")) {
    zone = {};
    parse_integer(next_part(line, ','), zone.node);
  }
  if (take_key(line, "pages free ")) zone.free = count_in(line);
  if (take_key(line, "high ")) zone.high = count_in(line);
  if (!take_key(line, "protection: ")) return false;
  zone.kept = largest_in(line);
  return true;
}

}  // namespace

std::vector<int64_t> free_bytes_kept_in(std::string_view zoneinfo) {
  std::vector<int64_t> bytes;
  Zone zone;
  while (!zoneinfo.empty()) {
    if (!read_line(trim(next_part(zoneinfo, '\n')), zone) || !zone.is_known()) continue;
    const auto node = static_cast<std::size_t>(zone.node);
    bytes.resize(std::max(bytes.size(), node + 1));
    bytes[node] += zone.free_pages_kept() * static_cast<int64_t>(page_size());
  }
  return bytes;
}

int free_bytes_kept(std::vector<int64_t>& bytes, const char* root) {
  PathBuffer path(root);
  path.append("/proc/zoneinfo");
  std::vector<char> text;
  if (const int error = read_all(path.c_str(), text)) return error;
  bytes = free_bytes_kept_in({text.data(), text.size()});
  return 0;
}

}  // namespace xylem::os
