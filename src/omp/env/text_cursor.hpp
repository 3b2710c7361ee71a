// A cursor over the text of a setting: what every parser of settings is made of.
//
// Invariant: `rest` is always a suffix of the text; a function that fails leaves it where it was.
// Blanks are skipped before everything that is read.
#pragma once

#include <cstdint>
#include <string_view>

namespace xylem::omp {

class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : rest_(text) {}

  bool at_end();
  bool take(char wanted);
  // The same, but no blank may stand before it.
  bool take_adjacent(char wanted);
  // A name of letters and underscores, in any case.
  bool take_word(std::string_view wanted);
  // The same, whatever follows it.
  bool take_prefix(std::string_view wanted);
  // A decimal number with an optional sign that fits in 64 bits. False on overflow.
  bool take_integer(std::int64_t& value);
  // A decimal number without a minus sign.
  bool take_unsigned(std::uint64_t& value);
  bool take_integer_between(std::int64_t low, std::int64_t high, int& value);
  bool next_is_letter();

 private:
  void skip_blanks();
  template <typename Number>
  bool take_number(Number& value);

  std::string_view rest_;
};

bool equal_ignoring_case(std::string_view a, std::string_view b);

}  // namespace xylem::omp
