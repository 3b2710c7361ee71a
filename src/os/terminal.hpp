// The terminal as a screen that is drawn anew and answers single keys.
//
// Owns: Terminal. Invariant: while one is open the terminal shows its second screen, echoes
// nothing and hides the cursor; close(), which the destructor calls, gives back what it was.
// Signals that would end the process are kept meanwhile: the owner looks at asked_to_end().
#pragma once

#include <termios.h>

#include <cstdint>
#include <string_view>

namespace xylem::os {

// True if the standard output is a terminal.
bool output_is_terminal();

class Terminal {
 public:
  Terminal() = default;
  ~Terminal() { close(); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // One at a time. Without a terminal as standard input there are no keys, but all the rest.
  void open();
  void close();

  struct Size {
    int rows, columns;
  };
  // The size now; 24 by 80 if the terminal does not know.
  static Size size();

  // Waits for a key, at most so long. Returns it, or 0. A signal ends the wait.
  char wait_key(int64_t ns);

  // True after SIGINT, SIGTERM or SIGHUP, or when the input has ended.
  bool asked_to_end() const;

  // Shows exactly this text from the upper left corner on; false if that failed.
  static bool show(std::string_view text);

 private:
  bool open_ = false;
  bool keys_ = false;
  bool input_ended_ = false;
  termios before_{};
};

}  // namespace xylem::os
