// Owns: plots of models. See models_plot.hpp.
#include "tool/models/models_plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "tool/command/common.hpp"

namespace xylem::tool {

namespace {

constexpr double kLeft = 70;
constexpr double kTop = 10;
constexpr double kWidth = 560;
constexpr double kHeight = 300;
constexpr double kBelow = 40;
constexpr double kRight = 20;
constexpr double us = 1000;
constexpr std::array<const char*, 5> kColours = {"#0a7d33", "#c0392b", "#2471a3", "#8e44ad",
                                                 "#b9770e"};

// A logarithmic axis over whole powers of ten.
struct Axis {
  int low = 0;
  int high = 1;
  double from = 0;  // where its ends are drawn
  double to = 0;

  Axis(double least, double most, double least_at, double most_at)
      : low(static_cast<int>(std::floor(std::log10(least)))),
        high(std::max(static_cast<int>(std::ceil(std::log10(most))), low + 1)),
        from(least_at),
        to(most_at) {}
  double at(double value) const {
    return from + (to - from) * (std::log10(value) - low) / (high - low);
  }
  double end() const { return std::pow(10, high); }
  double begin() const { return std::pow(10, low); }
};

// What is drawn of a model.
struct Drawn {
  double size;
  double least;
  double median;
  double most;
};

// Without a size or a time there is no place on a logarithmic axis.
std::vector<Drawn> drawn_of(const Family& family) {
  std::vector<Drawn> all;
  for (const hetero::Model& model : family.models) {
    const hetero::Point point = hetero::point_of(model);
    const auto [least, most] = std::minmax_element(model.samples.begin(), model.samples.end());
    if (point.size > 0 && *least > 0) all.push_back({point.size, *least, point.ns, *most});
  }
  return all;
}

// What axes have to reach; nothing can be drawn where `most_size` is 0.
struct Extent {
  double least_size = HUGE_VAL;
  double most_size = 0;
  double least_ns = HUGE_VAL;
  double most_ns = 0;
};

Extent extent_of(std::span<const Family> families) {
  Extent extent;
  for (const Family& family : families) {
    for (const Drawn& drawn : drawn_of(family)) {
      extent.least_size = std::min(extent.least_size, drawn.size);
      extent.most_size = std::max(extent.most_size, drawn.size);
      extent.least_ns = std::min(extent.least_ns, drawn.least);
      extent.most_ns = std::max(extent.most_ns, drawn.most);
    }
  }
  return extent;
}

// Of one codelet.
class Plot {
 public:
  Plot(std::span<const Family> families, const Extent& extent)
      : families_(families),
        size_(extent.least_size, extent.most_size, kLeft, kLeft + kWidth),
        time_(extent.least_ns / us, extent.most_ns / us, kTop + kHeight, kTop) {}

  std::string draw() {
    out_ = fmt::format("<svg width=\"{}\" height=\"{}\" role=\"img\">\n", kLeft + kWidth + kRight,
                       kTop + kHeight + kBelow);
    draw_axes();
    for (std::size_t i = 0; i < families_.size(); ++i) {
      colour_ = kColours[i % kColours.size()];
      draw_law(families_[i]);
      for (const Drawn& drawn : drawn_of(families_[i])) draw_point(drawn);
    }
    return out_ + "</svg>\n";
  }

 private:
  void line(double x1, double y1, double x2, double y2, const char* colour) {
    out_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1,
        x2, y2, colour);
  }
  void text(double x, double y, const char* anchor, const std::string& words) {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y,
                        anchor, words);
  }

  void draw_axes() {
    for (int power = size_.low; power <= size_.high; ++power) {
      const double x = size_.at(std::pow(10, power));
      line(x, kTop, x, kTop + kHeight, "#ddd");
      text(x, kTop + kHeight + 16, "middle", fmt::format("{:g}", std::pow(10, power)));
    }
    for (int power = time_.low; power <= time_.high; ++power) {
      const double y = time_.at(std::pow(10, power));
      line(kLeft, y, kLeft + kWidth, y, "#ddd");
      text(kLeft - 6, y + 4, "end", fmt::format("{:g}", std::pow(10, power)));
    }
    const bool by_work = families_.front().about.unit == hetero::Unit::work;
    text(kLeft + kWidth / 2, kTop + kHeight + 34, "middle", by_work ? "work" : "bytes of data");
    text(4, kTop + 12, "start", "us");
  }

  // Where it holds, on what the axes show.
  void draw_law(const Family& family) {
    const hetero::Law& law = family.law;
    if (law.factor <= 0) return;
    constexpr int steps = 60;
    const double from = std::log10(std::max(law.least, size_.begin()));
    const double to = std::log10(std::min(law.most, size_.end()));
    std::string points;
    for (int step = 0; step <= steps; ++step) {
      const double size = std::pow(10, from + (to - from) * step / steps);
      const double ns = law.extended_to(size);
      if (ns / us < time_.begin() || ns / us > time_.end()) continue;
      points += fmt::format("{:.1f},{:.1f} ", size_.at(size), time_.at(ns / us));
    }
    out_ += fmt::format(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\"><title>{}</title></polyline>\n",
        points, colour_, escaped(law_text(family)));
  }

  void draw_point(const Drawn& drawn) {
    const double x = size_.at(drawn.size);
    line(x, time_.at(drawn.least / us), x, time_.at(drawn.most / us), colour_);
    out_ += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"><title>{:g}: {:.2f} us, from "
        "{:.2f} to {:.2f}</title></circle>\n",
        x, time_.at(drawn.median / us), colour_, drawn.size, drawn.median / us, drawn.least / us,
        drawn.most / us);
  }

  std::span<const Family> families_;
  Axis size_;
  Axis time_;
  const char* colour_ = "";
  std::string out_;
};

std::string key_of(std::span<const Family> families) {
  std::string out = "<p class=\"key\">";
  for (std::size_t i = 0; i < families.size(); ++i) {
    const Family& family = families[i];
    out += fmt::format("<span style=\"color:{}\">&#9679; {}: {}</span> ",
                       kColours[i % kColours.size()], executor_text(family.about.kind),
                       family.law.factor > 0 ? law_text(family) : "no law");
  }
  return out + "</p>\n";
}

std::string section_of(std::span<const Family> families) {
  const std::string title =
      fmt::format("<h2>{}</h2>\n{}", escaped(families[0].about.codelet.view()), key_of(families));
  const Extent extent = extent_of(families);
  if (extent.most_size == 0) return title + "<p>Nothing of it has a size and a time.</p>\n";
  return title + Plot(families, extent).draw();
}

// Codelets whose sizes are told in another unit have a plot of their own.
bool share_plot(const Family& one, const Family& other) {
  return one.about.codelet.view() == other.about.codelet.view() &&
         one.about.unit == other.about.unit;
}

}  // namespace

std::string models_page(const std::vector<Family>& families) {
  std::string page =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Models of "
      "codelets</title>\n<style>body{font:14px sans-serif;margin:2em}text{font:12px sans-serif}"
      ".key span{margin-right:1.5em}</style></head><body>\n<h1>Models of codelets</h1>\n"
      "<p>Each dot is the median of the last runs with data of one size, its bar reaches from the "
      "least to the most; a line is the law by which sizes that were not measured are expected to "
      "take. Point at them for their values.</p>\n";
  for (auto first = families.begin(); first != families.end();) {
    const auto last = std::find_if(
        first, families.end(), [&](const Family& family) { return !share_plot(*first, family); });
    page += section_of({first, last});
    first = last;
  }
  return page + "</body></html>\n";
}

}  // namespace xylem::tool
