// Checksum, files, and the removal of small parts (union-find over the triangles).
#include "mesh.hpp"

#include <cstdio>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>

namespace mpu {
namespace {

std::uint64_t fnv(std::uint64_t hash, std::span<const std::byte> bytes) {
  for (const std::byte b : bytes) hash = (hash ^ static_cast<std::uint64_t>(b)) * 0x100000001b3ull;
  return hash;
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

void print_vec(std::FILE* out, const Vec3& v, const char* end) {
  std::fprintf(out, "%.9g %.9g %.9g%s", v.x, v.y, v.z, end);
}

void print_header(std::FILE* out, const Mesh& mesh, bool ply) {
  const std::size_t vertices = mesh.positions.size(), triangles = mesh.triangles.size();
  if (!ply) {
    std::fprintf(out, "OFF\n%zu %zu 0\n", vertices, triangles);
    return;
  }
  std::fprintf(out, "ply\nformat ascii 1.0\nelement vertex %zu\n", vertices);
  for (const char* name : {"x", "y", "z", "nx", "ny", "nz"}) {
    std::fprintf(out, "property float %s\n", name);
  }
  std::fprintf(out, "element face %zu\nproperty list uchar int vertex_indices\nend_header\n",
               triangles);
}

std::uint32_t find_root(std::vector<std::uint32_t>& parent, std::uint32_t v) {
  while (parent[v] != v) v = parent[v] = parent[parent[v]];
  return v;
}

}  // namespace

std::uint64_t Mesh::checksum() const {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  hash = fnv(hash, std::as_bytes(std::span(positions)));
  hash = fnv(hash, std::as_bytes(std::span(normals)));
  return fnv(hash, std::as_bytes(std::span(triangles)));
}

void Mesh::write(const std::string& path) const {
  const std::unique_ptr<std::FILE, CloseFile> out(std::fopen(path.c_str(), "w"));
  if (!out) throw std::runtime_error("cannot write " + path);
  const bool ply = path.ends_with(".ply");
  print_header(out.get(), *this, ply);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    print_vec(out.get(), positions[i], ply ? " " : "\n");
    if (ply) print_vec(out.get(), normals[i], "\n");
  }
  for (const auto& [a, b, c] : triangles) std::fprintf(out.get(), "3 %u %u %u\n", a, b, c);
  if (std::fflush(out.get()) != 0 || std::ferror(out.get())) {
    throw std::runtime_error("cannot write all of " + path);
  }
}

Mesh without_specks(const Mesh& mesh, double share) {
  std::vector<std::uint32_t> parent(mesh.positions.size());
  std::iota(parent.begin(), parent.end(), 0u);
  for (const auto& [a, b, c] : mesh.triangles) {
    parent[find_root(parent, a)] = find_root(parent, b);
    parent[find_root(parent, b)] = find_root(parent, c);
  }
  std::vector<std::size_t> sizes(parent.size(), 0);
  for (const auto& triangle : mesh.triangles) ++sizes[find_root(parent, triangle[0])];

  const double fewest = share * static_cast<double>(mesh.triangles.size());
  constexpr std::uint32_t dropped = ~0u;
  std::vector<std::uint32_t> renamed(parent.size(), dropped);
  Mesh kept;
  for (std::uint32_t v = 0; v < parent.size(); ++v) {
    const std::size_t size = sizes[find_root(parent, v)];
    if (size == 0 || static_cast<double>(size) < fewest) continue;
    renamed[v] = static_cast<std::uint32_t>(kept.positions.size());
    kept.positions.push_back(mesh.positions[v]);
    kept.normals.push_back(mesh.normals[v]);
  }
  for (const auto& [a, b, c] : mesh.triangles) {
    if (renamed[a] != dropped) kept.triangles.push_back({renamed[a], renamed[b], renamed[c]});
  }
  return kept;
}

}  // namespace mpu
