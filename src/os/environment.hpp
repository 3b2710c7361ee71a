// What the process's environment says, and adding a variable to it for a moment.
//
// Owns: ScopedVariable and what is asked of the environment. Why ScopedVariable exists: hwloc
// decides by environment variables alone whether and from where it loads its plugins, which bring
// OpenCL, OpenGL and X11 into the user's process, and into a set-uid program whatever its caller
// likes; and by others what it takes for the machine. Invariant: the array the C library made is
// never written or freed; a thread that reads the environment meanwhile sees either array whole,
// and both live for ever.
#pragma once

namespace xylem::os {

// The process was given privileges that its caller has not (set-uid, capabilities of the file):
// AT_SECURE.
bool has_raised_privileges();

// Whether the environment has a variable whose name begins like this.
bool has_variable_like(const char* beginning);

// What the environment says of a name, for what lies beside the runtime and has no table of
// settings; null if it says nothing, or in a process with raised privileges.
const char* variable(const char* name);

class ScopedVariable {
 public:
  // assignment: "NAME=VALUE", a literal. Does nothing if NAME is set already, if another
  // ScopedVariable lives, or if the environment has thousands of variables. In a process with
  // raised privileges the environment has meanwhile no variable of its own whose name begins like
  // NAME, up to the first "_"; then only another ScopedVariable makes it do nothing.
  explicit ScopedVariable(const char* assignment);
  ~ScopedVariable();
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

  bool active() const { return saved_ != nullptr; }

 private:
  char** saved_ = nullptr;
  char** ours_ = nullptr;
};

}  // namespace xylem::os
