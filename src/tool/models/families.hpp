// Owns: kept models by codelet and kind of executor, with the law that each family follows.
#pragma once

#include <string>
#include <vector>

#include "hetero/model/model.hpp"

namespace xylem::tool {

struct Family {
  hetero::About about;  // of one of its models
  std::vector<hetero::Model> models;
  hetero::Law law;  // as a program would fit it
};

// Of models that stand together by family; each has samples.
std::vector<Family> families_of(const std::vector<hetero::Model>& models);

// "processor", "device 1".
std::string executor_text(int kind);
// "2.1 ns * bytes^1.49, by 5 sizes"
std::string law_text(const Family& family);

}  // namespace xylem::tool
