// Owns: one model, of tasks of one size, and what a family of them says of other sizes. Data and
// pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hetero/model/law.hpp"

namespace xylem::hetero {

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

// In what a size is told.
enum class Unit : uint8_t {
  bytes,  // of the data, together
  work    // what xylem_codelet::work says, to the next lower power of two
};

// What a model is about.
struct About {
  uint64_t key = 0;     // tells codelets, kinds of executors and sizes apart
  uint64_t family = 0;  // codelets and kinds of executors
  int kind = 0;         // of executors
  Unit unit = Unit::bytes;
  uint64_t size = 0;
  Name codelet{};  // "": it has no name, and is not kept
};

// One model, as it is kept and shown.
struct Model {
  About about;
  size_t drifts = 0;
  std::vector<double> samples;  // the oldest first
};

// The law of a family's models.
Law law_of(Unit unit, std::span<const Point> points);
// What a model says of its size; no size or no time: nothing.
Point point_of(const Model& model);

}  // namespace xylem::hetero
