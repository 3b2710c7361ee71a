// The words of a command line, read by a table of options; and what each option may be given. The
// examples share it.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace common {

// Invariant: `set` is called with the option's value, or with "" if it takes none.
struct Option {
  std::string name;
  bool takes_value;
  std::function<void(const std::string& value)> set;
};

// What is wrong with the command line, in one clear sentence.
struct BadCommandLine : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Calls what the words name; throws BadCommandLine. Words that begin with no "-" go to `others`; if
// that is null, there may be none.
void read_command_line(const std::vector<std::string>& words, const std::vector<Option>& options,
                       std::vector<std::string>* others = nullptr);

// The number that `text` is, from low to high; throws BadCommandLine.
double number_of(const std::string& option, const std::string& text, double low, double high);
// Likewise, without a fraction.
double whole_number_of(const std::string& option, const std::string& text, double low, double high);

// Rows of the table. The targets outlive it.
inline Option flag(const std::string& name, bool& target, bool value = true) {
  return {name, false, [&target, value](const std::string&) { target = value; }};
}
inline Option text(const std::string& name, std::string& target) {
  return {name, true, [&target](const std::string& value) { target = value; }};
}
inline Option number(const std::string& name, double& target, double low, double high) {
  return {name, true,
          [=, &target](const std::string& value) { target = number_of(name, value, low, high); }};
}
template <class Integer>
Option whole(const std::string& name, Integer& target, int low, int high) {
  return {name, true, [=, &target](const std::string& value) {
            target = static_cast<Integer>(whole_number_of(name, value, low, high));
          }};
}

}  // namespace common
