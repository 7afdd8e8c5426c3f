// SPDX-License-Identifier: Apache-2.0
#include "sim/frontend/ptx_source.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/demangle.h"
#include "base/error.h"
#include "base/text.h"
#include "ptx/target.h"
#include "sim/frontend/compiler.h"
#include "sim/frontend/elf.h"
#include "sim/frontend/fatbin.h"
#include "sim/frontend/link.h"
#include "sim/memory/files.h"

namespace gpuloom::frontend {
namespace {

std::string number_of(const std::string& target) {
  return target.starts_with("sm_") ? target.substr(3) : target;
}

// "-gencode arch=compute_90,code=compute_90": keeps PTX in what nvcc makes.
std::string keep_ptx_flag(const std::string& target) {
  const std::string n = number_of(target.empty() ? "sm_90" : target);
  return fmt::format(
      "compile with -arch=sm_{0}, or -gencode arch=compute_{0},code=compute_{0}, which keep PTX in "
      "the file; or make PTX with nvcc -ptx -lineinfo -arch=sm_{0}",
      n);
}

bool newer(const FatbinImage& a, const FatbinImage& b) {
  return a.arch != b.arch ? a.arch > b.arch : a.suffix > b.suffix;
}

// Of one translation unit, the newest PTX that the target runs.
const FatbinImage* best_image(const Fatbin& fatbin, const std::string& target) {
  const FatbinImage* best = nullptr;
  for (const FatbinImage& image : fatbin)
    if (image.ptx && (target.empty() || ptx::covers(target, image.target())) &&
        (best == nullptr || newer(image, *best)))
      best = &image;
  return best;
}

std::string targets_of(const std::vector<Fatbin>& fatbins, bool ptx) {
  std::set<std::string> names;
  for (const Fatbin& fatbin : fatbins)
    for (const FatbinImage& image : fatbin)
      if (image.ptx == ptx) names.insert(image.target());
  return join({names.begin(), names.end()}, ", ");
}

[[noreturn]] void no_image(const std::vector<Fatbin>& fatbins, const std::string& path,
                           const PtxRequest& request) {
  const std::string ptx = targets_of(fatbins, true), code = targets_of(fatbins, false);
  if (!ptx.empty())
    throw Error(ErrorKind::kInput,
                fmt::format("'{}' has PTX for {}, which {} does not run", path, ptx, request.target), {},
                keep_ptx_flag(request.target));
  throw Error(ErrorKind::kInput,
              fmt::format("'{}' has machine code{} and no PTX", path, code.empty() ? "" : " for " + code), {},
              keep_ptx_flag(request.target));
}

// The best PTX of each translation unit.
std::vector<PtxSource> from_fatbins(const std::vector<Fatbin>& fatbins, const std::string& path,
                                    Content content, const PtxRequest& request) {
  std::vector<PtxSource> units;
  for (const Fatbin& fatbin : fatbins) {
    const FatbinImage* image = best_image(fatbin, request.target);
    if (image == nullptr) continue;
    units.push_back({image->text, fmt::format("{} ({} PTX)", path, image->target()), content, ""});
  }
  if (units.empty()) no_image(fatbins, path, request);
  return units;
}

// Units with kernels (all, where none has any), each linked with those that it needs.
std::vector<PtxSource> linked(std::vector<PtxSource> units) {
  if (units.size() < 2) return units;
  std::vector<PtxSource> modules;
  for (size_t k = 0; k < units.size(); ++k) {
    if (entry_names(units[k].text).empty()) continue;
    std::vector<std::string> texts = {units[k].text};
    for (size_t o = 0; o < units.size(); ++o)
      if (o != k) texts.push_back(units[o].text);
    const std::vector<std::string> entries = entry_names(units[k].text);
    PtxSource module = units[k];
    module.text = link_ptx(std::move(texts), {entries.begin(), entries.end()});
    module.linked = module.text != units[k].text;
    if (module.linked) module.name += " linked";
    modules.push_back(std::move(module));
  }
  return modules.empty() ? units : modules;
}

// Of several translation units with kernels, the one that has the kernel.
PtxSource chosen(std::vector<PtxSource> units, const std::string& path, const PtxRequest& request) {
  if (units.size() == 1) return std::move(units[0]);
  std::vector<std::string> all;
  for (const PtxSource& unit : units)
    for (std::string& name : entry_names(unit.text)) all.push_back(std::move(name));
  const std::vector<size_t> meant =
      request.kernel.empty() ? std::vector<size_t>() : names_meant(request.kernel, all);
  if (meant.empty()) {
    for (std::string& name : all) name = short_name(name);
    throw Error(ErrorKind::kUsage,
                fmt::format("'{}' has {} modules, and {}", path, units.size(),
                            request.kernel.empty() ? "no kernel is named"
                                                   : "none has a kernel '" + request.kernel + "'"),
                {}, "choose one with -k: " + join(all, ", "));
  }
  for (PtxSource& unit : units) {
    const std::vector<std::string> names = entry_names(unit.text);
    if (std::find(names.begin(), names.end(), all[meant[0]]) != names.end()) return std::move(unit);
  }
  return std::move(units[0]);
}

// What `nvcc -G -cubin` leaves: the lines of the PTX, each ended by a NUL.
std::string debug_ptx(const std::vector<ElfSection>& sections) {
  for (const ElfSection& section : sections) {
    if (section.name != ".nv_debug_ptx_txt") continue;
    std::string text(section.data);
    std::replace(text.begin(), text.end(), '\0', '\n');
    return text;
  }
  return "";
}

std::vector<PtxSource> from_elf(const std::string& data, const std::string& path, Content content,
                                const PtxRequest& request) {
  const std::vector<ElfSection> sections = elf_sections(data, path);
  if (content == Content::kCubin) {
    const std::string text = debug_ptx(sections);
    if (text.empty())
      throw Error(ErrorKind::kInput, fmt::format("'{}' is a cubin: machine code, and no PTX", path), {},
                  keep_ptx_flag(request.target));
    return {{text, path + " (PTX of -G)", content,
             "the PTX of a cubin made with -G is not optimised: neither are the times"}};
  }
  std::vector<Fatbin> fatbins;
  for (const ElfSection& section : sections)
    if (section.name == ".nv_fatbin" || section.name == "__nv_relfatbin") {
      std::vector<Fatbin> more = read_fatbins(section.data, path);
      std::move(more.begin(), more.end(), std::back_inserter(fatbins));
    }
  if (fatbins.empty())
    throw Error(ErrorKind::kInput, fmt::format("'{}' is {} without CUDA kernels", path, describe(content)),
                {}, "kernels of a library that it loads are in that library's file");
  return from_fatbins(fatbins, path, content, request);
}

}  // namespace

std::string linked_ptx(const std::vector<Fatbin>& units, const std::string& path, const PtxRequest& request,
                       const std::set<std::string>& wanted) {
  std::vector<std::string> texts;
  for (const Fatbin& fatbin : units)
    if (const FatbinImage* image = best_image(fatbin, request.target)) texts.push_back(image->text);
  if (texts.empty()) no_image(units, path, request);
  return link_ptx(std::move(texts), wanted);
}

std::vector<std::string> entry_names(std::string_view ptx) {
  constexpr std::string_view kEntry = ".entry";
  std::vector<std::string> names;
  for (size_t at = ptx.find(kEntry); at != std::string_view::npos; at = ptx.find(kEntry, at)) {
    at += kEntry.size();
    const size_t begin = ptx.find_first_not_of(" \t\r\n", at);
    if (begin == at || begin == std::string_view::npos) continue;
    size_t end = begin;
    while (end < ptx.size() && (std::isalnum(static_cast<unsigned char>(ptx[end])) != 0 || ptx[end] == '_' ||
                                ptx[end] == '$' || ptx[end] == '%'))
      ++end;
    if (end > begin) names.emplace_back(ptx.substr(begin, end - begin));
  }
  return names;
}

namespace {

// Every translation unit of the bytes of a file.
std::vector<PtxSource> units_of(std::string data, const std::string& path, const PtxRequest& request) {
  const Content content = content_of(data, path);
  switch (content) {
    case Content::kPtx:
      return {{std::move(data), path, content, ""}};
    case Content::kCuda:
      return {{compile_cuda(path, request.target.empty() ? "sm_90" : request.target,
                            request.compiler_arguments, !request.link.empty()),
               path + " (compiled)", content, ""}};
    case Content::kElf:
    case Content::kCubin:
      return from_elf(data, path, content, request);
    case Content::kFatbin:
      return from_fatbins(read_fatbins(data, path), path, content, request);
    case Content::kArchive:
      throw Error(ErrorKind::kInput, fmt::format("'{}' is a static library", path), {},
                  "take its objects out with `ar x`, and give one of them");
    default:
      throw Error(ErrorKind::kInput, fmt::format("'{}' does not hold PTX: it is {}", path, describe(content)),
                  {}, "PTX begins with .version; nvcc -ptx -lineinfo makes it");
  }
}

}  // namespace

std::vector<PtxSource> modules_of(std::string data, const std::string& path, const PtxRequest& request) {
  return linked(units_of(std::move(data), path, request));
}

PtxSource read_ptx(const std::string& path, const PtxRequest& request) {
  std::vector<PtxSource> units = units_of(sim::read_file(path), path, request);
  for (const std::string& more : request.link)
    for (PtxSource& unit : units_of(sim::read_file(more), more, request)) units.push_back(std::move(unit));
  return chosen(linked(std::move(units)), path, request);
}

}  // namespace gpuloom::frontend
