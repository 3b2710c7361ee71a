// Owns: writing and reading the lines of whole numbers that the files of count/ consist of.
//
// Invariant: reading never goes past the text, and what is not exactly a line of the wanted form is
// refused: one blank between numbers, no sign but a minus, nothing behind the last.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace xylem::count {

class LineWriter {
 public:
  void line(std::string_view text);
  // "NAME TEXT"
  void text(std::string_view name, std::string_view text);
  // "NAME VALUE"
  void number(std::string_view name, uint64_t value);
  // Numbers with blanks between them.
  void numbers(std::span<const uint64_t> values);
  std::vector<char> take() { return static_cast<std::vector<char>&&>(text_); }

 private:
  void digits(uint64_t value);

  std::vector<char> text_;
};

class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}

  // Each takes the next line; true if it is what is wanted.
  bool line(std::string_view wanted);
  // "NAME VALUE" with low <= VALUE <= high.
  bool number(std::string_view name, uint64_t low, uint64_t high, uint64_t& value);
  // Exactly values.size() numbers, each at most `most`.
  bool numbers(std::span<uint64_t> values, uint64_t most);
  // "NAME TEXT"; `text` points into what is read.
  bool text(std::string_view name, std::string_view& text);
  // Whatever it is, without its end.
  bool any(std::string_view& line) { return next(line); }
  bool at_end() const { return rest_.empty(); }
  // Bytes that are left: nobody makes room for more things than these can say.
  std::size_t left() const { return rest_.size(); }

 private:
  bool next(std::string_view& line);

  std::string_view rest_;
};

}  // namespace xylem::count
