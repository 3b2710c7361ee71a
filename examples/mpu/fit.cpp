// Collects the points of a cell, chooses between the two kinds of local surface, solves for it.
//  - where all normals point to one side: a height field of degree 2 over the mean tangent plane;
//  - else, with enough points: a general quadric, kept honest by signed distances at the cell's
//    corners and centre.
#include "fit.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace mpu {
namespace {

constexpr std::size_t fewest_points = 15;
constexpr double radius_growth = 1.25;
constexpr double ridge = 1e-7;  // relative: keeps degenerate sets of points solvable

struct Sample {
  Vec3 at;  // in units of the fit's scale, from the cell's centre
  Vec3 normal;
  double weight;
};

// Normal equations of a least squares problem with N unknowns.
template <std::size_t N>
class LeastSquares {
 public:
  void add(const std::array<double, N>& row, double target, double weight) {
    for (std::size_t i = 0; i < N; ++i) {
      const double scaled = row[i] * weight;
      for (std::size_t j = 0; j <= i; ++j) matrix_[i][j] += scaled * row[j];
      right_[i] += scaled * target;
    }
  }

  std::array<double, N> solve() {
    double trace = 0;
    for (std::size_t i = 0; i < N; ++i) trace += matrix_[i][i];
    for (std::size_t i = 0; i < N; ++i) matrix_[i][i] += ridge * trace;
    factor();
    return substitute();
  }

 private:
  void factor() {  // Cholesky, in place
    for (std::size_t j = 0; j < N; ++j) {
      for (std::size_t k = 0; k < j; ++k) matrix_[j][j] -= matrix_[j][k] * matrix_[j][k];
      matrix_[j][j] = std::sqrt(std::max(matrix_[j][j], 1e-300));
      for (std::size_t i = j + 1; i < N; ++i) {
        for (std::size_t k = 0; k < j; ++k) matrix_[i][j] -= matrix_[i][k] * matrix_[j][k];
        matrix_[i][j] /= matrix_[j][j];
      }
    }
  }

  std::array<double, N> substitute() const {
    std::array<double, N> x = right_;
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= matrix_[i][k] * x[k];
      x[i] /= matrix_[i][i];
    }
    for (std::size_t i = N; i-- > 0;) {
      for (std::size_t k = i + 1; k < N; ++k) x[i] -= matrix_[k][i] * x[k];
      x[i] /= matrix_[i][i];
    }
    return x;
  }

  std::array<std::array<double, N>, N> matrix_{};  // the lower half
  std::array<double, N> right_{};
};

