// Which processors this process may run on: see cpus.hpp.
#include "os/cpus.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "os/files.hpp"

namespace xylem::os {

namespace {

constexpr int kWordBits = 64;
constexpr int kLargestCpu = (1 << 20) - 1;

// One item of a list: "8", "0-3" or "0-6:2/4".
bool add_list_item(std::string_view item, CpuSet& out) {
  std::string_view stride = item;
  std::string_view range = next_part(stride, ':');
  std::string_view upper = range;
  const std::string_view lower = next_part(upper, '-');
  long long first = 0;
  long long last = 0;
  if (!parse_integer(lower, first)) return false;
  last = first;
  if (range.size() != lower.size() && !parse_integer(upper, last)) return false;
  if (first < 0 || last < first || last > kLargestCpu) return false;
  long long used = 1;
  long long group = 1;
  if (!stride.empty()) {
    const std::string_view taken = next_part(stride, '/');
    if (!parse_integer(taken, used) || !parse_integer(stride, group)) return false;
    if (used < 1 || group < used) return false;
  }
  for (long long cpu = first; cpu <= last; ++cpu) {
    if ((cpu - first) % group < used) out.add(static_cast<int>(cpu));
  }
  return true;
}

int affinity_from_status(CpuSet& out, std::string_view root) {
  std::vector<char> text;
  PathBuffer path(root);
  path.append("/proc/self/status");
  const int error = read_all(path.c_str(), text);
  if (error != 0) return error;
  std::string_view rest(text.data(), text.size());
  while (!rest.empty()) {
    std::string_view value = next_part(rest, '\n');
    const std::string_view name = next_part(value, ':');
    if (name == "Cpus_allowed_list") return parse_cpu_list(value, out) ? 0 : -EINVAL;
  }
  return -ENODATA;
}

}  // namespace

void CpuSet::add(int cpu) {
  if (cpu < 0 || cpu > kLargestCpu) return;
  const auto word = static_cast<std::size_t>(cpu / kWordBits);
  if (word >= words_.size()) words_.resize(word + 1, 0);
  words_[word] |= std::uint64_t{1} << (cpu % kWordBits);
}

void CpuSet::add_range(int first, int last) {
  for (int cpu = std::max(first, 0); cpu <= std::min(last, kLargestCpu); ++cpu) add(cpu);
}

void CpuSet::remove(int cpu) {
  if (has(cpu))
    words_[static_cast<std::size_t>(cpu / kWordBits)] &= ~(std::uint64_t{1} << (cpu % kWordBits));
}

bool CpuSet::has(int cpu) const {
  if (cpu < 0 || cpu > kLargestCpu) return false;
  const auto word = static_cast<std::size_t>(cpu / kWordBits);
  return word < words_.size() && (words_[word] >> (cpu % kWordBits) & 1) != 0;
}

int CpuSet::count() const {
  int total = 0;
  for (const std::uint64_t word : words_) total += std::popcount(word);
  return total;
}

int CpuSet::next(int after) const {
  const int end = static_cast<int>(words_.size()) * kWordBits;
  for (int cpu = std::max(after + 1, 0); cpu < end; ++cpu) {
    if (has(cpu)) return cpu;
  }
  return -1;
}

void CpuSet::intersect(const CpuSet& other) {
  if (words_.size() > other.words_.size()) words_.resize(other.words_.size());
  for (std::size_t word = 0; word < words_.size(); ++word) words_[word] &= other.words_[word];
}

bool CpuSet::operator==(const CpuSet& other) const {
  const std::size_t longest = std::max(words_.size(), other.words_.size());
  for (std::size_t word = 0; word < longest; ++word) {
    const std::uint64_t mine = word < words_.size() ? words_[word] : 0;
    const std::uint64_t theirs = word < other.words_.size() ? other.words_[word] : 0;
    if (mine != theirs) return false;
  }
  return true;
}

bool parse_cpu_list(std::string_view text, CpuSet& out) {
  out.clear();
  text = trim(text);
  while (!text.empty()) {
    if (!add_list_item(next_part(text, ','), out)) return false;
  }
  return true;
}

int format_cpu_list(const CpuSet& cpus, char* buffer, std::size_t room) {
  constexpr std::size_t kLongestItem = 24;  // ",1048575-1048575" and the "..." after it
  if (room == 0) return 0;
  char* at = buffer;
  char* const end = buffer + room;
  for (int first = cpus.next(-1); first >= 0;) {
    int last = first;
    while (cpus.has(last + 1)) ++last;
    if (static_cast<std::size_t>(end - at) < kLongestItem) {
      const auto dots = std::min<std::size_t>(3, static_cast<std::size_t>(end - at) - 1);
      std::memcpy(at, "...", dots);
      at += dots;
      break;
    }
    if (at != buffer) *at++ = ',';
    at = std::to_chars(at, end, first).ptr;
    if (last > first) {
      *at++ = '-';
      at = std::to_chars(at, end, last).ptr;
    }
    first = cpus.next(last);
  }
  *at = '\0';
  return static_cast<int>(at - buffer);
}

int affinity_cpus(CpuSet& out, std::string_view root) {
  out.clear();
  if (!root.empty()) return affinity_from_status(out, root);
  // The kernel refuses a mask smaller than its own with EINVAL, so try until one is large enough.
  for (int limit = 1024; limit <= kLargestCpu + 1; limit *= 4) {
    std::vector<std::uint64_t> mask(static_cast<std::size_t>(limit / kWordBits), 0);
    const std::size_t bytes = mask.size() * sizeof(mask[0]);
    if (::sched_getaffinity(0, bytes, reinterpret_cast<cpu_set_t*>(mask.data())) == 0) {
      for (int first = 0; first < limit; first += kWordBits) {
        std::uint64_t word = mask[static_cast<std::size_t>(first / kWordBits)];
        for (; word != 0; word &= word - 1) out.add(first + std::countr_zero(word));
      }
      return 0;
    }
    if (errno != EINVAL) return -errno;
  }
  return -EINVAL;
}

int affinity_mask_bits() {
  const long configured = ::sysconf(_SC_NPROCESSORS_CONF);
  int words =
      static_cast<int>(std::clamp(configured, 1L, kLargestCpu + 1L) + kWordBits - 1) / kWordBits;
  std::vector<std::uint64_t> mask((kLargestCpu + 1) / kWordBits, 0);
  for (; words < static_cast<int>(mask.size()); ++words) {
    const std::size_t bytes = static_cast<std::size_t>(words) * sizeof(mask[0]);
    if (::sched_getaffinity(0, bytes, reinterpret_cast<cpu_set_t*>(mask.data())) == 0) break;
    if (errno != EINVAL) break;
  }
  return words * kWordBits;
}

int online_cpus(CpuSet& out, std::string_view root) {
  std::vector<char> text;
  PathBuffer path(root);
  path.append("/sys/devices/system/cpu/online");
  const int error = read_all(path.c_str(), text);
  if (error != 0) return error;
  return parse_cpu_list({text.data(), text.size()}, out) ? 0 : -EINVAL;
}

}  // namespace xylem::os
