// Owns: models of codelets: what a task is expected to take, by codelet, kind of executor and size.
// models_file.hpp keeps them between processes.
//
// A size that was measured has a history of its own, whose median counts. For others there is a law
// for each codelet and kind of executor, fitted on all its sizes: a power law of the bytes of the
// data, or, where the program tells how much a task has to do, a common factor of that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/spin_lock.hpp"
#include "hetero/model/by_key.hpp"
#include "hetero/model/history.hpp"
#include "hetero/model/model.hpp"

namespace xylem::hetero {

// A task as models see it. Its time is that of About::size by `of_size`: what it has to do by the
// size.
struct Subject {
  About about;
  double of_size = 1;
};

class Models {
 public:
  void add(const Subject& subject, double ns) XYLEM_EXCLUDES(lock_);
  void recall(const Model& model) XYLEM_EXCLUDES(lock_);
  // Nanoseconds; 0: not known.
  double expected(const Subject& subject) XYLEM_EXCLUDES(lock_);
  // Those with a name of which this process has measured something.
  std::vector<Model> changed() XYLEM_EXCLUDES(lock_);

 private:
  struct Line {
    uint64_t key = 0;
    About about;
    History history;
  };
  struct Family {
    uint64_t key = 0;
    std::vector<const Line*> lines;
    size_t samples = 0;  // of this process
    Law law;
    size_t fit_at = 0;  // with so many samples the law is fitted anew, when it is needed
  };
  Line& line_for(const About& about) XYLEM_REQUIRES(lock_);
  static std::vector<Point> points_of(const Family& family);
  static size_t next_fit(size_t samples, size_t points);
  double by_law(const About& about) XYLEM_EXCLUDES(lock_);

  base::SpinLock lock_{{47, "Models::lock_"}};
  ByKey<Line> lines_ XYLEM_GUARDED_BY(lock_);
  ByKey<Family> families_ XYLEM_GUARDED_BY(lock_);
};

}  // namespace xylem::hetero
