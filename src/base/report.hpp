// What the runtime says to the user: warnings and the one fatal error, on stderr, as "xylem: ...".
//
// Owns: fatal() and warn_once(). Invariant: a message is one line and one write, so lines of
// threads do not mix; nothing here allocates or takes a lock, so both may be called anywhere.
#pragma once

namespace xylem::base {

// Prints the message and aborts the process. The format is printf's.
[[noreturn]] void fatal(const char* format, ...) __attribute__((format(printf, 1, 2), cold));

// Prints the message the first time this format is seen in the process; later calls do nothing.
// The format must be a literal. Safe from any thread; preserves errno.
void warn_once(const char* format, ...) __attribute__((format(printf, 1, 2), cold));

// The same every time it is called; for what can only be said once anyway (a wrong setting).
void warn(const char* format, ...) __attribute__((format(printf, 1, 2), cold));

// Prints what the user asked to be told; no warning, so it is not silenced.
void say(const char* format, ...) __attribute__((format(printf, 1, 2), cold));

// Switches warnings off, or on again, as the user or the program asks. From any thread.
void silence_warnings(bool silent);

}  // namespace xylem::base
