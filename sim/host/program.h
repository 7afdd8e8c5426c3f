// SPDX-License-Identifier: Apache-2.0
// What a program has registered: fatbins, kernels by the address of their host stub, variables by the address
// of their host shadow. Images are read when somebody needs what is in them.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/runtime/device.h"

namespace gpuloom::host {

class Image;

// A kernel: cudaKernel_t, cudaFunction_t, and what a host stub stands for. Handles live for ever.
struct Function {
  // What it is on one device.
  struct There {
    sim::Kernel* kernel = nullptr;  // once loaded
    // Attributes that the program has set.
    std::optional<uint32_t> max_dynamic_shared;
    int carveout = -1;
    bool nonportable_cluster = false;
    int cluster_policy = 0;
  };
  There& on(const sim::Device& device) {
    if (device.number() >= there.size()) there.resize(device.number() + 1);
    return there[device.number()];
  }

  std::string name;  // in the PTX
  Image* image = nullptr;
  std::vector<There> there;       // by the device's number
  std::optional<bool> candidate;  // whether the user's choice of launches is one of its: settled on the first
};

struct Variable {
  std::string name;
  Image* image = nullptr;
  uint64_t size = 0;
  void** managed = nullptr;  // the program's pointer to a __managed__ variable
};

// One fatbin, or a file of one.
class Image {
 public:
  // The bytes stay the program's own and must live as long as the image. Several containers are the
  // translation units of one linked program (-rdc=true).
  explicit Image(std::vector<std::string_view> containers) : containers_(std::move(containers)) {}
  // PTX text, for libraries that are loaded from it.
  explicit Image(std::string ptx) : text_(std::move(ptx)) {}

  // The module on the device, loaded by the first call. Throws Failure (kNoKernelImageForDevice, kInvalidPtx,
  // kNotSupported); what is wrong has been said on stderr once.
  sim::LoadedModule& load(sim::Device& device);
  sim::LoadedModule* loaded(const sim::Device& device) { return on(device).module; }
  // What load() gives the device: of several units the linked text.
  std::string ptx_for(sim::Device& device) const;
  void unload(sim::Device& device);

  // nvcc has read what it has registered, so a kernel of it is read when somebody needs it, not before.
  bool bodies_later = false;
  std::vector<Variable*> managed;  // to be given their places
  std::set<std::string> names;     // of kernels and variables that the program has registered

 private:
  std::vector<std::string_view> containers_;
  std::string text_;
  struct There {
    sim::LoadedModule* module = nullptr;
    bool broken = false;
    int status = 0;
  };
  There& on(const sim::Device& device) {
    if (device.number() >= there_.size()) there_.resize(device.number() + 1);
    return there_[device.number()];
  }
  std::vector<There> there_;  // by the device's number
};

class Programs {
 public:
  Image& add_image(std::vector<std::string_view> containers);
  Image& add_ptx(std::string text);
  void remove_image(Image& image);
  Function& add_function(Image& image, const void* stub, std::string name);
  Variable& add_variable(Image& image, const void* shadow, std::string name, uint64_t size);

  // By stub or by handle. Throws Failure (kInvalidDeviceFunction).
  Function& function(const void* stub_or_handle) const;
  Function* find_function(const void* stub_or_handle) const;
  // Throws Failure (kInvalidSymbol).
  Variable& variable(const void* shadow) const;
  // The device goes: what was loaded on it is loaded anew when somebody needs it.
  void forget_device(sim::Device& device);
  const std::vector<std::unique_ptr<Image>>& images() const { return images_; }

 private:
  std::vector<std::unique_ptr<Image>> images_;
  std::vector<std::unique_ptr<Function>> functions_;
  std::vector<std::unique_ptr<Variable>> variables_;
  std::unordered_map<const void*, Function*> by_stub_;  // and by the function itself
  std::unordered_map<const void*, Variable*> by_shadow_;
};

// Says once on stderr what went wrong, and gives the code that the program gets for it.
int report_failure(const Error& error);

}  // namespace gpuloom::host
