// SPDX-License-Identifier: Apache-2.0
#include "sim/api/expected_error.h"

#include <fmt/core.h>

#include <filesystem>
#include <string>
#include <vector>

#include "arch/gpu_config.h"
#include "base/config/config.h"
#include "base/config/config_node.h"
#include "base/text.h"

namespace gpuloom::sim {
namespace {

std::string figure_of(const ConfigNode& entry, const char* key) {
  const ConfigNode* node = entry.find(key);
  return node == nullptr ? std::string() : node->scalar;
}

// "whole kernels are 12.0 % off in the median, and more than 40.1 % in one case of ten (8 figures)"
std::string class_text(const ConfigNode& entry, const char* kind, const char* words) {
  const ConfigNode* found = entry.find(kind);
  if (found == nullptr) return {};
  return fmt::format("{} {} % off in the median, and more than {} % in one case of ten ({} figures)", words,
                     figure_of(*found, "median"), figure_of(*found, "ninetieth"),
                     figure_of(*found, "figures"));
}

}  // namespace

std::string expected_error(const arch::GpuConfig& gpu) {
  const std::string path = config_directory() + "/about/expected_errors.yaml";
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  const ConfigNode file = parse_yaml_file(path, path);
  for (const char* group : {"measured", "not_real"})
    if (const ConfigNode* names = file.find(group))
      for (const ConfigNode& name : names->children)
        if (name.scalar == gpu.name) return {};
  const std::string begin = fmt::format("this project has not measured {}", gpu.name);
  const ConfigNode* published = file.find("published");
  const ConfigNode* entry = published == nullptr ? nullptr : published->find(gpu.name);
  if (entry == nullptr)
    return begin +
           ", and no published figure was compared with it: expect errors like those of its relatives, or "
           "larger (bench/published)";
  std::vector<std::string> classes = {class_text(*entry, "micro", "single mechanisms are"),
                                      class_text(*entry, "kernel", "whole kernels are")};
  std::erase(classes, "");
  return begin + "; compared with figures that others published, " + join(classes, "; ") +
         " (bench/published)";
}

}  // namespace gpuloom::sim
