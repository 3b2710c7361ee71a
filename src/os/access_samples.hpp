// Owns: the kernel's sampling of what a kernel thread accesses (perf_event_open): events that the
// processor counts, and a ring of samples with their data addresses for each kernel thread.
//
// Invariant: a ring belongs to the kernel thread that opened it, goes on when that thread has ended
// (nothing more comes), and is not there in a child of fork().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace xylem::os {

// An event as the kernel knows it.
struct SampledEvent {
  uint32_t type = 0;
  uint64_t config[3] = {};
  // Samples a second, to which the kernel fits the period; 0: each event is a sample.
  uint64_t rate = 0;
  // The kernel wants another event as the leader of this one's group (Intel's mem-loads-aux).
  bool has_leader = false;
  uint64_t leader_config = 0;
};

struct AccessSample {
  uintptr_t address = 0;  // of the program's data
  uint64_t events = 1;    // that the sample stands for
  int kernel_thread = 0;
  bool is_write = false;  // false also where the processor does not say
};
using AccessSampleSink = void (*)(void* to, const AccessSample& sample);

struct SampleRing {
  char* pages = nullptr;  // the kernel's page of positions, then the records; null: not open
  int descriptor = -1;
  int leader = -1;  // of the event's group; -1: it leads itself
};

// Begins to sample the calling kernel thread. 0 or a negative errno: -ENOENT, -EOPNOTSUPP, -ENODEV
// (the machine has no such event), -EACCES, -EPERM (perf_event_paranoid), -ENOSYS, -EMFILE ...
int open_sample_ring(const SampledEvent& event, SampleRing& ring);
void close_sample_ring(SampleRing& ring);
// Gives all samples that came since the last call; by one thread at a time. Returns how many
// samples the kernel had to drop.
uint64_t take_samples(const SampleRing& ring, AccessSampleSink sink, void* to);

// The records of `ring` (a power of two of bytes, read round) from `tail` up to `head`. A damaged
// record ends it. Returns the samples that records say were dropped.
uint64_t read_sample_records(std::span<const std::byte> ring, uint64_t tail, uint64_t head,
                             AccessSampleSink sink, void* to);

}  // namespace xylem::os
