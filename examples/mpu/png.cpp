// A PNG writer: three chunks, rows filtered by "sub", deflated by zlib.
#include "png.hpp"

#include <zlib.h>

#include <fstream>
#include <stdexcept>
#include <string_view>

namespace mpu {
namespace {

using Bytes = std::vector<std::uint8_t>;

void put_u32(Bytes& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    out.push_back(static_cast<std::uint8_t>(value >> shift));
}

// length, type, data, checksum of type and data
void put_chunk(Bytes& out, std::string_view type, const Bytes& data) {
  put_u32(out, static_cast<std::uint32_t>(data.size()));
  const std::size_t start = out.size();
  out.insert(out.end(), type.begin(), type.end());
  out.insert(out.end(), data.begin(), data.end());
  const uLong crc = crc32(0, out.data() + start, static_cast<uInt>(out.size() - start));
  put_u32(out, static_cast<std::uint32_t>(crc));
}

Bytes filtered_rows(const Image& image) {
  constexpr std::uint8_t filter_sub = 1;
  const std::size_t row = static_cast<std::size_t>(image.width) * 3;
  Bytes out;
  out.reserve((row + 1) * image.height);
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* from = image.rgb.data() + y * row;
    out.push_back(filter_sub);
    for (std::size_t i = 0; i < row; ++i) {
      out.push_back(static_cast<std::uint8_t>(from[i] - (i < 3 ? 0 : from[i - 3])));
    }
  }
  return out;
}

Bytes deflated(const Bytes& data) {
  uLongf size = compressBound(static_cast<uLong>(data.size()));
  Bytes out(size);
  if (compress2(out.data(), &size, data.data(), static_cast<uLong>(data.size()), 6) != Z_OK) {
    throw std::runtime_error("zlib cannot compress the picture");
  }
  out.resize(size);
  return out;
}

}  // namespace

void write_png(const Image& image, const std::string& path) {
  Bytes file{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  Bytes header;
  put_u32(header, static_cast<std::uint32_t>(image.width));
  put_u32(header, static_cast<std::uint32_t>(image.height));
  for (const int field : {8, 2, 0, 0, 0}) header.push_back(static_cast<std::uint8_t>(field));
  put_chunk(file, "IHDR", header);
  put_chunk(file, "IDAT", deflated(filtered_rows(image)));
  put_chunk(file, "IEND", {});
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace mpu
