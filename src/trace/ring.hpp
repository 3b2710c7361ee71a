// Owns: a ring of records: one producer, one consumer, no locks.
//
// Invariant: tail <= head <= tail + size; records[tail .. head-1] (modulo size) are whole. The
// producer writes head and the records behind it, the consumer tail. When it is full a record is
// dropped and counted.
#pragma once

#include <atomic>

#include "trace/emit.hpp"

namespace xylem::trace {

struct Ring {
  static constexpr uint64_t size = 1 << 15;      // 1 MiB
  static constexpr uint64_t call_at = size / 4;  // so many more records and the writer is called

  // free -> used by a source that takes it; used -> closed by that source; closed -> free by the
  // writer once it is empty. acquire and release: the owner before has left all.
  enum class State : uint32_t { free, used, closed };

  // By the producer.
  std::atomic<uint64_t> head{0};  // release: publishes records
  uint64_t tail_seen = 0;
  std::atomic<uint64_t> dropped{0};  // relaxed: a count
  std::atomic<State> state{State::free};
  // By who takes it, before its first record.
  uint32_t source = 0;
  SourceKind kind = SourceKind::worker;
  Ring* next = nullptr;  // fixed once it is in the list
  // By the consumer.
  alignas(64) std::atomic<uint64_t> tail{0};  // release: the records before it are free
  uint64_t dropped_written = 0;
  alignas(64) Record records[size];

  // False if it is full. `call` becomes true now and then, when the consumer should come.
  bool push(const Record& record, bool& call) {
    const uint64_t at = head.load(std::memory_order_relaxed);  // relaxed: own
    if (at - tail_seen == size) {
      tail_seen = tail.load(std::memory_order_acquire);  // pairs with the release in consumed()
      if (at - tail_seen == size) {
        // relaxed: a count that only its producer writes
        dropped.store(dropped.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        return false;
      }
    }
    records[at % size] = record;
    head.store(at + 1, std::memory_order_release);  // pairs with the acquire of the consumer
    call = (at + 1) % call_at == 0;
    return true;
  }

  // Consumer: records up to `to` are no longer needed.
  void consumed(uint64_t to) { tail.store(to, std::memory_order_release); }

  // Consumer, once the ring is closed and empty: its next owner writes the first records first, as
  // the memory of the others may never have been touched. relaxed: published by `state`
  void begin_anew() {
    head.store(0, std::memory_order_relaxed);
    tail.store(0, std::memory_order_relaxed);
    dropped.store(0, std::memory_order_relaxed);
    tail_seen = dropped_written = 0;
  }
};

}  // namespace xylem::trace
