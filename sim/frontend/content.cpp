// SPDX-License-Identifier: Apache-2.0
#include "sim/frontend/content.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "sim/frontend/fatbin.h"

namespace gpuloom::frontend {
namespace {

constexpr uint16_t kMachineCuda = 190;  // EM_CUDA, ELF's registry of machines

// The text after blanks and C comments.
std::string_view without_comments(std::string_view text) {
  for (;;) {
    const size_t begin = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin);
    const std::string_view end = text.starts_with("//") ? "\n" : text.starts_with("/*") ? "*/" : "";
    if (end.empty()) return text;
    const size_t at = text.find(end, 2);
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at + end.size());
  }
}

bool is_text(std::string_view data) {
  return std::none_of(data.begin(),
                      data.begin() + static_cast<ptrdiff_t>(std::min<size_t>(data.size(), 4096)),
                      [](char c) { return c == '\0'; });
}

Content of_text(std::string_view data, std::string_view path) {
  const std::string_view text = without_comments(data);
  if (text.starts_with(".version") || text.starts_with(".target")) return Content::kPtx;
  if (data.find("__global__") != std::string_view::npos) return Content::kCuda;
  for (const char* word :
       {"#include", "#pragma", "#define", "#if", "extern \"C\"", "template", "using namespace"})
    if (text.starts_with(word)) return Content::kCuda;
  if (path.ends_with(".ptx") || path.ends_with(".ptx.gz")) return Content::kPtx;
  if (path.ends_with(".cu") || path.ends_with(".cuh")) return Content::kCuda;
  return text.empty() && data.find('#') == std::string_view::npos ? Content::kEmpty : Content::kYaml;
}

}  // namespace

Content content_of(std::string_view data, std::string_view path) {
  if (data.empty()) return path.ends_with(".ptx") ? Content::kPtx : Content::kEmpty;
  if (data.starts_with("\x7f"
                       "ELF")) {
    uint16_t machine = 0;
    if (data.size() > 20) std::memcpy(&machine, data.data() + 18, sizeof machine);
    return machine == kMachineCuda ? Content::kCubin : Content::kElf;
  }
  if (is_fatbin(data)) return Content::kFatbin;
  if (data.starts_with("!<arch>\n")) return Content::kArchive;
  return is_text(data) ? of_text(data, path) : Content::kBinary;
}

std::string_view describe(Content content) {
  switch (content) {
    case Content::kEmpty:
      return "empty";
    case Content::kYaml:
      return "YAML or another text";
    case Content::kPtx:
      return "PTX";
    case Content::kCuda:
      return "CUDA C++";
    case Content::kElf:
      return "an executable, object or library";
    case Content::kCubin:
      return "a cubin";
    case Content::kFatbin:
      return "a fatbin";
    case Content::kArchive:
      return "a static library";
    case Content::kBinary:
      return "binary data";
  }
  return "";
}

bool holds_kernels(Content content) {
  return content != Content::kEmpty && content != Content::kYaml && content != Content::kBinary;
}

}  // namespace gpuloom::frontend
