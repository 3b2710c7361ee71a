// Owns: the tables of the threads and the file. See accesses.hpp.
#include "instrument/accesses.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include "base/export.hpp"
#include "base/report.hpp"
#include "count/table/counts_file.hpp"
#include "os/environment.hpp"
#include "os/instrument_library.hpp"
#include "os/memory.hpp"
#include "os/process.hpp"

// Whatever OpenMP runtime the process has; null without one.
extern "C" __attribute__((weak)) int omp_get_ancestor_thread_num(int level);

namespace xylem::instrument {

namespace {

constexpr std::size_t most_threads = count::most_nodes;
constexpr std::size_t bytes_an_access = 8;

// Held for a few instructions. Not base::SpinLock, whose order of locks is the runtime's.
class Gate {
 public:
  void close() {
    while (taken_.test_and_set(std::memory_order_acquire)) {  // pairs with open()
    }
  }
  void open() { taken_.clear(std::memory_order_release); }  // pairs with the next close()

 private:
  std::atomic_flag taken_;
};

// What one thread of outermost regions accessed. Members of its inner teams have its number too, so
// several kernel threads may come at once.
struct Table {
  Gate gate;
  count::Counts pages{count::Rows::pages, 1};  // that the runtime has not taken yet
  count::Counts taken{count::Rows::pages, 1};  // by the runtime; kept where there will be a file
};

// Made when a thread's first access comes, never freed: accesses may come after the end. Written
// once each, by whoever makes it; read by all.
constinit std::atomic<Table*> tables[most_threads] = {};
// No table is made from here on. Raised once a table is made; relaxed: who reads it too early sees
// that table later.
constinit std::atomic<std::size_t> end_of_tables{0};

void raise_end(std::size_t end) {
  std::size_t seen = end_of_tables.load(std::memory_order_relaxed);
  while (seen < end && !end_of_tables.compare_exchange_weak(seen, end, std::memory_order_relaxed)) {
  }
}

Table& table_of(std::size_t thread) {
  Table* known = tables[thread].load(std::memory_order_acquire);  // pairs with the exchange below
  if (known != nullptr) return *known;
  auto* made = new Table;
  if (tables[thread].compare_exchange_strong(known, made, std::memory_order_acq_rel)) {
    raise_end(thread + 1);
    return *made;
  }
  delete made;
  return *known;
}

std::size_t this_thread() {
  if (omp_get_ancestor_thread_num == nullptr) return 0;
  const int number = omp_get_ancestor_thread_num(1);  // -1 outside of regions
  return number < 0 ? 0 : std::min(static_cast<std::size_t>(number), most_threads - 1);
}

void add(uint64_t page, uint64_t accesses, Kind kind) {
  Table& table = table_of(this_thread());
  table.gate.close();
  table.pages.add(page, 0, kind == Kind::read ? accesses : 0, kind == Kind::write ? accesses : 0);
  table.gate.open();
}

uint64_t page_of(uint64_t address) { return address / os::page_size(); }

count::Counts all_pages() {
  // Up to the last one that accessed anything.
  const std::size_t threads =
      std::max<std::size_t>(end_of_tables.load(std::memory_order_relaxed), 1);
  count::Counts all(count::Rows::pages_by_threads, static_cast<int>(threads), os::page_size());
  for (std::size_t thread = 0; thread < threads; ++thread) {
    Table* table = tables[thread].load(std::memory_order_acquire);  // as in table_of()
    if (table == nullptr) continue;
    table->gate.close();
    for (const count::Counts* some : {&table->pages, &table->taken})
      for (const count::Cell& cell : some->sorted())
        all.add(cell.row, static_cast<int>(thread), cell.reads, cell.writes);
    table->gate.open();
  }
  return all;
}

const char* file_name() { return os::variable("XYLEM_ACCESSES"); }

// What was counted since the last call.
count::Counts take(Table& table) {
  table.gate.close();
  count::Counts fresh = std::exchange(table.pages, count::Counts(count::Rows::pages, 1));
  if (file_name() != nullptr) table.taken.merge(fresh);
  table.gate.open();
  return fresh;
}

// The process that started; a child of fork() writes no file over its parent's.
constinit int writer = 0;

void write_file() {
  const char* path = file_name();
  if (path == nullptr || os::process_id() != writer) return;
  if (const int error = count::write_counts(path, all_pages()); error != 0)
    base::warn("XYLEM_ACCESSES: '%s' cannot be written (error %d)", path, -error);
}

__attribute__((constructor)) void start() {
  writer = os::process_id();
  os::at_process_exit(write_file);
}

}  // namespace

void count_access(const volatile void* address, std::size_t bytes, Kind kind) {
  const auto first = reinterpret_cast<uintptr_t>(address);
  const uint64_t last_page = page_of(first + bytes - 1);
  for (uint64_t page = page_of(first); page <= last_page; ++page) add(page, 1, kind);
}

void count_block(const volatile void* address, std::size_t bytes, Kind kind) {
  auto first = reinterpret_cast<uintptr_t>(address);
  const uintptr_t end = first + bytes;
  while (first < end) {
    const uintptr_t page_end = (page_of(first) + 1) * os::page_size();
    const uintptr_t here = std::min(page_end, end) - first;
    add(page_of(first), (here + bytes_an_access - 1) / bytes_an_access, kind);
    first += here;
  }
}

}  // namespace xylem::instrument

// os::TakeAccesses
extern "C" XYLEM_EXPORT void xylem_instrument_take_1(xylem::os::AccessSink sink, void* to) {
  namespace instrument = xylem::instrument;
  const std::size_t end = instrument::end_of_tables.load(std::memory_order_relaxed);
  for (std::size_t thread = 0; thread < end; ++thread) {
    // as in table_of()
    instrument::Table* table = instrument::tables[thread].load(std::memory_order_acquire);
    if (table == nullptr) continue;
    for (const xylem::count::Cell& cell : instrument::take(*table).sorted())
      sink(to, cell.row, static_cast<int>(thread), cell.reads, cell.writes);
  }
}
