// Owns: the trace of this process: its rings, its file, and the kernel thread that carries records
// from the ones to the other.
//
// Each source has a ring of its own, so nobody who emits waits for anybody. The writer comes every
// drain_ns, or when a ring is a quarter full, and writes what has come as one block a ring. What a
// process that is killed loses is what came since the writer's last turn. At exit the library's
// destructor writes the rest.
// Rings are never given back: the list only grows, and a ring that was closed is used again.
#include "trace/recorder.hpp"

#include <cstdio>
#include <cstring>
#include <new>

#include "base/report.hpp"
#include "os/clock.hpp"
#include "os/files.hpp"
#include "os/futex.hpp"
#include "os/memory.hpp"
#include "os/output_file.hpp"
#include "os/process.hpp"
#include "os/thread.hpp"
#include "os/ticks.hpp"
#include "trace/format.hpp"
#include "trace/machine_text.hpp"
#include "trace/ring.hpp"

namespace xylem::trace {

constinit std::atomic<uint8_t> watchers{0};

namespace {

constexpr int64_t drain_ns = 50'000'000;

// Written by start(), before there is anybody else.
constinit bool steady_ticks = false;
constinit uint64_t start_ticks = 0;
constinit int64_t start_ns = 0;
constinit int owner = 0;  // the process's number; 0: not traced

constinit std::atomic<Ring*> rings{nullptr};  // release: a ring in the list is whole
// relaxed: numbers that only have to differ
constinit std::atomic<uint32_t> sources{0};
constinit std::atomic<uint64_t> bubbles{0};

// 1: whoever called wants the writer to come. relaxed: the rings' own indices publish the records.
constinit std::atomic<uint32_t> bell{0};
constinit std::atomic<bool> writer_ends{false};  // relaxed: looked at every turn
constinit bool writer_called_off = false;        // by end_writer()'s caller

// Who writes to the file holds it: the writer, or who ends the process. acquire and release.
constinit std::atomic<bool> writing{false};
constinit os::OutputFile file;

uint64_t ticks_now() {
  return steady_ticks ? os::read_ticks() : static_cast<uint64_t>(os::now_ns());
}

// --- rings ---------------------------------------------------------------------------------------

Ring* reused_ring() {
  for (Ring* ring = rings.load(std::memory_order_acquire); ring; ring = ring->next) {
    Ring::State seen = Ring::State::free;
    if (ring->state.compare_exchange_strong(seen, Ring::State::used, std::memory_order_acquire))
      return ring;
  }
  return nullptr;
}

Ring* new_ring() {
  char* memory = os::map_pages(sizeof(Ring));
  if (!memory) {
    base::warn_once("out of memory for the trace: some threads are not traced");
    return nullptr;
  }
  auto* ring = new (memory) Ring;
  ring->state.store(Ring::State::used, std::memory_order_relaxed);  // relaxed: not yet shared
  return ring;
}

Ring* open_ring(SourceKind kind) {
  Ring* ring = reused_ring();
  const bool fresh = ring == nullptr;
  if (fresh) ring = new_ring();
  if (!ring) return nullptr;
  ring->source = sources.fetch_add(1, std::memory_order_relaxed);
  ring->kind = kind;
  if (!fresh) return ring;
  ring->next = rings.load(std::memory_order_relaxed);
  // release: pairs with the acquire of who walks the list
  while (!rings.compare_exchange_weak(ring->next, ring, std::memory_order_release,
                                      std::memory_order_relaxed)) {
  }
  return ring;
}

void call_writer() {
  if (bell.exchange(1, std::memory_order_relaxed) == 0) os::futex_wake(&bell, 1);
}

// --- writing -------------------------------------------------------------------------------------

void take_file() {
  while (writing.exchange(true, std::memory_order_acquire)) os::yield_to_kernel();
}
void leave_file() { writing.store(false, std::memory_order_release); }

// The trace ends here; the program goes on.
void give_up(int error) {
  stop_watching(the_trace);
  file.close();
  base::warn_once("the trace cannot be written any further (%s): it ends here",
                  error == -28 ? "no space left on the device" : strerrordesc_np(-error));
}

template <typename T>
std::span<const std::byte> bytes_of(const T* first, size_t count = 1) {
  return {reinterpret_cast<const std::byte*>(first), count * sizeof(T)};
}

bool append(std::span<const std::byte> first, std::span<const std::byte> second = {}) {
  if (!file.is_open()) return false;
  const int error = file.append(first, second);
  if (error != 0) give_up(error);
  return error == 0;
}

void write_clock(BlockType type) {
  Block block{};
  block.magic = block_magic;
  block.type = type;
  block.ticks = now();
  block.ns = os::now_ns() - start_ns;
  append(bytes_of(&block));
}

// Records of the ring from `from` on, as far as they lie in one piece; returns where they end.
uint64_t write_piece(Ring& ring, uint64_t from, uint64_t to) {
  const uint64_t until_wrap = Ring::size - from % Ring::size;
  const uint64_t count = to - from < until_wrap ? to - from : until_wrap;
  Block block{};
  block.magic = block_magic;
  block.type = BlockType::records;
  block.source_kind = static_cast<uint16_t>(ring.kind);
  block.source = ring.source;
  block.count = static_cast<uint32_t>(count);
  block.dropped = ring.dropped.load(std::memory_order_relaxed);
  append(bytes_of(&block), bytes_of(&ring.records[from % Ring::size], count));
  ring.dropped_written = block.dropped;
  return from + count;
}

// True if there was anything to write.
bool drain_ring(Ring& ring) {
  // acquire, before the look at head: a closed ring gets no more records
  const bool closed = ring.state.load(std::memory_order_acquire) == Ring::State::closed;
  uint64_t from = ring.tail.load(std::memory_order_relaxed);      // relaxed: own
  const uint64_t to = ring.head.load(std::memory_order_acquire);  // pairs with push()
  const bool drained =
      from != to || ring.dropped.load(std::memory_order_relaxed) != ring.dropped_written;
  if (drained) {
    do {
      from = write_piece(ring, from, to);
      ring.consumed(from);
    } while (from != to);
  }
  if (closed) {
    ring.begin_anew();
    ring.state.store(Ring::State::free, std::memory_order_release);  // pairs with reused_ring()
  }
  return drained;
}

void drain(BlockType last) {
  take_file();
  if (file.is_open()) {
    if (const int error = file.recover()) give_up(error);
  }
  bool drained = last == BlockType::end;
  for (Ring* ring = rings.load(std::memory_order_acquire); ring; ring = ring->next)
    drained |= drain_ring(*ring);
  if (drained) write_clock(last);
  if (last == BlockType::end) file.close();
  leave_file();
}

void write_for_ever(void*) {
  constexpr int turns_a_look = 10;
  const os::HelperThread helper;
  for (int turn = 1; !writer_ends.load(std::memory_order_relaxed) && on(); ++turn) {
    os::futex_wait(&bell, 0, drain_ns);
    bell.store(0, std::memory_order_relaxed);
    drain(BlockType::clock);
    if (turn % turns_a_look == 0 && os::only_helpers_left()) return;
  }
}

// --- start and end -------------------------------------------------------------------------------

// The path with %p replaced by the process's number.
os::PathBuffer file_name(const char* path) {
  os::PathBuffer name;
  char number[16];
  snprintf(number, sizeof number, "%d", os::process_id());
  for (const char* rest = path; *rest;) {
    const char* mark = std::strstr(rest, "%p");
    if (!mark) mark = rest + std::strlen(rest);
    name.append({rest, static_cast<size_t>(mark - rest)});
    if (*mark) name.append(number);
    rest = *mark ? mark + 2 : mark;
  }
  return name;
}

// Ticks in a second, from a short look at both clocks. Clock blocks are better, once there are two.
uint64_t measured_rate() {
  if (!steady_ticks) return 1'000'000'000;
  constexpr int64_t look_ns = 500'000;
  int64_t ns = 0;
  while (ns < look_ns) ns = os::now_ns() - start_ns;
  return static_cast<uint64_t>(static_cast<double>(os::read_ticks() - start_ticks) /
                               static_cast<double>(ns) * 1e9);
}

bool write_header(const topo::Machine& machine) {
  char program[256];
  os::program_name(program, sizeof program);
  std::vector<char> texts(program, program + std::strlen(program));
  FileHeader header{};
  std::memcpy(header.magic, file_magic, sizeof header.magic);
  header.version = file_version;
  header.table = table_mark();
  header.record_bytes = sizeof(Record);
  header.pus = static_cast<uint32_t>(machine.pu_count());
  header.process = static_cast<uint32_t>(owner);
  header.program_bytes = static_cast<uint32_t>(texts.size());
  append_machine_text(machine, texts);
  header.machine_bytes = static_cast<uint32_t>(texts.size()) - header.program_bytes;
  texts.resize((texts.size() + 7) / 8 * 8);
  header.bytes = static_cast<uint32_t>(sizeof header + texts.size());
  header.processor_ticks = steady_ticks;
  header.start_ticks = start_ticks;
  header.start_ns = start_ns;
  header.ticks_per_second = measured_rate();
  return append(bytes_of(&header), bytes_of(texts.data(), texts.size()));
}

// When the process ends, or the library goes.
[[gnu::destructor]] void finish() {
  if (owner == 0 || owner != os::process_id()) return;
  owner = 0;
  stop_watching(the_trace);
  drain(BlockType::end);
}

}  // namespace

uint64_t now() {
  const uint64_t ticks = ticks_now();
  return ticks > start_ticks ? ticks - start_ticks : 0;
}

uint64_t next_bubble() { return bubbles.fetch_add(1, std::memory_order_relaxed) + 1; }

[[gnu::cold]] void Source::put(const Record& record, uint64_t ticks) {
  if (!ring) ring = open_ring(kind);
  if (!ring) return;
  Record stamped = record;
  stamped.when_and_kind |= ticks << kind_bits;
  bool call = false;
  ring->push(stamped, call);
  if (call) call_writer();
}

[[gnu::cold]] void Source::put(const Record& record) { put(record, now()); }

void start(const char* path, const topo::Machine& machine) {
  const os::PathBuffer name = file_name(path);
  if (const int error = file.open(name.c_str())) {
    base::warn_once("XYLEM_TRACE: cannot write \"%s\" (%s): nothing is traced", name.c_str(),
                    strerrordesc_np(-error));
    return;
  }
  steady_ticks = os::ticks_are_steady();
  start_ns = os::now_ns();
  start_ticks = ticks_now();
  owner = os::process_id();
  watch(the_trace);  // published with the runtime's start
  if (!write_header(machine)) return;
  if (os::start_needed_thread(write_for_ever, nullptr, os::all_signals) != 0)
    base::warn_once("cannot start the trace's writer: a long trace has holes");
}

void close(Source& source) {
  if (!source.ring) return;
  source.ring->state.store(Ring::State::closed, std::memory_order_release);  // pairs: drain_ring()
  source.ring = nullptr;
}

void end_writer() {
  if (!on() || writer_called_off) return;
  writer_called_off = true;
  writer_ends.store(true, std::memory_order_relaxed);
  call_writer();
}

void forget_in_child() {
  owner = 0;
  stop_watching(the_trace);
  file.close();
}

}  // namespace xylem::trace
