// Owns: what the server does for markers: marking ranges, ending marks. See touch_server.hpp.
#include <algorithm>
#include <cerrno>

#include "base/check.hpp"
#include "mem/touch/touch_server.hpp"
#include "os/numa.hpp"

namespace xylem::mem {

namespace {

constexpr size_t longest_run = 16;  // pages that are looked at and copied in one go
// With more stretches than this that are not marked yet, the marks between them are ended first, so
// that the range is one mapping again and not many.
constexpr int most_stretches = 16;

bool is_torn(TouchTable& table, uintptr_t start, uintptr_t end) {
  int stretches = 0;
  for (uintptr_t at = start; at < end && stretches <= most_stretches; ++stretches)
    at = table.stretch(at, end).end;
  return stretches > most_stretches;
}

}  // namespace

// No request is looked at while mappings change: events of what was unmapped earlier at the
// addresses that are to be marked have then been read.
TouchServer::Outcome TouchServer::answer() {
  if (arming_ != 0) return arm();
  if (untidy_ || os::mappings_change(faults_)) return Outcome::later;
  switch (request_.what) {
    case Ask::arm:
      // Who watches a page gives way to who wants it moved.
      if (forget(request_.start, request_.end, true) == Outcome::later) return Outcome::later;
      return arm_next();
    case Ask::watch:
      return arm_next();
    case Ask::forget:
      return forget(request_.start, request_.end);
    case Ask::unwatch:
      return forget(request_.start, request_.end, true);
    case Ask::count:
      request_.answer = static_cast<long>(table_.marked(request_.start, request_.end));
      break;
  }
  if constexpr (base::kChecked)
    if (const char* broken = table_.check()) base::fatal("next touch: %s", broken);
  return Outcome::done;
}

// The marker has taken the pages of one stretch away, or could not.
TouchServer::Outcome TouchServer::arm() {
  request_.take = false;
  if (request_.taken != 0) {
    undo_arming();
    arming_ = 0;
    request_.answer = request_.taken;
    return Outcome::done;
  }
  arming_ = 0;
  request_.start = request_.from + request_.bytes;
  return arm_next();
}

// Also of extents that the program moved elsewhere meanwhile: their pages went with it.
void TouchServer::undo_arming() {
  for (size_t i = table_.all().size(); i-- > 0;) {
    Extent& extent = table_.all()[i];
    if (!extent.arming) continue;
    os::unwatch_pages(faults_, extent.start, extent.pages * touch_page);
    table_.clear_all(extent);
    table_.end(extent);
  }
}

// Marks the next stretch that is not, up to where the marker comes in.
TouchServer::Outcome TouchServer::arm_next() {
  if (is_torn(table_, request_.start, request_.end) &&
      forget(request_.start, request_.end) == Outcome::later)
    return Outcome::later;
  Stretch next = table_.stretch(request_.start, request_.end);
  if (next.marked) next = table_.stretch(next.end, request_.end);
  if (next.start >= next.end) return Outcome::done;  // all is marked
  while (true) {                                     // extents whose marks there have ended
    const std::span<Extent> empty = table_.cut_out(next.start, next.end);
    if (empty.empty()) break;
    table_.end(empty.front());
  }
  const size_t bytes = next.end - next.start;
  request_.answer = os::watch_pages(faults_, next.start, bytes);
  if (request_.answer != 0) return Outcome::done;
  const Extent* extent = table_.add(next.start, bytes / touch_page, request_.what == Ask::watch);
  if (!extent) {
    os::unwatch_pages(faults_, next.start, bytes);
    request_.answer = -ENOMEM;
    return Outcome::done;
  }
  arming_ = request_.from = next.start;
  request_.bytes = bytes;
  request_.to = extent->shadow->base;
  request_.take = true;
  return Outcome::done;
}

TouchServer::Outcome TouchServer::forget(uintptr_t start, uintptr_t end, bool only_watched) {
  table_.cut_out(start, end);
  for (uintptr_t at = start; at < end;) {
    Extent* extent = table_.from(at);
    if (!extent || extent->start >= end) break;
    at = extent->end();
    if (only_watched && !extent->watched) continue;
    if (put_back(*extent) == Outcome::later) return Outcome::later;
    if (extent->left == 0) tidy_extent(*extent);
  }
  return Outcome::done;
}

TouchServer::Outcome TouchServer::put_back(Extent& extent) {
  for (size_t i = 0; i < extent.pages && extent.left > 0;) {
    size_t count = 0;
    while (count < longest_run && i + count < extent.pages && extent.marked(i + count)) ++count;
    if (count > 0 && put_run_back(extent, i, count) == Outcome::later) return Outcome::later;
    i += std::max<size_t>(count, 1);
  }
  return Outcome::done;
}

TouchServer::Outcome TouchServer::put_run_back(Extent& extent, size_t first, size_t count) {
  while (count > 0) {
    long error = 0;
    size_t done = copy_run(faults_, extent, first, count, error);
    if (error == -EAGAIN || error == -ENOMEM) return Outcome::later;
    if (error == -ENOENT) {  // its mapping is gone
      extent.doubtful = untidy_ = true;
      return Outcome::done;
    }
    if (error == -EFAULT) refuse_page(extent.page(first));
    if (error != 0) done = 1;
    for (size_t i = 0; i < done; ++i) end_mark(extent, first + i);
    os::wake_touchers(faults_, extent.page(first), done * touch_page);
    first += done;
    count -= done;
  }
  return Outcome::done;
}

// Gives the first pages of a run of marked ones back, on the node where they are: as many as are
// alike. Pages that hold nothing need not be given. Returns how many are settled; 0: `error`.
size_t TouchServer::copy_run(int faults, const Extent& extent, size_t first, size_t count,
                             long& error) {
  std::array<bool, longest_run> hold;
  std::array<void*, longest_run> pages;
  std::array<int, longest_run> nodes;
  for (size_t i = 0; i < count; ++i) {
    hold[i] = true;
    pages[i] = reinterpret_cast<void*>(extent.kept(first + i));
    nodes[i] = -1;
  }
  os::pages_hold_something(page_states_, extent.kept(first), {hold.data(), count});
  os::move_pages(count, pages.data(), nullptr, nodes.data());
  size_t alike = 1;
  while (alike < count && hold[alike] == hold[0] && nodes[alike] == nodes[0]) ++alike;
  if (!hold[0]) return alike;
  prefer(nodes[0] >= 0 ? nodes[0] : -1);
  const long given =
      os::give_pages(faults, extent.page(first), extent.kept(first), alike * touch_page);
  if (given < 0) error = given;
  return given < 0 ? 0 : static_cast<size_t>(given) / touch_page;
}

}  // namespace xylem::mem
