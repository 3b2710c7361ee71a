// Owns: the file that Counts are kept in.
//
// Text in lines: "xylem counts 1", "rows pages", "rows threads" or "rows pages_by_threads", "nodes
// N" (of these: threads), "page_bytes N", "cells N", then for each cell "ROW NODE READS WRITES",
// ascending by row and node, and "end". All are whole numbers. A file of another version, damaged,
// cut off, or with a number that cannot be is no file: nothing of it is used.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "count/table/counts.hpp"

namespace xylem::count {

std::vector<char> counts_text(const Counts& counts);
// Replaces the file. 0 or a negative errno; then the file is as it was.
int write_counts(const char* path, const Counts& counts);

// The error says what is wrong with the text, as the second half of a sentence.
base::Result<Counts> parse_counts(std::string_view text);
// The error's code is an errno where the file could not be read, and 0 where it is no such file.
base::Result<Counts> read_counts(const char* path);

}  // namespace xylem::count
