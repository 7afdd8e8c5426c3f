// SPDX-License-Identifier: Apache-2.0
#include "sim/host/inspect.h"

#include <elf.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.h"
#include "sim/frontend/elf.h"
#include "sim/frontend/fatbin.h"
#include "sim/memory/files.h"

namespace gpuloom::host {
namespace {

constexpr const char* kElf =
    "\x7f"
    "ELF";
constexpr const char* kRuntime = "libcudart.so.";
constexpr const char* kServed[] = {"libcudart.so.13", "libcudart.so.12"};

std::string hint_for(const std::string& path) {
  const auto ends = [&](const char* with) { return path.ends_with(with); };
  if (ends(".cu"))
    return "compile it first: nvcc -arch=sm_90 -cudart shared -o app " + path +
           "; or launch one of its kernels: gpuloom run " + path;
  if (ends(".ptx") || ends(".yaml")) return "gpuloom run " + path;
  if (ends(".py")) return "gpuloom exec python3 " + path;
  return "chmod +x makes a file a program";
}

void check_file(const std::string& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0)
    throw Error(ErrorKind::kInput, "cannot find the program '" + path + "'");
  if (!S_ISREG(facts.st_mode) || access(path.c_str(), X_OK) != 0)
    throw Error(ErrorKind::kInput, "'" + path + "' is not a program that can be run", {}, hint_for(path));
  if ((facts.st_mode & (S_ISUID | S_ISGID)) != 0)
    throw Error(
        ErrorKind::kUnsupported,
        "'" + path +
            "' runs as another user (setuid): the dynamic linker does not let others change its libraries",
        {}, "run a copy without that bit: cp " + path + " copy && gpuloom exec ./copy");
}

void check_class(const std::string& file, const std::string& path) {
  if (file.size() > EI_CLASS && file[EI_CLASS] != ELFCLASS64)
    throw Error(ErrorKind::kUnsupported, "'" + path + "' is a 32-bit program", {}, "compile it for 64 bits");
}

bool names(const std::vector<std::string>& libraries, const std::string& start) {
  return std::any_of(libraries.begin(), libraries.end(), [&](const auto& l) { return l.starts_with(start); });
}

bool served(const std::string& library) {
  return std::find(std::begin(kServed), std::end(kServed), library) != std::end(kServed);
}

void check_linkage(const frontend::ElfLinkage& linkage, bool kernels, const std::string& path) {
  for (const std::string& library : linkage.needed)
    if (library.starts_with(kRuntime) && !served(library))
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("'{}' was linked with {}; the runtimes here are those of CUDA 13 and 12", path,
                              library),
                  {}, "build it again with nvcc 13");
  if (kernels && std::none_of(linkage.needed.begin(), linkage.needed.end(), served))
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format(
            "'{}' holds the CUDA runtime itself (static cudart, nvcc's default), which cannot be replaced",
            path),
        {},
        "build it again with -cudart shared, or a whole project with NVCC_APPEND_FLAGS=\"-cudart shared\" in "
        "the "
        "environment");
}

// What a linker leaves for a program without kernels has no code in it.
bool has_kernels(const frontend::FatbinImage& image, const std::string& path) {
  if (image.text.empty() || !image.text.starts_with(kElf)) return true;
  for (const frontend::ElfSection& section : frontend::elf_sections(image.text, path))
    if (section.name.starts_with(".text.")) return true;
  return false;
}

// A program with kernels and no PTX of any of them.
void check_ptx(const std::vector<std::string_view>& sections, const std::vector<frontend::Fatbin>& fatbins,
               const std::string& path) {
  for (const frontend::Fatbin& fatbin : fatbins)
    for (const frontend::FatbinImage& image : fatbin)
      if (image.ptx) return;
  bool any = false;
  for (const std::string_view section : sections)
    for (const frontend::Fatbin& fatbin : frontend::read_fatbins(section, path, frontend::Texts::kCode))
      for (const frontend::FatbinImage& image : fatbin) any = any || has_kernels(image, path);
  if (!any) return;
  throw Error(ErrorKind::kUnsupported, "'" + path + "' has machine code and no PTX", {},
              "build it again with -arch=sm_90, or -gencode arch=compute_90,code=compute_90, which keep PTX");
}

}  // namespace

Inspection inspect_program(const std::string& path) {
  check_file(path);
  const std::string file = sim::read_file(path);
  Inspection found;
  found.elf = file.starts_with(kElf);
  if (!found.elf) {
    found.preload = true;
    return found;
  }
  check_class(file, path);
  std::vector<frontend::Fatbin> fatbins;
  std::vector<std::string_view> sections;
  for (const frontend::ElfSection& section : frontend::elf_sections(file, path))
    if (section.name == ".nv_fatbin" || section.name == "__nv_relfatbin") sections.push_back(section.data);
  for (const std::string_view section : sections)
    for (frontend::Fatbin& fatbin : frontend::read_fatbins(section, path, frontend::Texts::kLeftOut))
      fatbins.push_back(std::move(fatbin));
  const frontend::ElfLinkage linkage = frontend::elf_linkage(file, path);
  check_linkage(linkage, !fatbins.empty(), path);
  const auto needed = std::find_if(linkage.needed.begin(), linkage.needed.end(), served);
  const bool brings_it_later = needed == linkage.needed.end();
  if (!brings_it_later) found.runtime = *needed;
  check_ptx(sections, fatbins, path);
  found.preload =
      brings_it_later ||
      (!linkage.rpath.empty() && linkage.runpath.empty()) ||  // a runpath makes the linker ignore an rpath
      names(linkage.needed, "libnvrtc.so");                   // two functions of it are ours
  return found;
}

}  // namespace gpuloom::host
