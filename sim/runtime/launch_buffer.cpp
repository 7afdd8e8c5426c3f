// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/launch_buffer.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/config/config.h"
#include "base/config/units.h"
#include "base/text.h"
#include "sim/memory/array_file.h"

namespace gpuloom::sim {
namespace {

// Of a buffer: more than the memory of any GPU holds.
constexpr int64_t kMostElements = int64_t{1} << 40;

void fill_kind(const ConfigView& view, std::string_view key, std::string kind, BufferSpec& b) {
  if (kind == "none") {  // as cudaMalloc leaves it: zeros here, which a program must not count on
    b.initialised = false;
    return;
  }
  if (kind == "random") {
    const bool real = info(b.type).name[0] == 'f' || b.type == ElementType::kBf16;
    kind = real ? "uniform" : "raw";
  }
  if (fill_named(kind, b.fill.kind)) return;
  std::vector<std::string> known = fill_names();
  known.insert(known.end(), {"random", "none", "{file: path}"});
  view.problem(key, "'" + kind + "' is not a generator", "expected " + either(known));
}

// `init: uniform` with seed and param beside it, `init: {uniform: {seed: 1}}`, or `init: {file: a.npy}`.
void init(const ConfigView& view, const std::string& folder, BufferSpec& b) {
  if (view.has("seed")) b.fill.seed = static_cast<uint64_t>(view.integer("seed", 0));
  if (view.has("param")) b.fill.param = static_cast<uint64_t>(view.integer("param", 0));
  if (!view.has("init")) return;
  b.initialised = true;
  const ConfigNode* node = view.node()->find("init");
  if (node->is_scalar()) return fill_kind(view, "init", view.text("init"), b);
  const ConfigView inner = view.child("init");
  if (inner.has("file")) {
    b.file = launch_path(inner.text("file"), folder);
    if (inner.has("array")) b.file += ":" + inner.text("array");
    return;
  }
  for (const auto& [kind, options] : view.children("init")) {
    fill_kind(view, "init", kind, b);
    if (options.has("seed")) b.fill.seed = static_cast<uint64_t>(options.integer("seed", 0));
    if (options.has("param")) b.fill.param = static_cast<uint64_t>(options.integer("param", 0));
  }
}

// `values: [1, 2, 3]`, whose number is the count where none is said.
void values(const ConfigView& view, BufferSpec& b) {
  if (!view.has("values")) return;
  for (const ConfigView& value : view.items("values")) b.values.push_back(value.text(kSelf));
  b.initialised = true;
  if (b.shape.empty()) b.shape = {b.values.size()};
  if (!b.file.empty()) view.problem("values", "cannot be combined with a file");
  if (b.count() != b.values.size())
    view.problem("values",
                 fmt::format("there are {}, but the buffer has {} elements", b.values.size(), b.count()));
}

// A file gives what the launch file leaves open, and must agree with what it says.
void from_file(const ConfigView& view, BufferSpec& b, bool typed) {
  if (!is_array_file(b.file)) {
    if (!typed || b.shape.empty()) view.problem("", "raw data needs a type and a count or shape");
    return;
  }
  try {
    const NpyArray array = read_array(b.file);
    const bool same_width = bytes_of(array.type) == bytes_of(b.type);
    if (typed && !same_width)
      view.problem("",
                   fmt::format("'{}' holds {}, not {}", b.file, info(array.type).name, info(b.type).name));
    if (!typed) b.type = array.type;
    if (b.shape.empty()) b.shape = array.shape;
    if (b.count() != array.count())
      view.problem("", fmt::format("'{}' holds {} elements, not {}", b.file, array.count(), b.count()));
  } catch (const Error& error) {
    view.problem("", error.message());
  }
}

template <class T>
std::vector<T> list_of(const ConfigView& view, std::string_view key, int64_t min, int64_t max) {
  std::vector<T> out;
  if (view.has(key))
    for (const int64_t n : view.integers(key, min, max)) out.push_back(static_cast<T>(n));
  return out;
}

}  // namespace

std::string launch_path(const std::string& path, const std::string& folder) {
  return path.empty() || path[0] == '/' ? path : folder + path;
}

uint64_t amount(const ConfigView& view, std::string_view key, uint64_t most) {
  const ConfigNode* node = key.empty() ? view.node() : view.node()->find(key);
  int64_t plain = 0;
  if (node != nullptr && node->is_scalar() && parse_integer(node->scalar, plain))
    return static_cast<uint64_t>(view.integer(key, 0, static_cast<int64_t>(most)));
  return view.size_bytes(key, 0, most);
}

std::vector<std::string> element_type_names_and_aliases() {
  std::vector<std::string> names = element_type_names();
  for (const char* alias : {"i8", "i16", "i32", "i64", "float", "double", "int", "unsigned", "half", "bool"})
    names.emplace_back(alias);
  return names;
}

BufferSpec read_buffer(const std::string& name, const ConfigView& view, const std::string& folder,
                       Sizes sizes) {
  BufferSpec b;
  b.name = name;
  b.where = view.where();
  const std::string_view type_key = !view.has("type") && view.has("dtype") ? "dtype" : "type";
  const bool typed = view.has(type_key);
  const bool known = !typed || element_type_named(view.text(type_key), b.type);
  if (!known) {
    const std::string near = did_you_mean(view.text(type_key), element_type_names_and_aliases());
    view.problem(type_key, "'" + view.text(type_key) + "' is not an element type",
                 near.empty() ? "expected " + either(element_type_names()) + ", or one of C's names" : near);
  }
  if (view.has("shape")) {
    for (const int64_t n : view.integers("shape", 0, kMostElements))
      b.shape.push_back(static_cast<uint64_t>(n));
  } else if (view.has("count")) {
    b.shape.push_back(static_cast<uint64_t>(view.integer("count", 0, kMostElements)));
  }
  if (uint64_t n = 1; std::any_of(b.shape.begin(), b.shape.end(), [&](uint64_t extent) {
        if (extent > static_cast<uint64_t>(kMostElements) / n) return true;
        n *= std::max<uint64_t>(extent, 1);
        return false;
      })) {
    view.problem("shape", fmt::format("has more than {} elements", kMostElements));
    b.shape = {0};
  }
  init(view, folder, b);
  values(view, b);
  const bool said = sizes == Sizes::kSaid;
  if (said && b.file.empty() && !typed) view.problem("", "needs a type", "type: f32");
  if (said && b.file.empty() && b.shape.empty()) view.problem("", "needs a count or a shape", "count: 1024");
  if (view.has("save")) b.save = launch_path(view.text("save"), folder);
  if (view.has("output")) b.output = view.boolean("output");
  if (view.has("address")) b.address = static_cast<uint64_t>(view.integer("address", 1));
  const std::string wrong = fill_problem(b.fill, b.type, b.count());
  if (known && b.file.empty() && typed && !wrong.empty()) view.problem("", wrong);
  if (known && !b.file.empty()) from_file(view, b, typed);
  return b;
}

TensorMapSpec read_tensor_map(const ConfigView& view, const BufferSpec& b) {
  TensorMapSpec map;
  const std::string type =
      view.has("type") ? view.one_of("type", tensor_element_names()) : std::string(info(b.type).name);
  if (!tensor_element_named(type, map.element)) view.problem("", "tensors of " + type + " do not exist");
  if (view.has("offset")) map.address = amount(view, "offset");
  map.dims = view.has("dims") ? list_of<uint64_t>(view, "dims", 1, int64_t{1} << 32)
                              : std::vector<uint64_t>(b.shape.rbegin(), b.shape.rend());
  map.strides = list_of<uint64_t>(view, "strides", 0, int64_t{1} << 40);
  map.element_strides = list_of<uint32_t>(view, "element_strides", 1, 8);
  map.im2col = view.has("channels");
  if (map.im2col) {
    map.channels = view.count("channels", 1, 256);
    map.pixels = view.count("pixels", 1, 1024);
    map.lower = list_of<int>(view, "lower", -32768, 32767);
    map.upper = list_of<int>(view, "upper", -32768, 32767);
  } else {
    map.box = list_of<uint32_t>(view, "box", 1, 256);
  }
  const auto choice = [&](const char* key, const std::vector<std::string>& names) -> size_t {
    if (!view.has(key)) return 0;
    const std::string word = view.one_of(key, names);
    return static_cast<size_t>(std::find(names.begin(), names.end(), word) - names.begin());
  };
  map.interleave = static_cast<ptx::TensorInterleave>(choice("interleave", {"none", "16B", "32B"}));
  map.swizzle = static_cast<ptx::TensorSwizzle>(choice("swizzle", {"none", "32B", "64B", "128B"}));
  map.fill = static_cast<ptx::TensorFill>(choice("oob_fill", {"zero", "nan"}));
  map.l2_promotion_bytes =
      static_cast<uint32_t>(choice("l2_promotion", {"none", "64B", "128B", "256B"}) * 64);
  return map;
}

}  // namespace gpuloom::sim
