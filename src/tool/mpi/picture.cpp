// Heat maps of communication as SVG; see picture.hpp.
#include "tool/mpi/picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace xylem::tool::mpi {

namespace {

constexpr double kSide = 360;
constexpr double kGap = 32;
constexpr double kTop = 72;
constexpr int kMostCells = 128;  // a side; more ranks are added up in one cell

// The ranks in the order of their places.
std::vector<int> in_order(const Mapping& mapping) {
  std::vector<int> ranks(mapping.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) ranks[rank] = static_cast<int>(rank);
  std::sort(ranks.begin(), ranks.end(), [&](int a, int b) {
    return mapping[static_cast<std::size_t>(a)] < mapping[static_cast<std::size_t>(b)];
  });
  return ranks;
}

struct Cells {
  int side;
  std::vector<double> bytes;  // side x side

  double& at(int row, int column) {
    return bytes[static_cast<std::size_t>(row) * static_cast<std::size_t>(side) +
                 static_cast<std::size_t>(column)];
  }
};

Cells cells_of(const Communication& communication, const std::vector<int>& ranks) {
  const int count = communication.ranks, side = std::min(count, kMostCells);
  Cells cells{side,
              std::vector<double>(static_cast<std::size_t>(side) * static_cast<std::size_t>(side))};
  for (int row = 0; row < count; ++row) {
    for (int column = 0; column < count; ++column)
      cells.at(row * side / count, column * side / count) += communication.sent(
          ranks[static_cast<std::size_t>(row)], ranks[static_cast<std::size_t>(column)]);
  }
  return cells;
}

// White to green by the logarithm of the share of the most.
std::string color(double bytes, double most) {
  const double share = most > 1 ? std::log1p(bytes) / std::log1p(most) : 1;
  const auto part = [&](int full) { return static_cast<int>(255 - share * (255 - full)); };
  return fmt::format("#{:02x}{:02x}{:02x}", part(0x1b), part(0x6b), part(0x3a));
}

void draw_cells(Cells& cells, double left, std::string& out) {
  const double most = *std::max_element(cells.bytes.begin(), cells.bytes.end());
  const double step = kSide / cells.side;
  for (int row = 0; row < cells.side; ++row) {
    for (int column = 0; column < cells.side; ++column) {
      const double bytes = cells.at(row, column);
      if (bytes <= 0) continue;
      out +=
          fmt::format(R"(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" fill="{}"/>)",
                      left + column * step, kTop + row * step, step, step, color(bytes, most));
    }
  }
}

// A line wherever the next rank is on another machine.
void draw_borders(const Cluster& cluster, const Mapping& mapping, const std::vector<int>& ranks,
                  double left, std::string& out) {
  const auto machine_of = [&](std::size_t at) {
    return cluster.place(mapping[static_cast<std::size_t>(ranks[at])]).machine;
  };
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    if (machine_of(i) == machine_of(i - 1)) continue;
    const double where = kSide * static_cast<double>(i) / static_cast<double>(ranks.size());
    out += fmt::format(R"(<path d="M{0:.2f} {1}v{2}M{3} {4:.2f}h{2}" stroke="#b4bec6"/>)",
                       left + where, kTop, kSide, left, kTop + where);
  }
}

void draw_one(const Communication& communication, const Cluster& cluster, const Shown& shown,
              double left, std::string& out) {
  const std::vector<int> ranks = in_order(*shown.mapping);
  out += fmt::format(R"(<text x="{}" y="28" font-size="15" font-weight="600">{}</text>)", left,
                     shown.title);
  out += fmt::format(R"(<text x="{}" y="48" font-size="12">{} hop-bytes, largest link {}</text>)",
                     left, bytes_text(shown.measures.hop_bytes),
                     bytes_text(shown.measures.largest_link));
  out +=
      fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="#ffffff" stroke="#47525a"/>)",
                  left, kTop, kSide, kSide);
  Cells cells = cells_of(communication, ranks);
  draw_cells(cells, left, out);
  draw_borders(cluster, *shown.mapping, ranks, left, out);
  out += '\n';
}

}  // namespace

std::string draw_matrices(const Communication& communication, const Cluster& cluster,
                          const std::vector<Shown>& all) {
  const double width = kGap + static_cast<double>(all.size()) * (kSide + kGap);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"'DejaVu Sans', Arial, sans-serif\" fill=\"#33413a\">"
      "\n<rect width=\"{0}\" height=\"{1}\" fill=\"#f7f9f8\"/>\n",
      width, kTop + kSide + kGap);
  double left = kGap;
  for (const Shown& shown : all) {
    draw_one(communication, cluster, shown, left, out);
    left += kSide + kGap;
  }
  return out + "</svg>\n";
}

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 6> units = {"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < units.size()) {
    bytes /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.3g} {}", bytes, units[unit]);
}

}  // namespace xylem::tool::mpi
