// Owns: the timed loops. See costs_probe.hpp.
#include "mem/cost/costs_probe.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <vector>

#include "os/cache_lines.hpp"
#include "os/clock.hpp"
#include "os/memory.hpp"

namespace xylem::mem {

namespace {

constexpr int runs = 5;
constexpr std::size_t most_links = 4096;       // of a chain
constexpr std::size_t stream_bytes = 4 << 20;  // or the whole region
constexpr std::size_t words_in_line = os::cache_line_bytes / sizeof(uint64_t);
constexpr uint64_t no_address = os::cache_line_bytes - 1;  // bits that count writes to a link

// A line of the chain: the next one's address; the write chase counts in the
// low bits.
struct alignas(os::cache_line_bytes) Link {
  uint64_t next;
};
Link* link_at(uint64_t next) { return reinterpret_cast<Link*>(next & ~no_address); }

// xorshift64
uint64_t next_random(uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

// A ring through the region in random order, one line at a random place in each
// of equal blocks: no prefetcher knows what is next.
std::vector<Link*> make_ring(const ProbeArea& region) {
  const std::size_t count = std::min(most_links, region.bytes() / os::cache_line_bytes);
  const std::size_t lines_in_block = region.bytes() / count / os::cache_line_bytes;
  auto* lines = reinterpret_cast<Link*>(region.start());
  uint64_t random = 0x9e3779b97f4a7c15;
  std::vector<Link*> ring(count);
  for (std::size_t i = 0; i < count; ++i)
    ring[i] = lines + i * lines_in_block + next_random(random) % lines_in_block;
  for (std::size_t i = count - 1; i > 0; --i)
    std::swap(ring[i], ring[next_random(random) % (i + 1)]);
  for (std::size_t i = 0; i < count; ++i)
    ring[i]->next = reinterpret_cast<uint64_t>(ring[(i + 1) % count]);
  return ring;
}

void chase_reading(Link* link, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const uint64_t next = *static_cast<volatile uint64_t*>(&link->next);
    link = link_at(next);
  }
}

// An atomic addition owns the line before it tells the address of the next.
void chase_writing(Link* link, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    link = link_at(__atomic_fetch_add(&link->next, 1,
                                      __ATOMIC_RELAXED));  // nobody else is here
}

double time_chase(const std::vector<Link*>& ring, void (*chase)(Link*, std::size_t)) {
  double least = 0;
  for (int run = 0; run < runs; ++run) {
    for (const Link* link : ring) os::flush_line(link);
    os::finish_flushes();
    const int64_t before = os::now_ns();
    chase(ring[0], ring.size());
    const double took = static_cast<double>(os::now_ns() - before);
    if (run == 0 || took < least) least = took;
  }
  return std::max(least, 1.0) / static_cast<double>(ring.size());
}

void stream_reading(volatile uint64_t* words, std::size_t count) {
  for (std::size_t i = 0; i < count; i += words_in_line)
    for (std::size_t word = 0; word < words_in_line; ++word) static_cast<void>(words[i + word]);
}

void stream_writing(volatile uint64_t* words, std::size_t count) {
  for (std::size_t i = 0; i < count; i += words_in_line)
    for (std::size_t word = 0; word < words_in_line; ++word) words[i + word] = i;
}

std::size_t bytes_of_stream(const ProbeArea& region) {
  return std::min(stream_bytes, region.bytes());
}

using Stream = void (*)(volatile uint64_t*, std::size_t);

double time_one_stream(const ProbeArea& region, Stream stream) {
  const std::size_t bytes = bytes_of_stream(region);
  const int64_t before = os::now_ns();
  stream(reinterpret_cast<volatile uint64_t*>(region.start()), bytes / sizeof(uint64_t));
  const double took = static_cast<double>(os::now_ns() - before);
  return std::max(took, 1.0) / static_cast<double>(bytes);
}

double time_stream(const ProbeArea& region, Stream stream) {
  double least = 0;
  for (int run = 0; run < runs; ++run) {
    region.flush();
    const double took = time_one_stream(region, stream);
    if (run == 0 || took < least) least = took;
  }
  return least;
}

}  // namespace

ProbeArea::ProbeArea(std::size_t bytes, bool huge) {
  start_ = os::map_pages(bytes);
  if (!start_) return;
  bytes_ = bytes;
  if (huge) os::advise_huge_pages(start_, bytes,
                                  true);  // fewer misses of translations, if it can
}

ProbeArea::~ProbeArea() {
  if (start_) os::unmap_pages(start_, bytes_);
}

int ProbeArea::place(int kernel_node) {
  // Preferred, not bound: on a full node the kernel would end processes to make
  // room.
  if (kernel_node >= 0) {
    const int error = os::set_page_policy(start_, bytes_, os::PagePolicy::preferred,
                                          os::NodeSet::of(kernel_node));
    if (error != 0) return error;
  }
  touch();
  return kernel_node >= 0 ? look_where(kernel_node) : 0;
}

int ProbeArea::place_over(const os::NodeSet& kernel_nodes) {
  const int error = os::set_page_policy(start_, bytes_, os::PagePolicy::interleaved, kernel_nodes);
  if (error == 0) touch();
  return error;
}

void ProbeArea::touch() {
  for (std::size_t i = 0; i < bytes_; i += os::page_size()) start_[i] = 1;
}

void ProbeArea::flush() const {
  for (std::size_t i = 0; i < bytes_of_stream(*this); i += os::cache_line_bytes)
    os::flush_line(start_ + i);
  os::finish_flushes();
}

int ProbeArea::look_where(int kernel_node) const {
  constexpr std::size_t looks = 64;
  void* pages[looks];
  int status[looks];
  const std::size_t all = bytes_ / os::page_size();
  for (std::size_t i = 0; i < looks; ++i) pages[i] = start_ + i * all / looks * os::page_size();
  const long error = os::move_pages(looks, pages, nullptr, status);
  if (error != 0) return error < 0 ? static_cast<int>(error) : -EIO;
  const bool there = std::all_of(status, status + looks, [&](int at) { return at == kernel_node; });
  return there ? 0 : -EIO;
}

AccessTimes time_access(const ProbeArea& region) {
  AccessTimes times;
  const std::vector<Link*> ring = make_ring(region);
  times.read_latency_ns = time_chase(ring, chase_reading);
  times.write_latency_ns = time_chase(ring, chase_writing);
  times.read_ns_per_byte = time_stream(region, stream_reading);
  times.write_ns_per_byte = time_stream(region, stream_writing);
  return times;
}

double time_reading(const ProbeArea& region) { return time_one_stream(region, stream_reading); }
double time_writing(const ProbeArea& region) { return time_one_stream(region, stream_writing); }

double time_move(const ProbeArea& region, std::size_t pages, int to_kernel_node) {
  std::vector<void*> addresses(pages);
  for (std::size_t i = 0; i < pages; ++i) addresses[i] = region.start() + i * os::page_size();
  const std::vector<int> nodes(pages, to_kernel_node);
  std::vector<int> status(pages, -1);
  const int64_t before = os::now_ns();
  const long error = os::move_pages(pages, addresses.data(), nodes.data(), status.data());
  const double took = static_cast<double>(os::now_ns() - before);
  const bool all =
      std::all_of(status.begin(), status.end(), [&](int at) { return at == to_kernel_node; });
  return error == 0 && all ? std::max(took, 1.0) : -1;
}

}  // namespace xylem::mem
