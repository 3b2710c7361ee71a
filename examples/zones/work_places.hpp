// WorkPlaces: where each unit of each time step was done, noted by the thread that did it. From
// this: how evenly the processors were loaded, and which accesses were to memory of the own node.
//
// Of the four phases and of the mesh's arrays: the faces that neighbour zones exchange are not
// counted. A value that a unit reads or writes counts once, however often it does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/placement.hpp"
#include "mesh.hpp"

namespace zones {

// Means over the steps.
struct Locality {
  double imbalance_processors = 0;  // the accesses of the busiest over the mean of all
  double imbalance_pus = 0;         // the same of Xylem's PUs (common::Place); 0: not on Xylem
  double percent_local = 0;         // of the accesses
};

class WorkPlaces {
 public:
  WorkPlaces(const Mesh& mesh, int processors);

  // The calling thread does this unit. Each unit once in a step, by any thread.
  void note(int zone, Phase phase, int unit) {
    of(zone, phase)[static_cast<std::size_t>(unit)] = common::current_place();
  }
  // Adds up the step. All units were noted, by threads that have been joined.
  void end_step();

  Locality locality() const;

 private:
  using Places = std::vector<common::Place>;  // by unit
  // Bytes accessed in a step, by number.
  class Loads {
   public:
    void add(int number, double bytes);
    // The step has ended, on so many.
    void end_step(int count);
    double imbalances() const { return imbalances_; }

   private:
    std::vector<double> bytes_;
    double imbalances_ = 0;  // the sum over the steps
  };
  Places& of(int zone, Phase phase) {
    return places_[static_cast<std::size_t>(zone)][static_cast<std::size_t>(phase)];
  }
  void find_pages();
  void add_unit(const Zone& zone, Phase phase, int unit, const common::Place& by);
  void add_accesses(std::uintptr_t first, std::uintptr_t end, int node);

  const Mesh& mesh_;
  const int processors_;
  std::vector<std::array<Places, std::size(phases)>> places_;  // by zone and phase
  std::unordered_map<std::uintptr_t, int> node_of_page_;       // by address / page_bytes()
  Loads by_processor_, by_pu_;
  double local_ = 0, located_ = 0;  // bytes, of pages that are somewhere
  int steps_ = 0;
};

}  // namespace zones
