// A shared object that brings the C++ library, for threads_exceptions_local: a member throws,
// catches and rethrows while it moves, and must find its own exception every time.
#include <exception>
#include <stdexcept>
#include <string>

using Move = void (*)();

namespace {

[[gnu::noinline]] void raise(int member, int turn) {
  throw std::runtime_error(std::to_string(member) + "/" + std::to_string(turn));
}

// Its destructor moves while an exception unwinds.
struct MovesWhenLeft {
  Move move;
  int* wrong;
  ~MovesWhenLeft() {
    move();
    *wrong += std::uncaught_exceptions() != 1;
  }
};

bool is(const std::exception& seen, int member, int turn) {
  return seen.what() == std::to_string(member) + "/" + std::to_string(turn);
}

}  // namespace

// Which of its exceptions were another member's, or counted wrongly.
extern "C" int plugin_throw(int member, int turn, Move move) {
  int wrong = 0;
  try {
    const MovesWhenLeft guard{move, &wrong};
    raise(member, turn);
  } catch (const std::exception& seen) {
    move();
    wrong += !is(seen, member, turn);
    wrong += std::uncaught_exceptions() != 0;
    try {
      move();
      throw;
    } catch (const std::exception& again) {
      move();
      wrong += !is(again, member, turn);
    }
  }
  return wrong + (std::current_exception() != nullptr);
}
