// SPDX-License-Identifier: Apache-2.0
#include "sim/host/program.h"

#include <algorithm>
#include <cstdio>

#include "base/error.h"
#include "ptx/target.h"
#include "sim/frontend/fatbin.h"
#include "sim/frontend/ptx_source.h"
#include "sim/host/status.h"

namespace gpuloom::host {

int report_failure(const Error& error) {
  std::fprintf(stderr, "gpuloom: %s\n", error.what());
  if (const auto* refused = dynamic_cast<const sim::LaunchRefused*>(&error))
    return static_cast<int>(status_named(refused->cuda_error, Status::kInvalidValue));
  switch (error.kind()) {
    case ErrorKind::kUnsupported:
      return static_cast<int>(Status::kNotSupported);
    case ErrorKind::kInput:
      return static_cast<int>(Status::kInvalidPtx);
    case ErrorKind::kProgram:
      return static_cast<int>(Status::kLaunchFailure);
    default:
      return static_cast<int>(Status::kUnknown);
  }
}

std::string Image::ptx_for(sim::Device& device) const {
  if (!text_.empty()) return text_;
  std::vector<frontend::Fatbin> units;
  for (const std::string_view container : containers_)
    for (frontend::Fatbin& fatbin : frontend::read_fatbins(container, "the program"))
      units.push_back(std::move(fatbin));
  frontend::PtxRequest request;
  request.target = ptx::widest_target(device.gpu().targets);
  return frontend::linked_ptx(units, "the program", request, names);
}

sim::LoadedModule& Image::load(sim::Device& device) {
  There& there = on(device);
  if (there.module != nullptr) return *there.module;
  if (there.broken) throw Failure(static_cast<Status>(there.status));
  try {
    there.module = &device.load_text(ptx_for(device), "the program's PTX", {.bodies_later = bodies_later});
  } catch (const Error& error) {
    there.broken = true;
    there.status = report_failure(error);
    throw Failure(static_cast<Status>(there.status), error.what());
  }
  for (Variable* variable : managed)
    if (const sim::SymbolPlace place = there.module->symbol(variable->name); place.address != 0)
      *variable->managed = reinterpret_cast<void*>(place.address);
  return *there.module;
}

void Image::unload(sim::Device& device) {
  There& there = on(device);
  if (there.module != nullptr) device.unload(*there.module);
  there.module = nullptr;
}

Image& Programs::add_image(std::vector<std::string_view> containers) {
  images_.push_back(std::make_unique<Image>(std::move(containers)));
  return *images_.back();
}

Image& Programs::add_ptx(std::string text) {
  images_.push_back(std::make_unique<Image>(std::move(text)));
  return *images_.back();
}

void Programs::remove_image(Image& image) {
  std::erase_if(by_stub_, [&](const auto& entry) { return entry.second->image == &image; });
  std::erase_if(by_shadow_, [&](const auto& entry) { return entry.second->image == &image; });
  for (const auto& function : functions_)
    if (function->image == &image) function->image = nullptr, function->there.clear();
  std::erase_if(images_, [&](const auto& owned) { return owned.get() == &image; });
}

void Programs::forget_device(sim::Device& device) {
  for (const auto& function : functions_) function->on(device).kernel = nullptr;
  for (const auto& image : images_) image->unload(device);
}

Function& Programs::add_function(Image& image, const void* stub, std::string name) {
  functions_.push_back(std::make_unique<Function>());
  Function& f = *functions_.back();
  image.names.insert(name);
  f.name = std::move(name);
  f.image = &image;
  if (stub != nullptr) by_stub_[stub] = &f;
  by_stub_[&f] = &f;
  return f;
}

Variable& Programs::add_variable(Image& image, const void* shadow, std::string name, uint64_t size) {
  variables_.push_back(std::make_unique<Variable>());
  Variable& v = *variables_.back();
  image.names.insert(name);
  v.name = std::move(name);
  v.image = &image;
  v.size = size;
  by_shadow_[shadow] = &v;
  return v;
}

Function* Programs::find_function(const void* stub_or_handle) const {
  const auto known = by_stub_.find(stub_or_handle);
  return known == by_stub_.end() ? nullptr : known->second;
}

Function& Programs::function(const void* stub_or_handle) const {
  Function* f = find_function(stub_or_handle);
  require(f != nullptr, Status::kInvalidDeviceFunction);
  return *f;
}

Variable& Programs::variable(const void* shadow) const {
  const auto known = by_shadow_.find(shadow);
  require(known != by_shadow_.end(), Status::kInvalidSymbol);
  return *known->second;
}

}  // namespace gpuloom::host
