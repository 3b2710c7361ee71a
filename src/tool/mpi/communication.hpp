// What MPI ranks say to each other: bytes and messages by pair, read from a file.
//
// Owns: Communication and the reader of its two forms (docs/mpi.md). Invariant: a Communication
// that was read is square, its numbers are finite and not negative, nobody sends to itself.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace xylem::tool::mpi {

// What is wrong with something that the user gave: one line, without "xylem: ".
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Communication {
  int ranks = 0;
  std::vector<double> bytes;     // ranks x ranks; from row to column
  std::vector<double> messages;  // likewise; empty if the file has none

  double sent(int from, int to) const {
    return bytes[static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks) +
                 static_cast<std::size_t>(to)];
  }
  // Bytes between the two, both ways.
  double between(int a, int b) const { return sent(a, b) + sent(b, a); }
};

// A rank's partner and the bytes between them, both ways.
struct Partner {
  int rank;
  double bytes;
};

// For each rank those with whom it exchanges anything, in ascending order.
std::vector<std::vector<Partner>> partners_of(const Communication& communication);

// Text is either a recording (JSON, as `xylem mpi record` writes it) or a matrix: one row of
// numbers a rank, # begins a comment. `name` stands in messages. Throws InputError.
Communication parse_communication(std::string_view text, const std::string& name);

// The same of a file. Throws InputError.
Communication read_communication(const std::string& file);

// The largest number of ranks that is served.
constexpr int kMostRanks = 16384;

}  // namespace xylem::tool::mpi
