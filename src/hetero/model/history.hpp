// Owns: what was measured of codelets: how long one takes on a kind of executor, by the shapes of
// its data (paper 002, section 3.3.2). models_file.hpp keeps it between processes.
//
// The first run of a process is dropped, as it pays for cold caches and first touches; of the
// others the median of the last ones counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/spin_lock.hpp"

namespace xylem::hetero {

class History {
 public:
  static constexpr size_t kept = 15;

  // A run of this process.
  void add(double ns);
  // A run of an earlier process.
  void recall(double ns);
  // The median of the samples that are kept; 0: there is none.
  double median() const;
  // Those that are kept, in any order.
  std::vector<double> samples() const;
  // Runs of this process are among them.
  bool has_new() const { return added_ > 1; }

 private:
  size_t count() const;

  std::array<double, kept> samples_{};
  size_t added_ = 0;  // by this process, with the first
  size_t seen_ = 0;   // samples, with those that later ones replaced
};

// A codelet's name, cut to what a model keeps of it.
class Name {
 public:
  Name() = default;
  Name(const char* text) : Name(std::string_view(text ? text : "")) {}
  Name(std::string_view text) : size_(text.copy(text_.data(), text_.size())) {}
  std::string_view view() const { return {text_.data(), size_}; }
  bool empty() const { return size_ == 0; }

 private:
  std::array<char, 63> text_{};
  size_t size_ = 0;
};

// One model, as it is kept and shown.
struct Model {
  uint64_t key = 0;
  int kind = 0;        // of executors
  uint64_t bytes = 0;  // of the data, together
  Name codelet{};      // "": it has no name, and is not kept
  std::vector<double> samples;
};

// What a model is about: a key, which tells codelets, kinds of executors and shapes apart, and what
// users see of it.
struct Subject {
  uint64_t key = 0;
  int kind = 0;
  uint64_t bytes = 0;
  Name codelet{};
};

class Models {
 public:
  void add(const Subject& subject, double ns) XYLEM_EXCLUDES(lock_);
  void recall(const Model& model) XYLEM_EXCLUDES(lock_);
  // Nanoseconds; 0: not known.
  double expected(uint64_t key) XYLEM_EXCLUDES(lock_);
  // Those with a name of which this process has measured something.
  std::vector<Model> changed() XYLEM_EXCLUDES(lock_);

 private:
  struct Line {
    Model about;  // a key of 0: free; no samples
    History history;
  };
  Line& line_of(uint64_t key) XYLEM_REQUIRES(lock_);
  Line& line_for(const Subject& subject) XYLEM_REQUIRES(lock_);
  void grow() XYLEM_REQUIRES(lock_);

  base::SpinLock lock_{{47, "Models::lock_"}};
  std::vector<Line> lines_ XYLEM_GUARDED_BY(lock_);  // open addressing; a power of two
  size_t used_ XYLEM_GUARDED_BY(lock_) = 0;
};

}  // namespace xylem::hetero