// Two unit vectors that make a right-handed frame with the unit vector `up`.
std::array<Vec3, 2> tangents(const Vec3& up) {
  const Vec3 other = std::abs(up.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 first = normalised(cross(up, other));
  return {first, cross(up, first)};
}

Vec3 mean_normal(std::span<const Sample> samples) {
  Vec3 sum;
  for (const Sample& s : samples) sum += s.normal * s.weight;
  return normalised(sum);
}

// height(s, t) = h0 + h1 s + h2 t + h3 ss + h4 st + h5 tt along `up`, as the quadric
// q(u) = up.u - height(s.u, t.u).
Quadric quadric_of_height(const Vec3& up, const Vec3& s, const Vec3& t,
                          const std::array<double, 6>& h) {
  const auto square = [&](double si, double ti) {
    return h[3] * si * si + h[4] * si * ti + h[5] * ti * ti;
  };
  const auto mixed = [&](double si, double ti, double sj, double tj) {
    return 2 * h[3] * si * sj + h[4] * (si * tj + sj * ti) + 2 * h[5] * ti * tj;
  };
  const Vec3 linear = up - s * h[1] - t * h[2];
  return {{-h[0], linear.x, linear.y, linear.z, -square(s.x, t.x), -square(s.y, t.y),
           -square(s.z, t.z), -mixed(s.x, t.x, s.y, t.y), -mixed(s.y, t.y, s.z, t.z),
           -mixed(s.z, t.z, s.x, t.x)}};
}

Quadric fit_height(std::span<const Sample> samples, const Vec3& up) {
  const auto [s, t] = tangents(up);
  LeastSquares<6> system;
  for (const Sample& sample : samples) {
    const double a = dot(s, sample.at), b = dot(t, sample.at);
    system.add({1, a, b, a * a, a * b, b * b}, dot(up, sample.at), sample.weight);
  }
  return quadric_of_height(up, s, t, system.solve());
}

std::array<double, 10> monomials(const Vec3& u) {
  return {1, u.x, u.y, u.z, u.x * u.x, u.y * u.y, u.z * u.z, u.x * u.y, u.y * u.z, u.z * u.x};
}

// Signed distance of `at` by its six nearest samples, or no value where they disagree on the sign.
bool signed_distance(std::span<const Sample> samples, const Vec3& at, double& distance) {
  std::array<std::pair<double, double>, 6> nearest;  // squared distance, signed distance
  nearest.fill({1e300, 0.0});
  for (const Sample& s : samples) {
    const Vec3 away = at - s.at;
    const double squared = dot(away, away);
    if (squared >= nearest.back().first) continue;
    nearest.back() = {squared, dot(s.normal, away)};
    for (std::size_t i = nearest.size() - 1; i > 0 && nearest[i].first < nearest[i - 1].first;
         --i) {
      std::swap(nearest[i], nearest[i - 1]);
    }
  }
  distance = 0;
  for (const auto& [squared, height] : nearest) {
    if (height * nearest[0].second <= 0) return false;
    distance += height / static_cast<double>(nearest.size());
  }
  return true;
}

Quadric fit_general(std::span<const Sample> samples, double corner) {
  LeastSquares<10> system;
  double total = 0;
  for (const Sample& s : samples) total += s.weight;
  for (const Sample& s : samples) system.add(monomials(s.at), 0, s.weight / total);
  for (int i = 0; i < 9; ++i) {  // the eight corners, then the centre
    const Vec3 sign{i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0};
    const Vec3 at = i == 8 ? Vec3{} : sign * corner;
    double distance = 0;
    if (signed_distance(samples, at, distance)) system.add(monomials(at), distance, 1.0 / 9);
  }
  return {system.solve()};
}

Quadric fit_samples(std::span<const Sample> samples, double corner) {
  const Vec3 up = mean_normal(samples);
  const bool one_sided = std::all_of(samples.begin(), samples.end(),
                                     [&](const Sample& s) { return dot(s.normal, up) > 0; });
  if (one_sided || samples.size() < 2 * fewest_points) return fit_height(samples, up);
  return fit_general(samples, corner);
}

// Largest first-order distance |q| / |grad q| of the samples within `radius`, in their units.
double largest_distance(const Quadric& quadric, std::span<const Sample> samples, double radius) {
  double largest = 0;
  for (const Sample& s : samples) {
    if (dot(s.at, s.at) > radius * radius) continue;
    const double slope = length(quadric.gradient(s.at));
    largest = std::max(largest, std::abs(quadric.value(s.at)) / std::max(slope, 1e-12));
  }
  return largest;
}

// The samples around `cell` and the radius, at least its support, that holds enough of them.
std::vector<Sample> gather(const PointTree& points, const Cell& cell, double& radius) {
  const PointCloud& cloud = points.cloud();
  const std::size_t enough = std::min(fewest_points, cloud.size());
  std::vector<std::uint32_t> found;
  radius = cell.support();
  for (points.within(cell.center, radius, found); found.size() < enough;) {
    radius *= radius_growth;
    points.within(cell.center, radius, found);
  }
  std::vector<Sample> samples;
  samples.reserve(found.size());
  for (const std::uint32_t i : found) {
    const Vec3 at = (cloud.positions[i] - cell.center) * (1 / radius);
    samples.push_back({at, cloud.normals[i], spline_weight(length(at), 1) + 1e-6});
  }
  return samples;
}

}  // namespace

Fit fit_cell(const PointTree& points, const Cell& cell) {
  Fit fit;
  const std::vector<Sample> samples = gather(points, cell, fit.scale);
  fit.quadric = fit_samples(samples, cell.half / fit.scale);
  fit.error = fit.scale * largest_distance(fit.quadric, samples, cell.support() / fit.scale);
  return fit;
}

}  // namespace mpu
