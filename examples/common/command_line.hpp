// The command lines of the examples, read by CLI11, and what all their main() do.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>

namespace common {

// An option that is given twice has its last value; --help shows defaults.
class CommandLine : public CLI::App {
 public:
  CommandLine(const std::string& program, const std::string& what) : App(what, program) {
    option_defaults()->take_last()->always_capture_default();
  }

  // Reads the words, calls run() and returns its exit code. What is wrong with the words, or thrown
  // by run(), is one line on standard error and the exit code `failed`.
  int run(int argc, char** argv, const std::function<int()>& run, int failed = 1) try {
    parse(argc, argv);
    const int code = run();
    return std::fflush(stdout) == 0 ? code : 1;
  } catch (const CLI::CallForHelp&) {
    std::fputs(help().c_str(), stdout);
    return std::fflush(stdout) == 0 ? 0 : 1;
  } catch (const CLI::ExtrasError&) {
    return complain("no such option: " + remaining().front() + " (try --help)", failed);
  } catch (const CLI::ArgumentMismatch& error) {  // "--size: 1 required INT missing"
    const std::string what = error.what();
    return complain(what.substr(0, what.find(':')) + " needs a value", failed);
  } catch (const std::exception& error) {
    return complain(error.what(), failed);
  }

 private:
  int complain(const std::string& sentence, int code) const {
    std::fprintf(stderr, "%s: %s\n", get_name().c_str(), sentence.c_str());
    return code;
  }
};

// For transform(): a value must be a number from low to high, and have no fraction if it is to be
// `whole`; then it is written in plain digits, as CLI11 would take "010" for 8.
inline CLI::Validator number(double low, double high, bool whole = false) {
  char refusal[120], limits[80];
  std::snprintf(refusal, sizeof refusal, "' is not a %snumber from %.10g to %.10g",
                whole ? "whole " : "", low, high);
  std::snprintf(limits, sizeof limits, "%.10g..%.10g", low, high);
  const auto check = [=, refusal = std::string(refusal)](std::string& word) -> std::string {
    double value = NAN;
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, value);
    const bool is_number = error == std::errc() && stop == end && value >= low && value <= high;
    if (!is_number || (whole && value != std::floor(value))) return "'" + word + refusal;
    if (whole) word = std::to_string(static_cast<long long>(value));
    return "";
  };
  return {check, limits};
}
inline CLI::Validator whole(double low, double high) { return number(low, high, true); }

}  // namespace common
