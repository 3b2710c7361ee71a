// Files that are kept between runs and written whole or not at all.
//
// Owns: where such files are, write_kept_file(), the end of such files, and the day's time that
// they carry. Invariant: who reads the path sees the old text or the new one, never a part, however
// many write at once. Never changes errno.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "os/files.hpp"

namespace xylem::os {

// Replaces the file by `text`: writes a file beside it and renames that. Makes the folder around it
// and the one around that, if they are missing. Returns 0 or a negative errno; then the path is as
// it was, and nothing lies beside it.
int write_kept_file(const char* path, std::string_view text);

// The file of that key in the user's cache: <cache_folder>/xylem/<kind>-<key>. Empty if there is no
// cache folder.
PathBuffer kept_path(const char* cache_folder, const char* kind, uint64_t key);

// What such files' texts are made of: the part as it is; and on one line, whatever it is: control
// characters become '?'.
void append(std::vector<char>& text, std::string_view part);
void append_on_one_line(std::vector<char>& text, std::string_view part);
// Takes a whole number from 0 to `most`, which ends with a blank or with the text, off the front of
// `rest`; false: there is none.
bool next_number(std::string_view& rest, long long most, long long& number);

// How such files keep a time of nanoseconds that is not negative: in whole femtoseconds, the
// nearest. One that was just measured is used as_kept(), so that it and the same one read again
// decide alike.
inline constexpr double kept_units = 1e6;                  // in a nanosecond
inline constexpr long long most_of_kept_time = 1ll << 59;  // ten minutes
long long kept_time(double ns);
inline double time_of_kept(long long kept) { return static_cast<double>(kept) / kept_units; }
inline double as_kept(double ns) { return time_of_kept(kept_time(ns)); }

inline constexpr std::string_view last_line_of_rows = "end";

// The text of a file of rows: its first line, what add(text, row) makes of each row, and a last
// line, so that a text that was cut is known.
template <typename Row, typename Add>
std::vector<char> rows_text(std::string_view first_line, std::span<const Row> rows, Add add) {
  std::vector<char> text;
  append(text, first_line);
  append(text, "\n");
  for (const Row& row : rows) add(text, row);
  append(text, last_line_of_rows);
  append(text, "\n");
  return text;
}

// Reads such a text, each line by parse(line, row). False, and `rows` is as it was, if it is not
// whole or a line is none.
template <typename Row, typename Parse>
bool parse_rows(std::string_view text, std::string_view first_line, std::vector<Row>& rows,
                Parse parse) {
  if (next_part(text, '\n') != first_line) return false;
  std::vector<Row> found;
  while (!text.empty()) {
    const std::string_view line = next_part(text, '\n');
    if (line == last_line_of_rows) {
      if (!text.empty()) return false;
      rows = std::move(found);
      return true;
    }
    if (!parse(line, found.emplace_back())) return false;
  }
  return false;
}

// Removes the files in the path's folder whose names begin like `names` and that were not written
// for so long. What cannot be removed stays.
void remove_old_files_beside(const char* path, std::string_view names, int64_t seconds);

// Seconds since the beginning of 1970 (UTC).
int64_t seconds_since_1970();

}  // namespace xylem::os
