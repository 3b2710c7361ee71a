// Owns: schedules of dynamic loops. See schedules.hpp.
#include "count/engine/schedules.hpp"

#include <algorithm>
#include <bit>

#include "count/table/lines.hpp"
#include "os/cache_lines.hpp"

namespace xylem::count {

namespace {

constexpr std::string_view first_line = "xylem schedule 1";
constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::size_t words_a_line = os::cache_line_bytes / sizeof(uint64_t);
constexpr uint64_t most_threads = 1 << 16;

std::size_t words_of(uint64_t bits) {
  const std::size_t words = static_cast<std::size_t>((bits + 63) / 64);
  return (words + words_a_line - 1) / words_a_line * words_a_line;
}

std::size_t index_of(int number) { return static_cast<std::size_t>(number); }

base::Error wrong(const char* what) { return base::Error{what}; }

struct Header {
  uint64_t threads = 0;
  uint64_t iterations = 0;
  uint64_t working = 0;
};
struct First {
  int thread = 0;
  uint64_t iteration = 0;
};

const char* read_header(LineReader& reader, Header& header) {
  if (!reader.line(first_line)) return "is no schedule of this version";
  if (!reader.number("threads", 1, most_threads, header.threads))
    return "has a number of threads that cannot be";
  if (!reader.number("iterations", 0, ScheduleRecorder::most_bits, header.iterations) ||
      !ScheduleRecorder::is_possible(static_cast<int>(header.threads), header.iterations))
    return "has a number of iterations that cannot be";
  const uint64_t most = std::min(header.threads, header.iterations);
  if (!reader.number("working", std::min<uint64_t>(most, 1), most, header.working))
    return "has a number of working threads that cannot be";
  // Before room is made for what cannot be there: four iterations are a digit of each thread's.
  if ((header.iterations - header.working) / 4 * header.working > reader.left())
    return "is cut off";
  return nullptr;
}

const char* read_firsts(LineReader& reader, const Header& header, std::vector<First>& firsts,
                        std::span<int> owners) {
  for (uint64_t i = 0; i < header.working; ++i) {
    uint64_t values[2];  // a thread, an iteration
    if (!reader.numbers(values, UINT64_MAX)) return "has a line that is no thread's first";
    if (values[0] >= header.threads || values[1] >= header.iterations)
      return "names what it has not";
    const auto thread = static_cast<int>(values[0]);
    if (!firsts.empty() && thread <= firsts.back().thread) return "has threads out of order";
    int& owner = owners[static_cast<std::size_t>(values[1])];
    if (owner >= 0) return "gives an iteration to two threads";
    owner = thread;
    firsts.push_back({thread, values[1]});
  }
  return nullptr;
}

// One thread's bits, of the iterations that are nobody's first: gives each of them the thread.
const char* read_bits(std::string_view digits, int thread, std::span<const uint64_t> columns,
                      std::span<int> owners) {
  if (digits.size() != (columns.size() + 3) / 4) return "has a line of bits of another length";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::size_t value = hex_digits.find(digits[i]);
    if (value == std::string_view::npos) return "has a digit that is none";
    for (std::size_t bit = 0; bit < 4; ++bit) {
      if ((value >> bit & 1) == 0) continue;
      if (4 * i + bit >= columns.size()) return "has bits of more iterations than there are";
      int& owner = owners[static_cast<std::size_t>(columns[4 * i + bit])];
      if (owner >= 0) return "gives an iteration to two threads";
      owner = thread;
    }
  }
  return nullptr;
}

}  // namespace

// --- recording
// ------------------------------------------------------------------------------------

ScheduleRecorder::ScheduleRecorder(int threads, uint64_t iterations)
    : threads_(threads),
      iterations_(iterations),
      words_(words_of(iterations)),
      bits_(index_of(threads) * words_) {}

void ScheduleRecorder::ran(int thread, uint64_t lo, uint64_t hi) {
  uint64_t* const own = bits_.data() + index_of(thread) * words_;
  while (lo < hi) {
    const uint64_t in_word = lo % 64;
    const uint64_t count = std::min(hi - lo, 64 - in_word);
    const uint64_t ones = count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
    own[lo / 64] |= ones << in_word;
    lo += count;
  }
}

