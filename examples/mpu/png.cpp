// Writes an Image by libpng's simplified interface.
#include "png.hpp"

#include <png.h>

#include <stdexcept>

namespace mpu {

void write_png(const Image& image, const std::string& path) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&header, path.c_str(), 0, image.rgb.data(), 0, nullptr) == 0)
    throw std::runtime_error("cannot write " + path + ": " + header.message);
}

}  // namespace mpu
