// A machine as an SVG drawing: see machine_svg.hpp.
//
// Two passes over the tree: measure() finds each level's least size and in how many columns its
// children stand; place() gives each the room that is there. Lengths are SVG user units (pixels).
#include "tool/topo/machine_svg.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "tool/command/common.hpp"

namespace xylem::tool {

namespace {

constexpr double kPuWidth = 50;
constexpr double kWidePu = 58;  // its number has three digits or more
constexpr double kPuHeight = 40;
constexpr double kPadding = 9;
constexpr double kGap = 7;
constexpr double kHeader = 24;
constexpr double kMargin = 24;
constexpr double kTitleHeight = 62;
constexpr double kLegendRow = 24;
constexpr double kLetter = 6.6;  // of the 12-pixel font, about
constexpr double kLeastWidth = 560;
constexpr double kAspect = 1.7;

struct Style {
  std::string_view fill;
  std::string_view line;
  std::string_view text;
};

struct Box {
  double width = 0;  // the least it needs
  double height = 0;
  int columns = 1;
};

struct Place {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

Style style_of(topo::LevelKind kind) {
  switch (kind) {
    case topo::LevelKind::machine:
      return {"#f7f9f8", "#c3cec8", "#33413a"};
    case topo::LevelKind::package:
      return {"#eaf1f8", "#9db6d0", "#27496b"};
    case topo::LevelKind::node:
      return {"#e3f1e7", "#86b996", "#1f5a35"};
    case topo::LevelKind::cache:
      return {"#fdf4df", "#dfc07a", "#6f5312"};
    case topo::LevelKind::core:
      return {"#ffffff", "#b4bec6", "#47525a"};
    case topo::LevelKind::group:
      return {"#f0edf9", "#b5a8dc", "#47388a"};
    case topo::LevelKind::pu:
      return {"#2f8f57", "#24713f", "#ffffff"};
  }
  return {};
}

constexpr Style kForbidden = {"#d9dde0", "#bcc3c8", "#737c83"};

std::string shortened(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

double text_width(std::string_view text, double size) {
  return static_cast<double>(text.size()) * kLetter * size / 12;
}

class Drawing {
 public:
  explicit Drawing(const MachineView& view) : view_(view), boxes_(view.levels.size()) {}

  std::string draw();

 private:
  const topo::Level& level(int at) const { return view_.levels[static_cast<std::size_t>(at)]; }
  Box& box(int at) { return boxes_[static_cast<std::size_t>(at)]; }
  std::string header(int at) const;

  void measure(int at);
  Box arrange(int at, int columns);
  void place(int at, Place where);
  void place_children(int at, Place inside);

  void rectangle(const Place& where, const Style& style, double radius, double line);
  void text(double x, double y, double size, std::string_view colour, std::string_view words,
            std::string_view extra = "");
  void draw_pu(int at, const Place& where);
  void draw_title(double width);
  struct Entry {
    Style style;
    std::string_view words;
  };
  std::vector<Entry> legend() const;
  double draw_legend(double y, double width);

  const MachineView& view_;
  std::vector<Box> boxes_;
  std::string out_;
};

std::string Drawing::header(int at) const {
  const std::string memory = level_memory(view_, at);
  return level_title(view_, at) + (memory.empty() ? "" : "  ·  " + memory);
}

// The size the level has if its children stand in `columns` columns.
Box Drawing::arrange(int at, int columns) {
  const topo::Level& it = level(at);
  double widest = 0;
  double height = 0;
  for (int row = 0; row < it.child_count; row += columns) {
    double tallest = 0;
    for (int child = row; child < std::min(row + columns, it.child_count); ++child) {
      widest = std::max(widest, box(it.first_child + child).width);
      tallest = std::max(tallest, box(it.first_child + child).height);
    }
    height += tallest + (row > 0 ? kGap : 0);
  }
  Box made;
  made.columns = columns;
  made.width = columns * widest + (columns - 1) * kGap + 2 * kPadding;
  made.width = std::max(made.width, text_width(header(at), 12) + 2 * kPadding);
  if (at == 0) made.width = std::max(made.width, kLeastWidth);
  made.height = height + kHeader + kPadding;
  return made;
}

void Drawing::measure(int at) {
  const topo::Level& it = level(at);
  if (it.child_count == 0) {
    const bool long_number = it.os_index > 99;
    box(at) = {long_number ? kWidePu : kPuWidth, kPuHeight, 1};
    return;
  }
  for (int child = 0; child < it.child_count; ++child) measure(it.first_child + child);
  // Of all numbers of columns that fill their rows well, the one whose shape is nearest the aim.
  double best = 1e30;
  for (int columns = 1; columns <= it.child_count; ++columns) {
    const Box made = arrange(at, columns);
    const int rows = (it.child_count + columns - 1) / columns;
    const int holes = rows * columns - it.child_count;
    const double cost = std::fabs(std::log(made.width / made.height / kAspect)) +
                        1.5 * holes / static_cast<double>(rows * columns);
    const bool one_row = it.child_count <= 4 && level(it.first_child).child_count == 0;
    if (one_row ? columns == it.child_count : cost < best) {
      best = cost;
      box(at) = made;
    }
  }
}

void Drawing::rectangle(const Place& where, const Style& style, double radius, double line) {
  out_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{}\" fill=\"{}\" "
      "stroke=\"{}\" stroke-width=\"{}\"/>\n",
      where.x, where.y, where.width, where.height, radius, style.fill, style.line, line);
}

void Drawing::text(double x, double y, double size, std::string_view colour, std::string_view words,
                   std::string_view extra) {
  out_ +=
      fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" fill=\"{}\"{}{}>{}</text>\n", x,
                  y, size, colour, extra.empty() ? "" : " ", extra, escaped(words));
}

void Drawing::draw_pu(int at, const Place& where) {
  const int pu = level(at).first_pu;
  const int worker = view_.workers[static_cast<std::size_t>(pu)];
  const Style style = worker >= 0 ? style_of(topo::LevelKind::pu) : kForbidden;
  rectangle(where, style, 5, 1);
  const double middle = where.x + where.width / 2;
  const double centre = where.y + where.height / 2;
  constexpr std::string_view kBold = "text-anchor=\"middle\" font-weight=\"600\"";
  text(middle, centre - (worker >= 0 ? 2 : -4), 12, style.text, level_title(view_, at), kBold);
  if (worker < 0) return;
  text(middle, centre + 12, 10, "#d4efde", fmt::format("w{}", worker), "text-anchor=\"middle\"");
}

void Drawing::place_children(int at, Place inside) {
  const topo::Level& it = level(at);
  const int columns = box(at).columns;
  const int rows = (it.child_count + columns - 1) / columns;
  const double width = (inside.width - (columns - 1) * kGap) / columns;
  const double spare = inside.height - (box(at).height - kHeader - kPadding);
  double y = inside.y;
  for (int row = 0; row < rows; ++row) {
    const int first = it.first_child + row * columns;
    const int end = std::min(first + columns, it.first_child + it.child_count);
    double height = 0;
    for (int child = first; child < end; ++child) height = std::max(height, box(child).height);
    height += spare / rows;
    for (int child = first; child < end; ++child) {
      place(child, {inside.x + (child - first) * (width + kGap), y, width, height});
    }
    y += height + kGap;
  }
}

void Drawing::place(int at, Place where) {
  const topo::Level& it = level(at);
  if (it.child_count == 0) {
    draw_pu(at, where);
    return;
  }
  const Style style = style_of(it.kind);
  rectangle(where, style, 7, it.kind == topo::LevelKind::machine ? 1.5 : 1);
  text(where.x + kPadding, where.y + 16.5, 12, style.text, header(at), "font-weight=\"600\"");
  place_children(at, {where.x + kPadding, where.y + kHeader, where.width - 2 * kPadding,
                      where.height - kHeader - kPadding});
}

void Drawing::draw_title(double width) {
  const auto fits = static_cast<std::size_t>(width / (kLetter * 20 / 12));
  text(kMargin, kMargin + 16, 20, "#1d2a23", shortened(view_.host, fits), "font-weight=\"700\"");
  text(kMargin, kMargin + 38, 12.5, "#5b6a62",
       machine_text(view_) + "  ·  " + allowance_text(view_));
}

std::vector<Drawing::Entry> Drawing::legend() const {
  using topo::LevelKind;
  std::array<bool, 8> present{};
  for (const topo::Level& it : view_.levels) present[static_cast<std::size_t>(it.kind)] = true;
  std::vector<Entry> entries;
  for (const LevelKind kind :
       {LevelKind::package, LevelKind::node, LevelKind::group, LevelKind::cache, LevelKind::core}) {
    if (!present[static_cast<std::size_t>(kind)]) continue;
    entries.push_back({style_of(kind), topo::kind_name(kind)});
  }
  const bool drawn = view_.machine->synthetic();
  entries.push_back({style_of(LevelKind::pu),
                     drawn ? "PU and its worker" : "PU allowed, with the worker bound to it"});
  if (view_.allowed < view_.machine->pu_count()) entries.push_back({kForbidden, "PU not allowed"});
  return entries;
}

// Draws the legend in as many rows as it needs; returns where it ends.
double Drawing::draw_legend(double y, double width) {
  double x = kMargin;
  for (const Entry& entry : legend()) {
    const double needed = 20 + text_width(entry.words, 12) + 16;
    if (x > kMargin && x + needed > kMargin + width) {
      x = kMargin;
      y += kLegendRow;
    }
    rectangle({x, y, 14, 14}, entry.style, 3, 1);
    text(x + 20, y + 11.5, 12, "#5b6a62", entry.words);
    x += needed;
  }
  return y + kLegendRow;
}

std::string Drawing::draw() {
  measure(0);
  const std::string subtitle = machine_text(view_) + "  ·  " + allowance_text(view_);
  const double width = std::max(box(0).width, text_width(subtitle, 12.5) + 4 * kLetter);
  draw_title(width);
  const double top = kMargin + kTitleHeight - 8;
  place(0, {kMargin, top, width, box(0).height});
  const double end = draw_legend(top + box(0).height + 18, width);
  const std::string head = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"'DejaVu Sans', 'Helvetica Neue', Arial, "
      "sans-serif\">\n<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"#ffffff\"/>\n",
      width + 2 * kMargin, end + kMargin / 2, escaped(view_.host + ": " + machine_text(view_)));
  return head + out_ + "</svg>\n";
}

}  // namespace

std::string draw_svg(const MachineView& view) { return Drawing(view).draw(); }

}  // namespace xylem::tool
