// Owns: counting accesses by node. See accounts.hpp.
#include "nas/accounts.hpp"

#include <dlfcn.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#define XYLEM_WEAK
#include "xylem/memory.h"

namespace nas {

namespace {

using Take = void (*)(Accounts::Sink sink, void* to);

Accounts* the_accounts = nullptr;

uint64_t page_bytes() {
  static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

uint64_t page_of(const void* address) {
  return reinterpret_cast<uintptr_t>(address) / page_bytes();
}

void* address_of(uint64_t page) { return reinterpret_cast<void*>(page * page_bytes()); }

// Of libxylem-instrument.so; null: the program is not linked with it.
Take instrument() {
  static const auto take = reinterpret_cast<Take>(dlsym(RTLD_NEXT, "xylem_instrument_take_1"));
  return take;
}

int node_count() { return xylem_node_count != nullptr ? xylem_node_count() : 1; }

std::vector<int> nodes_of_threads() {
  std::vector<int> nodes(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
  nodes[static_cast<std::size_t>(omp_get_thread_num())] =
      xylem_current_node != nullptr ? std::max(xylem_current_node(), 0) : 0;
  return nodes;
}

}  // namespace

Accounts::Accounts(bool books_first_touch)
    : books_first_touch_(books_first_touch),
      told_(static_cast<std::size_t>(omp_get_max_threads())),
      by_node_(static_cast<std::size_t>(node_count())) {
  the_accounts = this;
}

Accounts::~Accounts() { the_accounts = nullptr; }

bool Accounts::wants_to_be_told() const { return instrument() == nullptr; }

void Accounts::add_array(const void* start, std::size_t bytes) {
  const uint64_t first = page_of(start);
  arrays_.emplace_back(first, first + (bytes + page_bytes() - 1) / page_bytes());
}

bool Accounts::has(uint64_t page) const {
  return std::any_of(arrays_.begin(), arrays_.end(), [page](const auto& array) {
    return page >= array.first && page < array.second;
  });
}

void Accounts::tell(const void* start, std::size_t words, uint64_t reads, uint64_t writes) {
  Cells& cells = told_[static_cast<std::size_t>(omp_get_thread_num())];
  const auto first = reinterpret_cast<uintptr_t>(start);
  const uintptr_t end = first + words * 8;
  for (uintptr_t at = first; at < end;) {
    const uint64_t page = at / page_bytes();
    const uintptr_t here = std::min<uintptr_t>((page + 1) * page_bytes(), end);
    Cell& cell = cells[{page, omp_get_thread_num()}];
    cell.reads += reads * ((here - at) / 8);
    cell.writes += writes * ((here - at) / 8);
    at = here;
  }
}

void Accounts::fetch() {
  const auto add = [](void* to, uint64_t page, int thread, uint64_t reads, uint64_t writes) {
    Cell& cell = (*static_cast<Cells*>(to))[{page, thread}];
    cell.reads += reads;
    cell.writes += writes;
  };
  if (instrument() != nullptr) instrument()(add, &fresh_);
  for (Cells& cells : told_) {
    for (const auto& [where, cell] : cells)
      add(&fresh_, where.first, where.second, cell.reads, cell.writes);
    cells.clear();
  }
}

Accounts::Homes Accounts::homes_of(const Cells& cells) const {
  Homes homes;
  for (const auto& array : arrays_) {
    std::vector<int> nodes(array.second - array.first, 0);
    if (xylem_memory_locate != nullptr)
      xylem_memory_locate(address_of(array.first), nodes.size() * page_bytes(), nodes.data());
    for (std::size_t i = 0; i < nodes.size(); ++i) homes[array.first + i] = nodes[i];
  }
  if (books_first_touch_) book_first_touch(cells, homes);
  return homes;
}

// By node, of the page of this cell; `cell` goes on to the next page's first.
std::vector<uint64_t> Accounts::accesses_of_page(const Cells& cells,
                                                 Cells::const_iterator& cell) const {
  const uint64_t page = cell->first.first;
  std::vector<uint64_t> by_node(by_node_.size());
  for (; cell != cells.end() && cell->first.first == page; ++cell)
    by_node[static_cast<std::size_t>(
        node_of_thread_[static_cast<std::size_t>(cell->first.second)])] +=
        cell->second.reads + cell->second.writes;
  return by_node;
}

void Accounts::book_first_touch(const Cells& cells, Homes& homes) const {
  for (auto cell = cells.begin(); cell != cells.end();) {
    const uint64_t page = cell->first.first;
    const std::vector<uint64_t> by_node = accesses_of_page(cells, cell);
    const auto home = homes.find(page);
    if (home == homes.end() || home->second >= 0) continue;
    home->second =
        static_cast<int>(std::max_element(by_node.begin(), by_node.end()) - by_node.begin());
    if (xylem_memory_move != nullptr)
      xylem_memory_move(address_of(page), page_bytes(), home->second, nullptr);
  }
}

// How many of the fresh accesses to arrays would be local with each page on the node that accesses
// it most.
double Accounts::local_at_best() const {
  double sum = 0;
  for (auto cell = fresh_.begin(); cell != fresh_.end();) {
    const uint64_t page = cell->first.first;
    const std::vector<uint64_t> by_node = accesses_of_page(fresh_, cell);
    if (has(page)) sum += static_cast<double>(*std::max_element(by_node.begin(), by_node.end()));
  }
  return sum;
}

// What is fresh is counted where pages are now.
void Accounts::settle() {
  fetch();
  if (counts_) {
    const Homes homes = homes_of(fresh_);
    open_.at_best += local_at_best();
    for (const auto& [where, cell] : fresh_) {
      const auto home = homes.find(where.first);
      if (home == homes.end() || home->second < 0) continue;
      const int node = node_of_thread_[static_cast<std::size_t>(where.second)];
      const auto accesses = static_cast<double>(cell.reads + cell.writes);
      Served& served = by_node_[static_cast<std::size_t>(home->second)];
      (node == home->second ? served.local : served.remote) += accesses;
      (node == home->second ? open_.local : open_.remote) += accesses;
    }
  }
  for (const auto& [where, cell] : fresh_) {
    Cell& kept = kept_[where];
    kept.reads += cell.reads;
    kept.writes += cell.writes;
  }
  fresh_.clear();
}

void Accounts::begin() {
  node_of_thread_ = nodes_of_threads();
  settle();
  counts_ = true;
}

void Accounts::iteration_ended() {
  settle();
  iterations_.push_back(open_);
  open_ = {};
}

void Accounts::take(Sink sink, void* to) {
  settle();
  for (const auto& [where, cell] : kept_)
    sink(to, where.first, where.second, cell.reads, cell.writes);
  kept_.clear();
}

void Accounts::print() const {
  for (std::size_t i = 0; i < iterations_.size(); ++i)
    std::printf("iteration %zu local %.0f remote %.0f at best %.0f\n", i + 1, iterations_[i].local,
                iterations_[i].remote, iterations_[i].at_best);
  for (std::size_t node = 0; node < by_node_.size(); ++node)
    std::printf("node %zu local %.0f remote %.0f\n", node, by_node_[node].local,
                by_node_[node].remote);
}

}  // namespace nas

// The runtime looks for this name, and finds it here first.
extern "C" __attribute__((visibility("default"))) void xylem_instrument_take_1(
    nas::Accounts::Sink sink, void* to) {
  if (nas::the_accounts != nullptr) nas::the_accounts->take(sink, to);
}
