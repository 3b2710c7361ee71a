// Adding a variable to the process's environment for a moment.
//
// Owns: ScopedVariable. Why it exists: hwloc decides by an environment variable alone whether it
// loads its plugins, and those bring OpenCL, OpenGL and X11 into the user's process.
// Invariant: the array the C library made is never written or freed; a thread that reads the
// environment meanwhile sees either array whole, and both live for ever.
#pragma once

namespace xylem::os {

class ScopedVariable {
 public:
  // assignment: "NAME=VALUE", a literal. Does nothing if NAME is set already, if another
  // ScopedVariable lives, or if the environment has thousands of variables.
  explicit ScopedVariable(const char* assignment);
  ~ScopedVariable();
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

  bool active() const { return saved_ != nullptr; }

 private:
  char** saved_ = nullptr;
};

}  // namespace xylem::os
