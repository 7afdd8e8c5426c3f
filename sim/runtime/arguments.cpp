// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/arguments.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/config/units.h"
#include "base/demangle.h"
#include "base/error.h"
#include "sim/runtime/launch_values.h"

namespace gpuloom::sim {
namespace {

// "float* (.u64, 8 bytes)"
std::string describe_parameter(const ptx::Program& program, size_t i) {
  const ptx::KernelParam& p = program.params[i];
  return fmt::format("{} (.{}, {} bytes)", parameter_labels(program)[i],
                     p.is_array ? "b8[]" : ptx::info(p.type).name, p.size_bytes);
}

std::string signature(const ptx::Program& program) {
  std::string text;
  for (size_t i = 0; i < program.params.size(); ++i)
    text += (text.empty() ? "" : ", ") + describe_parameter(program, i);
  return text.empty() ? "none" : text;
}

// The element type that a scalar takes where the launch file names none.
ElementType natural_type(const ptx::KernelParam& param, const std::string& text) {
  using ptx::Type;
  switch (param.type) {
    case Type::kF16:
      return ElementType::kF16;
    case Type::kBf16:
      return ElementType::kBf16;
    case Type::kF32:
      return ElementType::kF32;
    case Type::kF64:
      return ElementType::kF64;
    default:
      break;
  }
  // .b32 and .b64 parameters do not tell integers from floats; a point or an exponent does.
  const ptx::TypeKind kind = ptx::info(param.type).kind;
  const bool untyped = param.is_array || (kind != ptx::TypeKind::kSigned && kind != ptx::TypeKind::kUnsigned);
  const bool real = untyped && !is_integer_text(text);
  const bool sign = ptx::is_signed(param.type);
  switch (param.size_bytes) {
    case 1:
      return sign ? ElementType::kS8 : ElementType::kU8;
    case 2:
      return real ? ElementType::kF16 : sign ? ElementType::kS16 : ElementType::kU16;
    case 4:
      return real ? ElementType::kF32 : sign ? ElementType::kS32 : ElementType::kU32;
    default:
      return real ? ElementType::kF64 : sign ? ElementType::kS64 : ElementType::kU64;
  }
}

bool is_real(ElementType type) {
  return type == ElementType::kF16 || type == ElementType::kBf16 || type == ElementType::kF32 ||
         type == ElementType::kF64;
}

[[noreturn]] void misfit(const ArgSpec& arg, ElementType type) {
  throw Error(ErrorKind::kInput, fmt::format("'{}' is not a number of type {}", arg.text, info(type).name),
              arg.where);
}

// Integers of any sign that fit the width either way: -1 and 0xffffffff are both a u32.
void store_integer(const ArgSpec& arg, ElementType type, uint8_t* out) {
  const unsigned bits = static_cast<unsigned>(bytes_of(type)) * 8;
  uint64_t value = 0;
  if (int64_t small = 0; parse_integer(arg.text, small)) {
    value = static_cast<uint64_t>(small);
    const int64_t low = bits == 64 ? INT64_MIN : -(int64_t{1} << (bits - 1));
    const int64_t high = bits == 64 ? INT64_MAX : (int64_t{1} << bits) - 1;
    if (small < low || small > high) misfit(arg, type);
  } else {
    const char* end = arg.text.data() + arg.text.size();
    const auto [at, error] = std::from_chars(arg.text.data(), end, value);
    if (error != std::errc() || at != end || bits != 64) misfit(arg, type);
  }
  std::memcpy(out, &value, bytes_of(type));
}

constexpr size_t kTensorMapAlign = 64;  // of CUtensorMap (cuda.h)

// Bytes of one argument, and how a structure that holds it aligns it.
struct Packed {
  std::vector<uint8_t> bytes;
  size_t align = 1;
};

struct Packer {
  const std::vector<uint64_t>& addresses;
  const std::vector<PlacedTensorMap>& maps;
  const std::vector<PlacedTexture>& textures;