base::Result<Schedule> Schedule::of(const ScheduleRecorder& record) {
  Schedule made;
  made.threads_ = record.threads_;
  made.iterations_ = record.iterations_;
  made.owners_.assign(static_cast<std::size_t>(record.iterations_), -1);
  for (int thread = 0; thread < record.threads_; ++thread)
    for (std::size_t word = 0; word < record.words_; ++word)
      for (uint64_t bits = record.bits_[index_of(thread) * record.words_ + word]; bits != 0;
           bits &= bits - 1) {
        int& owner = made.owners_[64 * word + static_cast<std::size_t>(std::countr_zero(bits))];
        if (owner >= 0) return wrong("gives an iteration to two threads");
        owner = thread;
      }
  if (std::find(made.owners_.begin(), made.owners_.end(), -1) != made.owners_.end())
    return wrong("gives an iteration to no thread");
  return made;
}

// --- using it
// -------------------------------------------------------------------------------------

std::vector<std::vector<Turns>> Schedule::turns() const {
  std::vector<std::vector<Turns>> made(index_of(threads_));
  for (uint64_t i = 0; i < iterations_; ++i) {
    std::vector<Turns>& own = made[index_of(owner(i))];
    if (!own.empty() && own.back().hi == i)
      ++own.back().hi;
    else
      own.push_back({i, i + 1});
  }
  return made;
}

int Schedule::owner(uint64_t iteration) const {
  return owners_[static_cast<std::size_t>(iteration)];
}

std::vector<uint64_t> Schedule::firsts() const {
  std::vector<uint64_t> made(index_of(threads_), iterations_);
  for (uint64_t i = iterations_; i-- > 0;) made[index_of(owner(i))] = i;
  return made;
}

uint64_t Schedule::packed_bits() const {
  const std::vector<uint64_t> first = firsts();
  const auto idle = static_cast<uint64_t>(std::count(first.begin(), first.end(), iterations_));
  const uint64_t working = first.size() - idle;
  return working * (iterations_ - working);
}

// --- text
// -----------------------------------------------------------------------------------------

std::vector<char> Schedule::text() const {
  LineWriter writer;
  write(writer);
  return writer.take();
}

void Schedule::write(LineWriter& writer) const {
  const std::vector<uint64_t> first = firsts();
  writer.line(first_line);
  writer.number("threads", static_cast<uint64_t>(threads_));
  writer.number("iterations", iterations_);
  std::vector<uint64_t> working, columns;
  for (std::size_t thread = 0; thread < first.size(); ++thread)
    if (first[thread] < iterations_) working.push_back(thread);
  for (uint64_t i = 0; i < iterations_; ++i)
    if (first[index_of(owner(i))] != i) columns.push_back(i);
  writer.number("working", working.size());
  for (const uint64_t thread : working) {
    const uint64_t values[] = {thread, first[static_cast<std::size_t>(thread)]};
    writer.numbers(values);
  }
  std::vector<char> digits;
  for (const uint64_t thread : working) {
    if (columns.empty()) break;
    digits.assign((columns.size() + 3) / 4, '0');
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (owner(columns[i]) != static_cast<int>(thread)) continue;
      char& digit = digits[i / 4];
      digit = hex_digits[hex_digits.find(digit) | (std::size_t{1} << (i % 4))];
    }
    writer.line({digits.data(), digits.size()});
  }
  writer.line("end");
}

base::Result<Schedule> Schedule::parse(std::string_view text) {
  LineReader reader(text);
  auto made = read(reader);
  if (made.ok() && !reader.at_end()) return wrong("does not end where it should");
  return made;
}

base::Result<Schedule> Schedule::read(LineReader& reader) {
  Header header;
  if (const char* what = read_header(reader, header)) return wrong(what);
  Schedule made;
  made.threads_ = static_cast<int>(header.threads);
  made.iterations_ = header.iterations;
  made.owners_.assign(static_cast<std::size_t>(header.iterations), -1);
  std::vector<First> firsts;
  if (const char* what = read_firsts(reader, header, firsts, made.owners_)) return wrong(what);
  std::vector<uint64_t> columns;
  for (uint64_t i = 0; i < header.iterations; ++i)
    if (made.owner(i) < 0) columns.push_back(i);
  for (std::size_t i = 0; i < firsts.size() && !columns.empty(); ++i) {
    std::string_view digits;
    if (!reader.any(digits)) return wrong("is cut off");
    if (const char* what = read_bits(digits, firsts[i].thread, columns, made.owners_))
      return wrong(what);
  }
  if (std::find(made.owners_.begin(), made.owners_.end(), -1) != made.owners_.end())
    return wrong("gives an iteration to no thread");
  const std::vector<uint64_t> real = made.firsts();
  for (const First& first : firsts)
    if (real[index_of(first.thread)] != first.iteration)
      return wrong("has a first iteration that is none");
  if (!reader.line("end")) return wrong("does not end where it should");
  return made;
}

}  // namespace xylem::count
