// mpu: points in, surface out. See README.md.
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "octree.hpp"
#include "options.hpp"
#include "picture.hpp"
#include "point_tree.hpp"
#include "polygonise.hpp"
#include "reader.hpp"

namespace mpu {
namespace {

class Clock {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

PointCloud load(const Options& options) {
  if (!options.shape.empty()) return sample_torus(160, 64);
  PointCloud all;
  for (const std::string& path : options.inputs) {
    const PointCloud cloud = read_points(path);
    all.positions.insert(all.positions.end(), cloud.positions.begin(), cloud.positions.end());
    all.normals.insert(all.normals.end(), cloud.normals.begin(), cloud.normals.end());
  }
  return all;
}

const char* name_of(Recursion recursion) {
  switch (recursion) {
    case Recursion::serial:
      return "serial";
    case Recursion::nested_teams:
      return "nested";
    case Recursion::tasks:
      return "tasks";
  }
  return "";
}

struct Times {
  double octree = 0;
  double polygonise = 0;
};

// The file of the OpenMP runtime that serves this process.
const char* runtime_file() {
  Dl_info info{};
  void* const routine = dlsym(RTLD_DEFAULT, "omp_get_num_threads");
  return routine != nullptr && dladdr(routine, &info) != 0 ? info.dli_fname : "";
}

void print_stats(const Options& options, std::size_t points, const BuildCounts& counts,
                 const Times& times, const Mesh& mesh) {
  std::printf("{\"recursion\": \"%s\", \"points\": %zu, \"octree_seconds\": %.4f, ",
              name_of(options.recursion), points, times.octree);
  std::printf("\"polygonise_seconds\": %.4f, \"nodes\": %llu, \"leaves\": %llu, \"depth\": %d, ",
              times.polygonise, static_cast<unsigned long long>(counts.nodes),
              static_cast<unsigned long long>(counts.leaves), counts.depth);
  std::printf(
      "\"threads_made\": %llu, \"tasks_made\": %llu, \"vertices\": %zu, \"triangles\": %zu, ",
      static_cast<unsigned long long>(counts.threads),
      static_cast<unsigned long long>(counts.tasks), mesh.positions.size(), mesh.triangles.size());
  std::printf("\"checksum\": \"%016llx\", \"runtime\": \"%s\"}\n",
              static_cast<unsigned long long>(mesh.checksum()), runtime_file());
}

int run(const Options& options) {
  const PointTree points(load(options));
  const Box box = points.cloud().bounds();
  const BuildOptions build{options.recursion, options.threads_per_node,
                           options.eps * length(box.high - box.low), options.depth};
  if (!(length(box.high - box.low) > 0)) throw std::runtime_error("all points are the same");
  Times times;
  const Clock octree_clock;
  const Octree octree(points, build);
  times.octree = octree_clock.seconds();

  const Clock polygonise_clock;
  const Mesh mesh = polygonise(octree, points, options.resolution);
  times.polygonise = polygonise_clock.seconds();

  if (options.stats) print_stats(options, points.cloud().size(), octree.counts(), times, mesh);
  if (options.checksum) std::printf("%016llx\n", static_cast<unsigned long long>(mesh.checksum()));
  if (!options.mesh.empty()) mesh.write(options.mesh);
  if (!options.picture.empty()) draw_picture(mesh, options.picture_size, options.picture);
  return 0;
}

}  // namespace
}  // namespace mpu

int main(int argc, char** argv) { return mpu::run_by_options(argc, argv, mpu::run); }
