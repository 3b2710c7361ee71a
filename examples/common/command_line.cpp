// See command_line.hpp.
#include "common/command_line.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace common {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& text, const char* what,
                         double low, double high) {
  char limits[80];
  std::snprintf(limits, sizeof limits, " from %.10g to %.10g", low, high);
  throw BadCommandLine(option + ": '" + text + "' is not a " + what + limits);
}

// NaN: it is no number.
double parse(const std::string& text) {
  double value = NAN;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? value : NAN;
}

}  // namespace

double number_of(const std::string& option, const std::string& text, double low, double high) {
  const double value = parse(text);
  if (!(value >= low && value <= high)) refuse(option, text, "number", low, high);
  return value;
}

double whole_number_of(const std::string& option, const std::string& text, double low,
                       double high) {
  const double value = parse(text);
  if (!(value >= low && value <= high) || value != std::floor(value))
    refuse(option, text, "whole number", low, high);
  return value;
}

void read_command_line(const std::vector<std::string>& words, const std::vector<Option>& options,
                       std::vector<std::string>* others) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto option = std::find_if(options.begin(), options.end(),
                                     [&word](const Option& o) { return o.name == word; });
    if (option == options.end()) {
      if (others == nullptr || word.starts_with("-"))
        throw BadCommandLine("no such option: " + word + " (try --help)");
      others->push_back(word);
    } else if (!option->takes_value) {
      option->set("");
    } else if (++i < words.size()) {
      option->set(words[i]);
    } else {
      throw BadCommandLine(word + " needs a value");
    }
  }
}

}  // namespace common
