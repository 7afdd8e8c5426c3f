// SPDX-License-Identifier: Apache-2.0
// The linker: units of PTX become one text, which a module is loaded from. Inputs of machine code are
// refused, but for the device runtime, whose functions for grids are our own.
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "ptx/target.h"
#include "sim/cuda/driver.h"
#include "sim/cuda/grid_functions.h"
#include "sim/frontend/fatbin.h"
#include "sim/frontend/ptx_source.h"
#include "sim/memory/files.h"

namespace gpuloom::driver {
namespace {

struct Linking {
  std::vector<frontend::Fatbin> units;
  std::string text;  // the result
};
using LinkHandle = Linking*;

// CUjitInputType.
enum : int { kCubin = 0, kPtx = 1, kFatbinary = 2, kObject = 3, kLibrary = 4 };

// Under the runtime's lock.
std::unordered_map<const Linking*, std::unique_ptr<Linking>>& linkings() {
  static auto* const all = new std::unordered_map<const Linking*, std::unique_ptr<Linking>>;
  return *all;
}

Linking& checked(LinkHandle handle) {
  host::require(linkings().contains(handle), Status::kInvalidResourceHandle);
  return *handle;
}

void add_ptx(host::Context& c, Linking& linking, std::string_view text) {
  frontend::FatbinImage image;
  image.ptx = true;
  const std::string target = ptx::widest_target(c.device().gpu().targets);
  image.arch = static_cast<unsigned>(std::stoul(target.substr(target.find('_') + 1)));
  image.text = std::string(text);
  linking.units.push_back({image});
}

void add(host::Context& c, Linking& linking, int type, std::string_view data, const std::string& name) {
  if (type == kPtx) return add_ptx(c, linking, data.substr(0, data.find('\0')));
  if (type == kLibrary && is_device_runtime(data)) return add_ptx(c, linking, grid_functions());
  if (type == kFatbinary || type == kObject || type == kLibrary) {
    const size_t before = linking.units.size();
    for (frontend::Fatbin& fatbin : frontend::read_fatbins(data, name))
      linking.units.push_back(std::move(fatbin));
    if (linking.units.size() != before) return;
  }
  throw Failure(static_cast<Status>(refuse("cuLinkAddData", "machine code without PTX")));
}

}  // namespace

GPULOOM_CUDA int cuLinkCreate_v2(unsigned, int*, void**, LinkHandle* handle) {
  return call([&](host::Runtime&, host::Context&) {
    host::require(handle != nullptr);
    auto made = std::make_unique<Linking>();
    *handle = made.get();
    linkings()[*handle] = std::move(made);
  });
}

GPULOOM_CUDA int cuLinkAddData_v2(LinkHandle handle, int type, const void* data, size_t bytes,
                                  const char* name, unsigned, int*, void**) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(data != nullptr);
    add(c, checked(handle), type, {static_cast<const char*>(data), bytes},
        name != nullptr ? name : "linked data");
  });
}

GPULOOM_CUDA int cuLinkAddFile_v2(LinkHandle handle, int type, const char* path, unsigned, int*, void**) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(path != nullptr);
    std::string data;
    try {
      data = sim::read_file(path);
    } catch (const std::exception&) {
      throw Failure(Status::kFileNotFound);
    }
    add(c, checked(handle), type, data, path);
  });
}

// The result is PTX; it lives until the linker is destroyed.
GPULOOM_CUDA int cuLinkComplete(LinkHandle handle, void** result, size_t* bytes) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(result != nullptr);
    Linking& linking = checked(handle);
    frontend::PtxRequest request;
    request.target = ptx::widest_target(c.device().gpu().targets);
    std::set<std::string> wanted;
    for (const frontend::Fatbin& unit : linking.units)
      for (const frontend::FatbinImage& image : unit)
        for (std::string& name : frontend::entry_names(image.text)) wanted.insert(std::move(name));
    linking.text = frontend::linked_ptx(linking.units, "the linked program", request, wanted);
    *result = linking.text.data();
    if (bytes != nullptr) *bytes = linking.text.size() + 1;
  });
}

GPULOOM_CUDA int cuLinkDestroy(LinkHandle handle) {
  return call([&](host::Runtime&, host::Context&) { linkings().erase(&checked(handle)); });
}

}  // namespace gpuloom::driver
