// Owns: rings and records of samples. See access_samples.hpp.
#include "os/access_samples.hpp"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstring>

#include "os/memory.hpp"
#include "os/raw_syscall.hpp"

namespace xylem::os {

namespace {

constexpr std::size_t ring_pages = 16;  // 64 KiB: 1638 samples

// What a sample's record has, in the kernel's order.
constexpr uint64_t sample_fields =
    PERF_SAMPLE_TID | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD | PERF_SAMPLE_DATA_SRC;
struct SampleRecord {
  uint32_t process = 0, thread = 0;
  uint64_t address = 0;
  uint64_t period = 0;
  uint64_t source = 0;
};
struct LostRecord {
  uint64_t id = 0, lost = 0;
};

perf_event_attr attributes(const SampledEvent& event) {
  perf_event_attr of{};
  of.size = sizeof of;
  of.type = event.type;
  of.config = event.config[0];
  of.config1 = event.config[1];
  of.config2 = event.config[2];
  of.sample_type = sample_fields;
  of.freq = event.rate > 0 ? 1 : 0;
  if (event.rate > 0)
    of.sample_freq = event.rate;
  else
    of.sample_period = 1;
  of.exclude_hv = 1;
  return of;
}

long open_event(const perf_event_attr& of, long group) {
  return raw_syscall(SYS_perf_event_open, reinterpret_cast<long>(&of), 0, -1, group,
                     PERF_FLAG_FD_CLOEXEC);
}

void close_if_open(long descriptor) {
  if (descriptor >= 0) raw_syscall(SYS_close, descriptor);
}

// As exactly as this machine can, without the kernel's own accesses where that can be had.
long open_best(const SampledEvent& event, long group) {
  perf_event_attr of = attributes(event);
  long opened = -EINVAL;
  for (const unsigned without_kernel : {1u, 0u})
    for (const unsigned precise : {3u, 2u, 1u, 0u}) {
      of.exclude_kernel = without_kernel & 1u;
      of.precise_ip = precise & 3u;
      opened = open_event(of, group);
      if (opened != -EINVAL && opened != -EOPNOTSUPP) return opened;
    }
  return opened;
}

long open_leader(const SampledEvent& event) {
  SampledEvent leader = event;
  leader.config[0] = event.leader_config;
  leader.config[1] = leader.config[2] = 0;
  perf_event_attr of = attributes(leader);
  of.sample_type = 0;
  of.freq = 0;
  of.sample_period = 0;
  of.exclude_kernel = 1;
  return open_event(of, -1);
}

const std::byte* at(std::span<const std::byte> ring, uint64_t position) {
  return &ring[static_cast<std::size_t>(position) & (ring.size() - 1)];
}

// A record may go round the ring's end.
void copy_from(std::span<const std::byte> ring, uint64_t position, void* to, std::size_t bytes) {
  const std::size_t begin = static_cast<std::size_t>(position) & (ring.size() - 1);
  const std::size_t first = bytes < ring.size() - begin ? bytes : ring.size() - begin;
  std::memcpy(to, at(ring, position), first);
  if (first < bytes) std::memcpy(static_cast<char*>(to) + first, ring.data(), bytes - first);
}

void give_sample(const SampleRecord& record, AccessSampleSink sink, void* to) {
  constexpr uint64_t kernels_half = uint64_t{1} << 63;
  if (record.address == 0 || (record.address & kernels_half) != 0) return;
  perf_mem_data_src source{};
  source.val = record.source;
  AccessSample sample;
  sample.address = static_cast<uintptr_t>(record.address);
  sample.events = record.period > 0 ? record.period : 1;
  sample.kernel_thread = static_cast<int>(record.thread);
  sample.is_write = (source.mem_op & PERF_MEM_OP_STORE) != 0;
  sink(to, sample);
}

}  // namespace

uint64_t read_sample_records(std::span<const std::byte> ring, uint64_t tail, uint64_t head,
                             AccessSampleSink sink, void* to) {
  uint64_t lost = 0;
  perf_event_header header{};
  for (uint64_t position = tail; position + sizeof header <= head; position += header.size) {
    copy_from(ring, position, &header, sizeof header);
    if (header.size < sizeof header || header.size > head - position) break;
    const std::size_t body = header.size - sizeof header;
    if (header.type == PERF_RECORD_SAMPLE && body >= sizeof(SampleRecord)) {
      SampleRecord record;
      copy_from(ring, position + sizeof header, &record, sizeof record);
      give_sample(record, sink, to);
    } else if (header.type == PERF_RECORD_LOST && body >= sizeof(LostRecord)) {
      LostRecord record;
      copy_from(ring, position + sizeof header, &record, sizeof record);
      lost += record.lost;
    }
  }
  return lost;
}

int open_sample_ring(const SampledEvent& event, SampleRing& ring) {
  const long leader = event.has_leader ? open_leader(event) : -1;
  if (event.has_leader && leader < 0) return static_cast<int>(leader);
  const long opened = open_best(event, leader);
  if (opened < 0) {
    close_if_open(leader);
    return static_cast<int>(opened);
  }
  const std::size_t bytes = (ring_pages + 1) * page_size();
  const long pages = raw_syscall(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                                 MAP_SHARED, opened);
  if (pages < 0 && pages > -4096) {
    close_if_open(opened);
    close_if_open(leader);
    return static_cast<int>(pages);
  }
  ring = {reinterpret_cast<char*>(pages), static_cast<int>(opened), static_cast<int>(leader)};
  return 0;
}

void close_sample_ring(SampleRing& ring) {
  if (ring.pages == nullptr) return;
  raw_syscall(SYS_munmap, reinterpret_cast<long>(ring.pages),
              static_cast<long>((ring_pages + 1) * page_size()));
  close_if_open(ring.descriptor);
  close_if_open(ring.leader);
  ring = {};
}

uint64_t take_samples(const SampleRing& ring, AccessSampleSink sink, void* to) {
  auto* positions = reinterpret_cast<perf_event_mmap_page*>(ring.pages);
  // The kernel writes the head after its records, and records no further than the tail.
  const uint64_t head = __atomic_load_n(&positions->data_head, __ATOMIC_ACQUIRE);
  const uint64_t tail = positions->data_tail;
  if (head == tail) return 0;
  const auto* records = reinterpret_cast<const std::byte*>(ring.pages + page_size());
  const uint64_t lost =
      read_sample_records({records, ring_pages * page_size()}, tail, head, sink, to);
  __atomic_store_n(&positions->data_tail, head, __ATOMIC_RELEASE);
  return lost;
}

}  // namespace xylem::os