  Packed argument(const ArgSpec& arg, const ptx::KernelParam& param) const {
    switch (arg.kind) {
      case ArgSpec::Kind::kBuffer:
        return of(addresses[arg.buffer] + static_cast<uint64_t>(arg.offset));
      case ArgSpec::Kind::kTexture:
        return of(textures[arg.buffer].handle);
      case ArgSpec::Kind::kTensorMap:
        if (param.size_bytes == sizeof maps[arg.buffer].address) return of(maps[arg.buffer].address);
        return of(maps[arg.buffer].map, kTensorMapAlign);
      case ArgSpec::Kind::kBytes:
        return {arg.bytes, 1};
      case ArgSpec::Kind::kStruct:
        return structure(arg);
      case ArgSpec::Kind::kScalar:
        break;
    }
    std::vector<uint8_t> bytes = scalar_bytes(arg, param);
    const size_t align = bytes.size();
    return {std::move(bytes), align};
  }

 private:
  template <class T>
  static Packed of(const T& value, size_t align = alignof(T)) {
    Packed p{std::vector<uint8_t>(sizeof value), align};
    std::memcpy(p.bytes.data(), &value, sizeof value);
    return p;
  }

  // Fields at multiples of their alignment, and the whole a multiple of the largest, as C++ lays out a plain
  // structure.
  Packed structure(const ArgSpec& arg) const {
    Packed whole;
    for (const ArgSpec& field : arg.fields) {
      if (field.kind == ArgSpec::Kind::kScalar && field.type.empty())
        throw Error(ErrorKind::kInput, "a number in a structure needs its type", field.where,
                    "{s32: " + field.text + "}, or {f32: " + field.text + "}");
      const Packed part = argument(field, {});
      whole.align = std::max(whole.align, part.align);
      whole.bytes.resize((whole.bytes.size() + part.align - 1) / part.align * part.align);
      whole.bytes.insert(whole.bytes.end(), part.bytes.begin(), part.bytes.end());
    }
    whole.bytes.resize((whole.bytes.size() + whole.align - 1) / whole.align * whole.align);
    return whole;
  }
};

}  // namespace

std::vector<std::string> parameter_labels(const ptx::Program& program) {
  std::vector<std::string> labels = parameter_types(program.name);
  if (labels.size() == program.params.size()) return labels;
  labels.clear();
  for (const ptx::KernelParam& p : program.params) labels.push_back(p.name);
  return labels;
}

std::vector<uint8_t> scalar_bytes(const ArgSpec& arg, const ptx::KernelParam& param) {
  ElementType type = natural_type(param, arg.text);
  if (!arg.type.empty() && !element_type_named(arg.type, type))
    throw Error(ErrorKind::kInput, "unknown type '" + arg.type + "'", arg.where,
                "such as int, unsigned, long, float, double, __half, or u8 to f64");
  std::vector<uint8_t> bytes(bytes_of(type));
  if (is_real(type)) {
    double value = 0;
    if (!parse_number(arg.text, value)) misfit(arg, type);
    store_element(type, value, bytes.data());
  } else {
    store_integer(arg, type, bytes.data());
  }
  return bytes;
}

std::vector<uint8_t> pack_arguments(const ptx::Program& program, const LaunchSpec& launch,
                                    const std::vector<uint64_t>& addresses,
                                    const std::vector<PlacedTensorMap>& maps,
                                    const std::vector<PlacedTexture>& textures) {
  if (launch.args.size() != program.params.size())
    throw Error(
        ErrorKind::kInput,
        fmt::format("kernel '{}' takes {} argument{}, but the launch gives {}", short_name(program.name),
                    program.params.size(), program.params.size() == 1 ? "" : "s", launch.args.size()),
        launch.where,
        "its parameters: " + signature(program) +
            (launch.argument_hint.empty() ? "" : "; " + launch.argument_hint));
  std::vector<uint8_t> buffer(program.param_bytes, 0);
  const Packer packer{addresses, maps, textures};
  for (size_t i = 0; i < launch.args.size(); ++i) {
    const ArgSpec& arg = launch.args[i];
    const ptx::KernelParam& param = program.params[i];
    std::vector<uint8_t> bytes = packer.argument(arg, param).bytes;
    if (bytes.size() != param.size_bytes)
      throw Error(ErrorKind::kInput,
                  fmt::format("argument {} has {} bytes, but the parameter is {}", i, bytes.size(),
                              describe_parameter(program, i)),
                  arg.where, "parameters of '" + short_name(program.name) + "': " + signature(program));
    for (const PatchSpec& patch : launch.patches)
      if (patch.target == i) apply_patch(patch, addresses, maps, bytes);
    std::memcpy(buffer.data() + param.offset, bytes.data(), bytes.size());
  }
  return buffer;
}

}  // namespace gpuloom::sim
