// A value or the reason why there is none.
//
// Owns: Result<T> and Error. Invariant: a Result that is ok holds a value; one that is not holds
// an error whose message is a string that lives for ever.
#pragma once

#include <utility>

namespace xylem::base {

struct Error {
  const char* message = "";  // a literal, or storage that is never freed
  int code = 0;              // an errno, or 0
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)), ok_(true) {}  // NOLINT(google-explicit-constructor)
  Result(Error error) : error_(error) {}                    // NOLINT(google-explicit-constructor)

  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }
  // Only if ok().
  const T& value() const { return value_; }
  T& value() { return value_; }
  // Only if not ok().
  const Error& error() const { return error_; }

 private:
  T value_{};
  Error error_{};
  bool ok_ = false;
};

}  // namespace xylem::base
