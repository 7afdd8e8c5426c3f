// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/element_match.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/demangle.h"
#include "base/error.h"
#include "sim/runtime/pointer_use.h"

namespace gpuloom::sim {
namespace {

bool holds_floats(ElementType type) {
  return type == ElementType::kF16 || type == ElementType::kBf16 || type == ElementType::kF32 ||
         type == ElementType::kF64;
}

// The float that all accesses agree on; kNone where there are none, or others.
ptx::Type only_float(const PointerUse& use) {
  if (!use.complete || use.accesses.empty()) return ptx::Type::kNone;
  const ptx::Type type = use.accesses.front().type;
  const bool agree = std::all_of(use.accesses.begin(), use.accesses.end(),
                                 [&](const PointerAccess& a) { return a.type == type; });
  return agree && (type == ptx::Type::kF32 || type == ptx::Type::kF64) ? type : ptx::Type::kNone;
}

}  // namespace

void expect_elements(const LaunchFile& file, const LaunchSpec& launch, const Kernel& kernel) {
  std::vector<bool> pointers;
  bool any = false;
  for (const ArgSpec& arg : launch.args) {
    pointers.push_back(arg.kind == ArgSpec::Kind::kBuffer);
    any = any || (pointers.back() && holds_floats(file.buffers[arg.buffer].type));
  }
  const ptx::Function* entry = any ? kernel.module->module().find_function(kernel.name()) : nullptr;
  if (entry == nullptr) return;
  const std::vector<PointerUse> uses = pointer_uses(*entry, pointers);
  for (size_t i = 0; i < launch.args.size() && i < uses.size(); ++i) {
    const bool floats = pointers[i] && holds_floats(file.buffers[launch.args[i].buffer].type);
    const ptx::Type wanted = floats ? only_float(uses[i]) : ptx::Type::kNone;
    if (wanted == ptx::Type::kNone) continue;
    const BufferSpec& buffer = file.buffers[launch.args[i].buffer];
    if (bytes_of(buffer.type) == ptx::bytes(wanted)) continue;
    const char* c_name = wanted == ptx::Type::kF32 ? "float" : "double";
    throw Error(
        ErrorKind::kInput,
        fmt::format(
            "buffer '{}' has elements of type {}, and kernel '{}' reads or writes {} through argument {}",
            buffer.name, info(buffer.type).name, short_name(kernel.name()), ptx::info(wanted).name, i),
        launch.args[i].where,
        fmt::format("make it {}[{}], or u8[{}] to pass the raw bits", c_name, buffer.count(),
                    buffer.bytes()));
  }
}

}  // namespace gpuloom::sim
