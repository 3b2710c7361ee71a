// An extension as Python opens it: it brings libstdc++, which nothing else of the process can see.
// Exceptions are thrown, caught, rethrown and stored while the threads of a region wait for each
// other inside their handlers.
#include <omp.h>

#include <exception>
#include <stdexcept>
#include <string>

namespace {

constexpr int rounds = 20;

// In the handler until all are: only then each looks at what it has caught.
bool own_exception_returns(const std::string& mine) {
  try {
    throw std::runtime_error(mine);
  } catch (const std::runtime_error&) {
#pragma omp barrier
    const std::exception_ptr kept = std::current_exception();
    try {
      throw;
    } catch (const std::runtime_error& again) {
      return again.what() == mine && kept == std::current_exception();
    }
  }
  return false;
}

bool own_count_returns() {
  struct Look {
    int& seen;
    ~Look() {
      // Two threads or more are here at a time: each has one exception in flight.
#pragma omp critical(look)
      seen = std::uncaught_exceptions();
    }
  };
  int seen = -1;
  try {
    const Look look{seen};
    throw 1;
  } catch (int) {
  }
  return seen == 1 && std::uncaught_exceptions() == 0;
}

}  // namespace

// How many of the threads' handlers found an exception that was not theirs.
extern "C" int wrong_exceptions(int threads) {
  int wrong = 0;
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
  for (int round = 0; round < rounds; ++round) {
    const std::string mine =
        "thread " + std::to_string(omp_get_thread_num()) + " round " + std::to_string(round);
    wrong += !own_exception_returns(mine);
    wrong += !own_count_returns();
#pragma omp barrier
  }
  return wrong;
}

// An exception that leaves the region the way users carry it: kept inside, thrown again outside.
extern "C" int carried_exception(int threads) {
  std::exception_ptr kept;
#pragma omp parallel num_threads(threads)
  try {
    if (omp_get_thread_num() == omp_get_num_threads() - 1) throw std::out_of_range("carried");
  } catch (...) {
#pragma omp critical
    kept = std::current_exception();
  }
  try {
    if (kept) std::rethrow_exception(kept);
  } catch (const std::out_of_range& error) {
    return error.what() == std::string("carried");
  }
  return 0;
}
