// The scene: the figure stands on the plane under its lowest point. A warm key light throws a soft
// shadow, a cool light fills from the other side, and crevices are darkened by looking at the
// nearness of the samples around (ambient occlusion).
#include "picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "png.hpp"
#include "raster.hpp"

namespace mpu {
namespace {

constexpr int supersampling = 3;  // samples a pixel, along each side
constexpr int shadow_size = 2048;
constexpr int shadow_taps = 8;
constexpr int occlusion_taps = 12;
const Vec3 camera_direction{0.28, 0.30, 1.0};
const Vec3 key_direction = normalised({-0.75, 1.15, 0.85});
const Vec3 fill_direction = normalised({0.95, 0.35, 0.45});
const Vec3 rim_direction = normalised({0.3, 0.6, -1.0});
constexpr Vec3 key_colour{1.00, 0.93, 0.82}, fill_colour{0.30, 0.40, 0.56};
constexpr Vec3 sky_colour{0.34, 0.36, 0.40}, rim_colour{0.30, 0.32, 0.36};
constexpr Vec3 clay{0.70, 0.42, 0.28}, floor_colour{0.78, 0.77, 0.75};

struct Extent {
  Vec3 center;
  double radius;  // of a sphere around the figure
  double floor;   // height of its lowest point
};

Extent bounds_of(const Mesh& mesh) {
  Vec3 low = mesh.positions.front(), high = low;
  for (const Vec3& p : mesh.positions) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  return {(low + high) * 0.5, length(high - low) / 2, low.y};
}

Vec3 times(const Vec3& a, const Vec3& b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

double smooth_step(double from, double to, double x) {
  const double t = std::clamp((x - from) / (to - from), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

// A number in [0, 1) that looks random, the same for the same sample.
double noise(int column, int row) {
  std::uint32_t h = static_cast<std::uint32_t>(column) * 0x9e3779b1u ^
                    static_cast<std::uint32_t>(row) * 0x85ebca77u;
  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  return (h ^ h >> 15) / 4294967296.0;
}

// Taps spread evenly over a disc of radius 1 in the plane of the picture.
template <int N>
struct Disc {
  std::array<Vec3, N> taps;

  Disc() {
    constexpr double golden_angle = 2.399963229728653;
    for (int i = 0; i < N; ++i) {
      const double radius = std::sqrt((i + 0.5) / N);
      taps[i] = {radius * std::cos(i * golden_angle), radius * std::sin(i * golden_angle), 0};
    }
  }
};

// A turn of the disc that looks random, so that few taps give noise instead of bands.
struct Turn {
  double cosine;
  double sine;

  explicit Turn(double share)
      : cosine(std::cos(share * 2 * std::numbers::pi)),
        sine(std::sin(share * 2 * std::numbers::pi)) {}
  Vec3 operator()(const Vec3& v) const {
    return {cosine * v.x - sine * v.y, sine * v.x + cosine * v.y, 0};
  }
};

class Scene {
 public:
  Scene(const Mesh& mesh, int size)
      : mesh_(mesh),
        box_(bounds_of(mesh)),
        seen_(rasterise(mesh, View::from(box_.center - Vec3{0, box_.radius * 0.04, 0},
                                         camera_direction, box_.radius * 0.92, size))),
        lit_(rasterise(mesh,
                       View::from(box_.center, key_direction, box_.radius * 1.05, shadow_size))) {
    add_floor();
  }

  // Linear red, green, blue of a sample.
  Vec3 colour(int column, int row) const;

 private:
  void add_floor();
  Vec3 position(int column, int row) const {
    return seen_.view.place(column + 0.5, row + 0.5, seen_.nearness[seen_.at(column, row)]);
  }
  double light_reaching(const Vec3& p, const Turn& turn) const;
  double openness(const Vec3& p, const Vec3& normal, int column, int row, const Turn& turn) const;
  Vec3 figure_colour(const Vec3& normal, double light, double open) const;
  Vec3 floor_colour_at(const Vec3& p, double light, double open, int row) const;

  const Mesh& mesh_;
  Extent box_;
  Raster seen_;
  Raster lit_;
  Disc<shadow_taps> shadow_disc_;
  Disc<occlusion_taps> occlusion_disc_;
};

// Gives the samples that see no triangle the nearness of the floor behind them.
void Scene::add_floor() {
  const View& view = seen_.view;
  for (int row = 0; row < view.size; ++row) {
    const double above = view.place(view.size / 2.0, row + 0.5, 0).y - box_.floor;
    const auto nearness = static_cast<float>(-above / view.toward.y);
    for (int column = 0; column < view.size; ++column) {
      const std::size_t at = seen_.at(column, row);
      if (seen_.triangles[at] == no_triangle) seen_.nearness[at] = nearness;
    }
  }
}

// Share of the key light that reaches p: soft edges by many taps of the light's own view.
double Scene::light_reaching(const Vec3& p, const Turn& turn) const {
  const double spread = shadow_size * 0.006, slack = box_.radius * 0.012;
  const Vec3 at = lit_.view.project(p);
  int reached = 0;
  for (const Vec3& offset : shadow_disc_.taps) {
    const Vec3 tap = at + turn(offset) * spread;
    const bool outside = tap.x < 0 || tap.y < 0 || tap.x >= shadow_size || tap.y >= shadow_size;
    const auto nearest =
        outside ? -INFINITY
                : lit_.nearness[lit_.at(static_cast<int>(tap.x), static_cast<int>(tap.y))];
    if (nearest <= at.z + slack) ++reached;
  }
  return static_cast<double>(reached) / shadow_taps;
}

// 1 where nothing stands around p, towards 0 in crevices.
double Scene::openness(const Vec3& p, const Vec3& normal, int column, int row,
                       const Turn& turn) const {
  const int size = seen_.view.size;
  const double reach = box_.radius * 0.16, spread = size * 0.075;
  double hidden = 0;
  for (const Vec3& offset : occlusion_disc_.taps) {
    const Vec3 tap = turn(offset) * spread;
    const int x = std::clamp(column + static_cast<int>(tap.x), 0, size - 1);
    const int y = std::clamp(row + static_cast<int>(tap.y), 0, size - 1);
    const Vec3 away = position(x, y) - p;
    const double distance = length(away) + 1e-9;
    const double height = dot(away, normal) / distance - 0.12;
    if (height > 0) hidden += height * (1 - smooth_step(0.5 * reach, reach, distance));
  }
  return std::clamp(1 - 1.7 * hidden / occlusion_taps, 0.0, 1.0);
}

// Phong: diffuse and mirror parts of the key light; the others are diffuse.
Vec3 Scene::figure_colour(const Vec3& normal, double light, double open) const {
  const Vec3& eye = seen_.view.toward;
  const double key = std::max(dot(normal, key_direction), 0.0) * light;
  const double fill = std::max(dot(normal, fill_direction), 0.0);
  const double edge = 1 - std::max(dot(normal, eye), 0.0);
  const double rim = std::max(dot(normal, rim_direction), 0.0) * edge;
  const double sky = 0.65 + 0.35 * normal.y;
  const Vec3 received = key_colour * (0.95 * key) + (fill_colour * fill + sky_colour * sky) * open +
                        rim_colour * (rim * open);
  const Vec3 mirrored = normal * (2 * dot(normal, key_direction)) - key_direction;
  const double shine = std::pow(std::max(dot(mirrored, eye), 0.0), 28) * light;
  return times(clay, received) + key_colour * (0.16 * shine * open);
}

// The floor fades into the backdrop with the distance from the figure.
Vec3 Scene::floor_colour_at(const Vec3& p, double light, double open, int row) const {
  const double height = static_cast<double>(row) / seen_.view.size;
  const Vec3 backdrop = Vec3{0.80, 0.81, 0.83} * (0.74 + 0.22 * height);
  const Vec3 received = key_colour * (0.58 * light) + sky_colour * (1.15 * open);
  const double far = length(p - Vec3{box_.center.x, p.y, box_.center.z}) / box_.radius;
  const double share = 1 - smooth_step(0.7, 2.1, far);
  return backdrop * (1 - share) + times(floor_colour, received) * share;
}

Vec3 Scene::colour(int column, int row) const {
  const std::uint32_t triangle = seen_.triangles[seen_.at(column, row)];
  const Vec3 p = position(column, row);
  const Turn turn(noise(column, row));
  if (triangle == no_triangle) {
    const double open = openness(p, {0, 1, 0}, column, row, turn);
    return floor_colour_at(p, light_reaching(p, turn), open, row);
  }
  const Vec3 normal = normal_at(mesh_, seen_.view, triangle, column + 0.5, row + 0.5);
  return figure_colour(normal, light_reaching(p, turn), openness(p, normal, column, row, turn));
}

std::uint8_t encoded(double linear) {
  return static_cast<std::uint8_t>(
      std::lround(255 * std::pow(std::clamp(linear, 0.0, 1.0), 1 / 2.2)));
}

void draw_row(const Scene& scene, Image& image, int row) {
  for (int column = 0; column < image.width; ++column) {
    Vec3 sum;
    for (int i = 0; i < supersampling * supersampling; ++i) {
      sum += scene.colour(column * supersampling + i % supersampling,
                          row * supersampling + i / supersampling);
    }
    sum = sum * (1.0 / (supersampling * supersampling));
    std::uint8_t* pixel = &image.rgb[(static_cast<std::size_t>(row) * image.width + column) * 3];
    pixel[0] = encoded(sum.x);
    pixel[1] = encoded(sum.y);
    pixel[2] = encoded(sum.z);
  }
}

}  // namespace

void draw_picture(const Mesh& mesh, int size, const std::string& path) {
  if (mesh.triangles.empty()) throw std::runtime_error("there is no surface to draw");
  Image image{size, size, std::vector<std::uint8_t>(static_cast<std::size_t>(size) * size * 3)};
  const Scene scene(mesh, size * supersampling);
#pragma omp parallel for schedule(dynamic, 8)
  for (int row = 0; row < size; ++row) draw_row(scene, image, row);
  write_png(image, path);
}

}  // namespace mpu
