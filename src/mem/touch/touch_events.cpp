// Owns: what the server does when marked pages are touched, and when the program moves, gives up or
// copies marked memory. See touch_server.hpp.
//
// Why nothing is lost. A page's contents are in its place or, while it is marked, in its shadow; it
// is given from the shadow before its mark ends. While somebody changes mappings, from before the
// change until its event has been read, the kernel gives no page (-EAGAIN): so what the table says
// when a page is given is true of the mapping that it is given to.
//
// The event of a range that was unmapped may come after that of what came in its place, since both
// threads are past the kernel's lock when they tell it. So an unmapped extent is doubtful until no
// change is under way; then a page of it is tried.
#include <algorithm>
#include <cerrno>

#include "base/report.hpp"
#include "mem/touch/touch_server.hpp"
#include "os/memory.hpp"
#include "os/numa.hpp"

namespace xylem::mem {

namespace {

constexpr size_t most_touches = size_t{1} << 16;
constexpr uintptr_t window = uintptr_t{2} << 20;

int home_of(uintptr_t page) {
  void* pages[] = {reinterpret_cast<void*>(page)};
  int node = -1;
  return os::move_pages(1, pages, nullptr, &node) == 0 && node >= 0 ? node : -1;
}

}  // namespace

void TouchServer::hear(const os::FaultEvent& event) {
  using Kind = os::FaultEvent::Kind;
  switch (event.kind) {
    case Kind::touched:
      if (touch_count_ < most_touches)
        touches_[touch_count_++] = {event.start, event.number};
      else
        os::wake_touchers(faults_, event.start, touch_page);  // it touches again
      break;
    case Kind::forked:
      hear_forked(event.number);
      break;
    case Kind::moved:
      hear_moved(event.start, event.end, event.to);
      break;
    case Kind::removed:
      for (Extent& extent : table_.cut_out(event.start, event.end))
        if (!extent.arming) table_.clear_all(extent);
      untidy_ = true;
      break;
    case Kind::unmapped:
      for (Extent& extent : table_.cut_out(event.start, event.end))
        extent.doubtful = !extent.arming;
      untidy_ = true;
      break;
    case Kind::nothing:
      break;
  }
}

void TouchServer::hear_moved(uintptr_t start, uintptr_t end, uintptr_t to) {
  Extent* arming = arming_ != 0 ? table_.at(arming_) : nullptr;
  if (arming && arming->arming && to == arming->shadow->base) {  // our marker took the pages away
    os::unwatch_pages(faults_, to, end - start);
    os::keep_taken_pages(to, end - start);
    arming->arming = false;
    return;
  }
  while (true) {  // what was marked at its new place is gone
    const std::span<Extent> gone = table_.cut_out(to, to + (end - start));
    if (gone.empty()) break;
    table_.clear_all(gone.front());
    table_.end(gone.front());
  }
  table_.shift(start, end, to);
  // The watch came along, unless an extent that ended there had just taken it away.
  os::watch_pages(faults_, to, end - start);
}

// The child has copies of the pages that are in their places, and waits until we have read this;
// who touches one of the others in it waits until `child` is closed.
void TouchServer::hear_forked(int child) {
  for (const Extent& extent : table_.all()) {
    for (size_t i = 0; i < extent.pages;) {
      if (!extent.marked(i)) {
        ++i;
        continue;
      }
      long error = 0;
      const size_t copied = copy_run(child, extent, i, 1, error);
      if (copied == 0 && error == -ENOMEM) continue;
      ++i;  // -EEXIST, -EFAULT: it was still in its place when the child was made
    }
  }
  os::close_descriptor(child);
}

// --- touches -------------------------------------------------------------------------------------

void TouchServer::serve_touches() {
  size_t kept = 0;
  for (size_t i = 0; i < touch_count_; ++i)
    if (serve_touch(touches_[i]) == Outcome::later) touches_[kept++] = touches_[i];
  touch_count_ = kept;
}

TouchServer::Outcome TouchServer::serve_touch(const Touch& touch) {
  Extent* extent = table_.at(touch.page);
  if (!extent || extent->arming) return give_zeros(touch);
  const size_t i = extent->index(touch.page);
  if (!extent->marked(i)) return give_zeros(touch);
  if (!extent->watched) return give_kept(*extent, i, node_of_toucher(touch.thread));
  const int before = home_of(extent->kept(i));
  const Outcome outcome =
      give_kept(*extent, i, before >= 0 ? before : node_of_toucher(touch.thread));
  if (outcome == Outcome::done) watched.put(touch.page, touch.thread);
  return outcome;
}

// The page is not marked: it was given meanwhile and is there (-EEXIST), or never held anything.
TouchServer::Outcome TouchServer::give_zeros(const Touch& touch) {
  prefer(node_of_toucher(touch.thread));
  const long given =
      os::give_pages(faults_, touch.page, reinterpret_cast<uintptr_t>(zeros_), touch_page);
  if (given == -EAGAIN || given == -ENOMEM) return Outcome::later;
  os::wake_touchers(faults_, touch.page, touch_page);
  if (given > 0 && !table_.at(touch.page)) stop_watching_around(touch.page);
  return Outcome::done;
}

// Where no extent is, nothing needs to be watched: a mapping that mremap made larger.
void TouchServer::stop_watching_around(uintptr_t page) {
  uintptr_t start = page / window * window;
  uintptr_t end = start + window;
  const Extent* extent = table_.from(start);
  for (; extent && extent->start < page; extent = table_.from(start)) start = extent->end();
  if (extent) end = std::min(end, extent->start);
  if (!os::mappings_change(faults_)) os::unwatch_pages(faults_, start, end - start);
}

TouchServer::Outcome TouchServer::give_kept(Extent& extent, size_t i, int node) {
  const uintptr_t page = extent.page(i);
  const int before = home_of(extent.kept(i));
  prefer(node >= 0 ? node : before);
  const long given = os::give_pages(faults_, page, extent.kept(i), touch_page);
  if (given == -EAGAIN || given == -ENOMEM) return Outcome::later;
  if (given == -EFAULT) refuse_page(page);
  if (given > 0) settle_home(page, node, before);
  if (given != -ENOENT)
    end_mark(extent, i);  // else its mapping is gone, and an event of that comes
  os::wake_touchers(faults_, page, touch_page);
  if (extent.left == 0) tidy_extent(extent);
  return Outcome::done;
}

// A policy of the mapping's own is stronger than the server's.
void TouchServer::settle_home(uintptr_t page, int node, int before) {
  int here = home_of(page);
  if (node >= 0 && here != node) {
    void* pages[] = {reinterpret_cast<void*>(page)};
    int status = -1;
    if (os::move_pages(1, pages, &node, &status) == 0) here = status;
  }
  if (before >= 0 && here >= 0 && here != before) moved.fetch_add(1, std::memory_order_relaxed);
}

void TouchServer::end_mark(Extent& extent, size_t i) {
  const Stretch group = table_.clear(extent, i);
  if (group.end > group.start)
    os::drop_pages(reinterpret_cast<char*>(group.start), group.end - group.start);
}

// The program had guarded the page: it is to fault in earnest.
void TouchServer::refuse_page(uintptr_t page) {
  if (os::guard_pages(reinterpret_cast<char*>(page), touch_page, false) == os::Guard::none)
    base::fatal(
        "next touch: the page at %p cannot be read; do not mark memory that the kernel "
        "reports as damaged",
        reinterpret_cast<void*>(page));
}

// --- what could not be done at once --------------------------------------------------------------

void TouchServer::tidy() {
  if (!untidy_ || os::mappings_change(faults_)) return;
  untidy_ = false;
  for (size_t i = table_.all().size(); i-- > 0;) tidy_extent(table_.all()[i]);
}

TouchServer::Outcome TouchServer::tidy_extent(Extent& extent) {
  if (extent.arming) return Outcome::done;
  for (size_t i = 0; extent.doubtful && i < extent.pages; ++i) {
    if (!extent.marked(i)) continue;
    const long given = os::give_pages(faults_, extent.page(i), extent.kept(i), touch_page);
    if (given == -EAGAIN || given == -ENOMEM) {
      untidy_ = true;
      return Outcome::later;
    }
    if (given == -ENOENT) {
      table_.clear_all(extent);
      break;
    }
    end_mark(extent, i);  // it is there after all
    os::wake_touchers(faults_, extent.page(i), touch_page);
    extent.doubtful = false;
  }
  if (extent.left > 0) return Outcome::done;
  if (!extent.doubtful) {
    if (os::mappings_change(faults_)) {
      untidy_ = true;
      return Outcome::later;
    }
    os::unwatch_pages(faults_, extent.start, extent.pages * touch_page);
  }
  table_.end(extent);
  return Outcome::done;
}

}  // namespace xylem::mem
