// Owns: what came of a run's accesses, by the node whose memory served them:
// local, of threads on that node, and remote. Only of the arrays.
//
// The accesses are what libxylem-instrument.so counted, where the program is
// linked with it, or what the benchmark itself tells (tell()). The program
// stands between them and the runtime's engines, which ask for them when an
// iteration begins: it looks where each page is before it hands them on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace nas {

class Accounts {
 public:
  // `books_first_touch`: a page that is nowhere yet, on a drawn machine,
  // belongs to the node of whose threads accessed it most in the first
  // iteration that did.
  explicit Accounts(bool books_first_touch);
  ~Accounts();
  Accounts(const Accounts&) = delete;
  Accounts& operator=(const Accounts&) = delete;

  void add_array(const void* start, std::size_t bytes);
  void begin();
  void iteration_ended();
  // The calling thread has accessed each of `words` words of 8 bytes so often.
  void tell(const void* start, std::size_t words, uint64_t reads, uint64_t writes);
  // The benchmark tells; otherwise it would be counted twice.
  bool wants_to_be_told() const;

  struct Served {
    double local = 0, remote = 0;
  };
  struct Iteration {
    double local = 0, remote = 0;
    double at_best = 0;  // local if each page were where most of its accesses come from
  };
  const std::vector<Served>& by_node() const { return by_node_; }
  const std::vector<Iteration>& iterations() const { return iterations_; }
  // Prints both.
  void print() const;

  // What the engines ask for: xylem_instrument_take_1.
  using Sink = void (*)(void* to, uint64_t page, int thread, uint64_t reads, uint64_t writes);
  void take(Sink sink, void* to);

 private:
  struct Cell {
    uint64_t reads = 0, writes = 0;
  };
  using Cells = std::map<std::pair<uint64_t, int>, Cell>;  // by page and thread
  using Homes = std::map<uint64_t, int>;

  bool has(uint64_t page) const;
  void fetch();
  void settle();
  double local_at_best() const;
  std::vector<uint64_t> accesses_of_page(const Cells& cells, Cells::const_iterator& cell) const;
  Homes homes_of(const Cells& cells) const;
  void book_first_touch(const Cells& cells, Homes& homes) const;

  const bool books_first_touch_;
  std::vector<std::pair<uint64_t, uint64_t>> arrays_;  // first page, page behind
  bool counts_ = false;                                // since begin()
  Cells fresh_;                                        // not settled
  Cells kept_;                                         // settled, and not handed on
  std::vector<Cells> told_;                            // by thread
  std::vector<int> node_of_thread_;
  std::vector<Served> by_node_;
  std::vector<Iteration> iterations_;
  Iteration open_;
};

}  // namespace nas
