// SPDX-License-Identifier: Apache-2.0
// The programs that nvcc made and the tree keeps (tests/cuda/committed): what must be in them, and what must
// not, so that they run on every machine that gpuloom is built on.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <vector>

#include "sim/frontend/elf.h"
#include "sim/frontend/fatbin.h"
#include "sim/frontend/ptx_items.h"
#include "sim/memory/files.h"
#include "tests/catch2.h"
#include "tests/places.h"

using namespace gpuloom;
using namespace gpuloom::frontend;

namespace {

struct CommittedProgram {
  std::string path, file;
};

std::vector<CommittedProgram> committed_programs() {
  std::vector<CommittedProgram> all;
  for (const auto& entry : std::filesystem::directory_iterator(tests::in_tree("/tests/cuda/committed"))) {
    if (!entry.is_regular_file()) continue;
    std::string file = sim::read_file(entry.path());
    if (file.starts_with("\x7f"
                         "ELF"))
      all.push_back({entry.path(), std::move(file)});
  }
  return all;
}

// The numbers of a version, "GLIBC_2.36" as {2, 36}; empty where the name begins otherwise.
std::vector<int> version_of(std::string_view name, std::string_view prefix) {
  std::vector<int> numbers;
  if (!name.starts_with(prefix)) return numbers;
  for (size_t at = prefix.size(); at < name.size(); ++at) {
    if (std::isdigit(static_cast<unsigned char>(name[at])) == 0) continue;
    if (numbers.empty() || name[at - 1] == '.' || name[at - 1] == '_') numbers.push_back(0);
    numbers.back() = 10 * numbers.back() + (name[at] - '0');
  }
  return numbers;
}

}  // namespace

TEST_CASE("Committed programs hold PTX and no machine code, nor NVIDIA's device runtime") {
  const std::vector<CommittedProgram> programs = committed_programs();
  REQUIRE(programs.size() >= 29);
  for (const CommittedProgram& program : programs) {
    INFO(program.path);
    size_t texts = 0;
    for (const ElfSection& section : elf_sections(program.file, program.path)) {
      CHECK(section.name != ".symtab");
      if (section.name != ".nv_fatbin" && section.name != "__nv_relfatbin") continue;
      for (const Fatbin& fatbin : read_fatbins(section.data, program.path))
        for (const FatbinImage& image : fatbin) {
          CHECK(image.ptx);
          CHECK(image.target() == "sm_90");
          ++texts;
          // The device runtime is what defines functions with CUDA's names; kernels declare them extern.
          for (const PtxItem& item : ptx_items(image.text))
            if (item.kind == ItemKind::kFunction) CHECK_FALSE(item.name.starts_with("cuda"));
        }
    }
    CHECK((texts > 0 || program.path.ends_with("nvml_queries") || program.path.ends_with("libraries")));
  }
}

TEST_CASE("Committed programs need the shared runtime and a C library as old as Debian 12's") {
  // Debian 12: glibc 2.36, and libstdc++ of GCC 12, whose newest versions are these (GCC's manual, "ABI").
  const std::vector<std::pair<std::string_view, std::vector<int>>> newest = {
      {"GLIBC_", {2, 36}}, {"GLIBCXX_", {3, 4, 30}}, {"CXXABI_", {1, 3, 13}}};
  for (const CommittedProgram& program : committed_programs()) {
    INFO(program.path);
    const ElfLinkage linkage = elf_linkage(program.file, program.path);
    CHECK(std::count(linkage.needed.begin(), linkage.needed.end(), "libcudart.so.13") == 1);
    for (const std::string& library : linkage.needed)
      CHECK((library.starts_with("libcudart.so") || library == "libcuda.so.1" ||
             library == "libstdc++.so.6" || library == "libgcc_s.so.1" || library == "libc.so.6" ||
             library == "libm.so.6"));
    CHECK(linkage.rpath.empty());
    CHECK(linkage.runpath.empty());
    for (const ElfSection& section : elf_sections(program.file, program.path)) {
      if (section.name != ".dynstr") continue;
      for (std::string_view left = section.data; !left.empty();) {
        const size_t end = std::min(left.find('\0'), left.size() - 1);
        const std::string_view name = left.substr(0, end);
        left.remove_prefix(end + 1);
        for (const auto& [prefix, most] : newest) {
          INFO(name);
          CHECK(version_of(name, prefix) <= most);
        }
      }
    }
  }
}
