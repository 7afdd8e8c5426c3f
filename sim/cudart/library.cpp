// SPDX-License-Identifier: Apache-2.0
// Libraries: modules that a program loads by itself, from PTX, a fatbin, or a file of either.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/cudart/process.h"
#include "sim/frontend/fatbin.h"
#include "sim/memory/files.h"

namespace gpuloom::cudart {
namespace {

struct Library {
  std::string code;  // a fatbin: the image reads from it, and the caller's bytes need not outlive the call
  host::Image* image = nullptr;
  std::unordered_map<std::string, host::Function*> kernels;
};

std::unordered_map<const Library*, std::unique_ptr<Library>>& libraries() {
  static auto* const all =
      new std::unordered_map<const Library*, std::unique_ptr<Library>>;  // under the lock
  return *all;
}

Library& library_of(LibraryHandle handle) {
  auto* library = reinterpret_cast<Library*>(handle);
  host::require(libraries().contains(library), Status::kInvalidResourceHandle);
  return *library;
}

// PTX is text that ends with 0; a fatbin says how long it is, with or without nvcc's wrapper around it.
host::Image& library_image(host::Runtime& r, Library& library, const void* code) {
  const auto* bytes = static_cast<const char*>(code);
  uint32_t magic = 0;
  std::memcpy(&magic, code, sizeof magic);
  if (magic == kFatbinWrapperMagic)
    bytes = static_cast<const char*>(static_cast<const FatbinWrapper*>(code)->data);
  if (const size_t size = frontend::fatbin_bytes(bytes); size != 0) {
    library.code.assign(bytes, size);
    return r.programs().add_image({library.code});
  }
  if (std::memcmp(bytes,
                  "\x7f"
                  "ELF",
                  4) == 0)
    throw Failure(static_cast<Status>(refuse("cudaLibraryLoadData", "machine code without PTX")));
  return r.programs().add_ptx(bytes);
}

host::Function& kernel_of(host::Runtime& r, host::Context& c, Library& library, const std::string& name) {
  if (const auto known = library.kernels.find(name); known != library.kernels.end()) return *known->second;
  const std::vector<std::string> names = library.image->load(c.device()).kernel_names();
  host::require(std::find(names.begin(), names.end(), name) != names.end(), Status::kSymbolNotFound);
  host::Function& f = r.programs().add_function(*library.image, nullptr, name);
  library.kernels[name] = &f;
  return f;
}

LibraryHandle keep(host::Context& c, std::unique_ptr<Library> library) {
  library->image->load(c.device());
  const auto handle = reinterpret_cast<LibraryHandle>(library.get());
  const Library* key = library.get();
  libraries()[key] = std::move(library);
  return handle;
}

int global(void** pointer, size_t* bytes, LibraryHandle library, const char* name, bool managed) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(name != nullptr);
    const sim::SymbolPlace place = c.constants().place(library_of(library).image->load(c.device()), name);
    const auto facts = c.memory().facts(place.address);
    host::require(!managed || (facts && facts->kind == sim::MemoryKind::kManaged), Status::kSymbolNotFound);
    if (pointer != nullptr) *pointer = pointer_of(place.address);
    if (bytes != nullptr) *bytes = place.size;
  });
}

}  // namespace

GPULOOM_CUDA int cudaLibraryLoadData(LibraryHandle* library, const void* code, void*, void*, unsigned, void*,
                                     void*, unsigned) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::require(library != nullptr && code != nullptr);
    auto made = std::make_unique<Library>();
    made->image = &library_image(r, *made, code);
    *library = keep(c, std::move(made));
  });
}

GPULOOM_CUDA int cudaLibraryLoadFromFile(LibraryHandle* library, const char* path, void*, void*, unsigned,
                                         void*, void*, unsigned) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::require(library != nullptr && path != nullptr);
    auto made = std::make_unique<Library>();
    std::string file;
    try {
      file = sim::read_file(path);
    } catch (const std::exception&) {
      throw Failure(Status::kFileNotFound);
    }
    made->image = &library_image(r, *made, file.c_str());
    *library = keep(c, std::move(made));
  });
}

GPULOOM_CUDA int cudaLibraryUnload(LibraryHandle library) {
  return call([&](host::Runtime& r, host::Context& c) {
    Library& l = library_of(library);
    not_in_capture(c);
    c.synchronise();
    if (sim::LoadedModule* loaded = l.image->loaded(c.device())) c.constants().forget(*loaded);
    l.image->unload(c.device());
    r.programs().remove_image(*l.image);
    libraries().erase(&l);
  });
}

GPULOOM_CUDA int cudaLibraryGetKernel(KernelHandle* kernel, LibraryHandle library, const char* name) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::require(kernel != nullptr && name != nullptr);
    *kernel = reinterpret_cast<KernelHandle>(&kernel_of(r, c, library_of(library), name));
  });
}

GPULOOM_CUDA int cudaLibraryGetKernelCount(unsigned* count, LibraryHandle library) {
  return call([&](host::Runtime&, host::Context& c) {
    host::require(count != nullptr);
    *count = static_cast<unsigned>(library_of(library).image->load(c.device()).kernel_names().size());
  });
}

GPULOOM_CUDA int cudaLibraryEnumerateKernels(KernelHandle* kernels, unsigned count, LibraryHandle library) {
  return call([&](host::Runtime& r, host::Context& c) {
    host::require(kernels != nullptr);
    Library& l = library_of(library);
    const std::vector<std::string> names = l.image->load(c.device()).kernel_names();
    for (size_t k = 0; k < names.size() && k < count; ++k)
      kernels[k] = reinterpret_cast<KernelHandle>(&kernel_of(r, c, l, names[k]));
  });
}

GPULOOM_CUDA int cudaLibraryGetGlobal(void** pointer, size_t* bytes, LibraryHandle library,
                                      const char* name) {
  return global(pointer, bytes, library, name, false);
}

GPULOOM_CUDA int cudaLibraryGetManaged(void** pointer, size_t* bytes, LibraryHandle library,
                                       const char* name) {
  return global(pointer, bytes, library, name, true);
}

}  // namespace gpuloom::cudart
