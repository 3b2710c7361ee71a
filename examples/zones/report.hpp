// What a run gave, as text for people and as one line of JSON.
#pragma once

#include "options.hpp"

namespace zones {

struct Result {
  Times times;
  std::vector<Share> shares;
  Error error;
  long smallest_zone = 0;
  long largest_zone = 0;
  double serial_seconds = 0;  // 0: was not run
  bool same_bits = false;     // as the serial result; only if that was run
};

void print_text(const Options& options, const Result& result);
void print_json(const Options& options, const Result& result);

}  // namespace zones
