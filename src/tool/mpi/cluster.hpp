// Where ranks can be: machines of one kind, each with its tree (paper 004, section IV-B).
//
// Owns: Cluster, its places and what lies between two of them. A place is one or several cores, or
// a PU where ranks outnumber cores. Invariant: places are numbered by machine, then as the tree
// goes from left to right.
#pragma once

#include <cstdint>
#include <vector>

#include "topo/machine.hpp"

namespace xylem::tool::mpi {

struct Place {
  int machine = 0;         // 0 .. machines - 1
  std::vector<int> pus;    // os indices, ascending in tree order
  std::vector<int> cores;  // logical numbers of its cores on its machine
  std::vector<int>
      parents;  // numbers of links from the place up to the root, the place's own first
};

// Each place hangs on the level above it by a link, that one on the next, and a machine on the
// network. Levels that hold the same places are one.
class Cluster {
 public:
  // machines >= 1. cores: of a place, which stand in a row, >= 1; 0: a place is a PU. What is left
  // at a machine's end is no place.
  Cluster(const topo::Machine& drawn, int machines, int cores);

  int size() const { return static_cast<int>(places_.size()); }
  int machines() const { return machines_; }
  int places_a_machine() const { return size() / machines_; }
  const Place& place(int number) const { return places_[static_cast<std::size_t>(number)]; }
  int links() const { return links_; }

  // Levels that one must climb from `a` to what holds both; 0 for the same place.
  int distance(int a, int b) const {
    return table_.empty()
               ? climb(a, b)
               : table_[static_cast<std::size_t>(a) * places_.size() + static_cast<std::size_t>(b)];
  }

  // How many levels above both hold `a` and `b`: so many links at the end of their parents agree.
  std::size_t shared_levels(int a, int b) const;

  // Children a level, from the network down to the places, where all levels at one depth have the
  // same number; else empty. Levels with one child are left out.
  std::vector<int> arities() const;

 private:
  int climb(int a, int b) const;

  int machines_;
  int links_ = 0;
  std::vector<std::uint8_t> table_;  // distances; empty where places are too many for a table
  std::vector<Place> places_;
};

}  // namespace xylem::tool::mpi
