// Owns: the arrays of a benchmark, and where their pages are at the beginning:
// the ways that paper 001 compares (section 4.1).
//
// All arrays are made by one call, each a mapping of its own, so that `xylem
// run --apply` knows them again.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace nas {

enum class Placed {
  nowhere,      // the program says nothing: first touch, or what is applied from
                // outside
  rest,         // the same, but what has no place yet goes round robin
  round_robin,  // page after page over the nodes: the paper's "automatic"
  manual        // each array as the paper's directives have it
};

// How an array is divided among the threads under Placed::manual: along its
// last dimension, of `extent` slices.
enum class Slices { block, cyclic };

class Accounts;

class Data {
 public:
  // `accounts`, may be null: hears of the arrays and of the end of each
  // iteration.
  Data(Placed placed, Accounts* accounts);
  ~Data();
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  // An array of zeros that has `extent` slices of the same number of T. It
  // lives as long as this.
  template <typename T>
  T* array(std::size_t extent, std::size_t slice, Slices slices = Slices::block) {
    return static_cast<T*>(memory(extent, slice * sizeof(T), slices));
  }

  // What was done so far was preparation.
  void begin();
  // The outer loop's iteration has ended, outside of regions.
  void iteration_ended();

  Accounts* accounts() const { return accounts_; }

 private:
  struct Block {
    void* start;
    std::size_t bytes;
  };
  void* memory(std::size_t extent, std::size_t slice_bytes, Slices slices);

  const Placed placed_;
  Accounts* const accounts_;
  std::vector<Block> blocks_;
};

}  // namespace nas
