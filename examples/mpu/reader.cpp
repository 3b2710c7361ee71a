// The readers. Each fills a RawMesh; finish() gives it normals: those of the file, or else the
// mean of the adjacent faces' normals weighted by area.
#include "reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace mpu {
namespace {

struct RawMesh {
  std::vector<Vec3> positions;
  std::vector<Vec3> normals;  // empty if the file has none
  std::vector<std::array<std::size_t, 3>> faces;
};

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

// The next line that holds data: comments and blank lines are skipped. False at the end.
bool next_line(std::istream& in, std::string& line) {
  while (std::getline(in, line)) {
    line.erase(std::min(line.find('#'), line.size()));
    if (line.find_first_not_of(" \t\r") != std::string::npos) return true;
  }
  return false;
}

std::vector<double> numbers_of(const std::string& line) {
  std::istringstream words(line);
  std::vector<double> numbers;
  for (std::string word; words >> word;) {
    try {
      numbers.push_back(std::stod(word));
    } catch (const std::out_of_range&) {
      numbers.push_back(0);  // too small for a double
    } catch (const std::invalid_argument&) {
      fail("not a number: '" + word + "'");
    }
  }
  return numbers;
}

void read_face(RawMesh& mesh, const std::string& line) {
  const std::vector<double> numbers = numbers_of(line);
  const double corners = numbers.empty() ? 0 : numbers[0];
  if (corners < 3 || numbers.size() < corners + 1) fail("a face has too few corners");
  std::vector<std::size_t> indices;
  for (std::size_t i = 1; i <= static_cast<std::size_t>(corners); ++i) {
    if (numbers[i] < 0 || numbers[i] >= static_cast<double>(mesh.positions.size())) {
      fail("a face names a point that does not exist");
    }
    indices.push_back(static_cast<std::size_t>(numbers[i]));
  }
  for (std::size_t i = 2; i < indices.size(); ++i) {
    mesh.faces.push_back({indices[0], indices[i - 1], indices[i]});
  }
}

// columns: where x y z and, if normal_at >= 0, nx ny nz stand in a line.
void read_vertex(RawMesh& mesh, const std::string& line, std::size_t point_at, int normal_at) {
  const std::vector<double> n = numbers_of(line);
  const auto take = [&](std::size_t at) {
    if (n.size() < at + 3) fail("a point has too few numbers: '" + line + "'");
    return Vec3{n[at], n[at + 1], n[at + 2]};
  };
  mesh.positions.push_back(take(point_at));
  if (normal_at >= 0) mesh.normals.push_back(take(static_cast<std::size_t>(normal_at)));
}

void read_body(RawMesh& mesh, std::istream& in, std::size_t points, std::size_t faces,
               std::size_t point_at, int normal_at) {
  std::string line;
  for (std::size_t i = 0; i < points; ++i) {
    if (!next_line(in, line)) fail("the file ends before its last point");
    read_vertex(mesh, line, point_at, normal_at);
  }
  for (std::size_t i = 0; i < faces; ++i) {
    if (!next_line(in, line)) fail("the file ends before its last face");
    read_face(mesh, line);
  }
}

RawMesh read_off(std::istream& in) {
  std::string line;
  if (!next_line(in, line)) fail("the file is empty");
  const bool normals = line.starts_with("NOFF");
  if (!normals && !line.starts_with("OFF")) fail("an OFF file starts with the word OFF");
  if (!next_line(in, line)) fail("the OFF counts are missing");
  const std::vector<double> counts = numbers_of(line);
  if (counts.size() < 2 || counts[0] < 1 || counts[1] < 0) fail("bad OFF counts: '" + line + "'");
  RawMesh mesh;
  read_body(mesh, in, static_cast<std::size_t>(counts[0]), static_cast<std::size_t>(counts[1]), 0,
            normals ? 3 : -1);
  return mesh;
}

struct PlyHeader {
  std::size_t points = 0;
  std::size_t faces = 0;
  std::vector<std::string> columns;  // of a vertex

  int column(const std::string& name) const {
    const auto at = std::find(columns.begin(), columns.end(), name);
    return at == columns.end() ? -1 : static_cast<int>(at - columns.begin());
  }
};

PlyHeader read_ply_header(std::istream& in) {
  PlyHeader header;
  std::string line, element;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string key, kind, name;
    words >> key >> kind;
    if (key == "end_header") return header;
    if (key == "format" && kind != "ascii") fail("only ascii PLY files can be read");
    if (key == "element") {
      element = kind;
      std::size_t count = 0;
      words >> count;
      if (kind == "vertex") header.points = count;
      if (kind == "face") header.faces = count;
    }
    if (key == "property" && element == "vertex" && words >> name) header.columns.push_back(name);
  }
  fail("the PLY header has no end");
}

RawMesh read_ply(std::istream& in) {
  const PlyHeader header = read_ply_header(in);
  if (header.column("x") < 0 || header.points == 0) fail("the PLY file has no points");
  RawMesh mesh;
  read_body(mesh, in, header.points, header.faces, static_cast<std::size_t>(header.column("x")),
            header.column("nx"));
  return mesh;
}

RawMesh read_xyz(std::istream& in) {
  RawMesh mesh;
  for (std::string line; next_line(in, line);) read_vertex(mesh, line, 0, 3);
  return mesh;
}

void add_face_normals(RawMesh& mesh) {
  mesh.normals.assign(mesh.positions.size(), Vec3{});
  for (const auto& [a, b, c] : mesh.faces) {
    const Vec3 area =
        cross(mesh.positions[b] - mesh.positions[a], mesh.positions[c] - mesh.positions[a]);
    for (const std::size_t corner : {a, b, c}) mesh.normals[corner] += area;
  }
}

PointCloud finish(RawMesh mesh) {
  if (mesh.normals.empty()) {
    if (mesh.faces.empty())
      fail("the points have no normals and there are no faces to take them from");
    add_face_normals(mesh);
  }
  PointCloud cloud;
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const Vec3 normal = normalised(mesh.normals[i]);
    if (!std::isfinite(dot(mesh.positions[i], mesh.positions[i])) || !(length(normal) > 0)) {
      continue;  // of no use to a fit
    }
    cloud.positions.push_back(mesh.positions[i]);
    cloud.normals.push_back(normal);
  }
  if (cloud.size() < 16) fail("too few points with normals");
  return cloud;
}

}  // namespace

PointCloud read_points(const std::string& path) {
  std::ifstream in(path);
  if (!in) fail("cannot open " + path);
  const std::string ending = path.substr(std::min(path.rfind('.'), path.size()));
  try {
    if (ending == ".off") return finish(read_off(in));
    if (ending == ".ply") return finish(read_ply(in));
    if (ending == ".xyz" || ending == ".pwn") return finish(read_xyz(in));
  } catch (const std::runtime_error& error) {
    fail(path + ": " + error.what());
  }
  fail(path + ": the name must end in .off, .ply, .xyz or .pwn");
}

}  // namespace mpu
