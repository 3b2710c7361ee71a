// Image: rows of 8-bit red, green, blue; and its PNG file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mpu {

struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  // width * height * 3, top row first
};

// Throws std::runtime_error if the file cannot be written.
void write_png(const Image& image, const std::string& path);

}  // namespace mpu
