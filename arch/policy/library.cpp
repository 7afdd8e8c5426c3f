// SPDX-License-Identifier: Apache-2.0
#include "arch/policy/library.h"

#include <dlfcn.h>

#include <filesystem>

namespace gpuloom::arch {

LoadedPolicy load_policy(const std::string& path, const std::string& kind) {
  LoadedPolicy result;
  std::error_code error;
  const std::filesystem::path full = std::filesystem::absolute(path, error);
  if (!std::filesystem::is_regular_file(full, error)) {
    result.problem = "there is no file '" + path + "'";
    result.hint = "arch/policy/template/README.md has the line that compiles one";
    return result;
  }
  void* library = dlopen(full.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    result.problem = std::string("cannot be loaded: ") + (why == nullptr ? "no reason given" : why);
    result.hint = "a policy may use arch/policy/interface.h and the standard library only";
    return result;
  }
  using Get = const policy::Entry* (*)();
  const auto get = reinterpret_cast<Get>(dlsym(library, "gpuloom_policy"));
  if (get == nullptr) {
    result.problem = "'" + path + "' is a shared object, but not a policy";
    result.hint = "it needs GPULOOM_POLICY(" + kind + ", name, Class) at its end";
    return result;
  }
  const policy::Entry* entry = get();
  if (entry->version != policy::kVersion) {
    result.problem = "'" + path + "' was compiled for version " + std::to_string(entry->version) +
                     " of arch/policy/interface.h, this gpuloom has version " +
                     std::to_string(policy::kVersion);
    result.hint = "compile it again with this gpuloom's header";
    return result;
  }
  if (kind != entry->kind) {
    result.problem =
        "'" + path + "' is a policy of the kind " + entry->kind + ", and a " + kind + " is wanted here";
    return result;
  }
  result.entry = entry;
  return result;
}

}  // namespace gpuloom::arch
