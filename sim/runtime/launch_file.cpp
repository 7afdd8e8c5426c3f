// SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/launch_file.h"

#include <algorithm>
#include <charconv>

#include "base/config/config.h"
#include "base/config/units.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/frontend/content.h"
#include "sim/memory/files.h"
#include "sim/runtime/launch_buffer.h"
#include "sim/runtime/launch_values.h"
#include "sim/runtime/symbols.h"

namespace gpuloom::sim {
namespace {

// Reads one launch file; problems collect in the Config and check() throws them together.
class Reader {
 public:
  Reader(const ConfigView& root, LaunchFile& out) : root_(root), out_(out) {}

  void read() {
    if (root_.has("ptx") || !root_.has("module")) {
      out_.ptx = located(root_.text("ptx"));
    } else {
      out_.ptx = located("ptx/" + root_.text("module") + ".ptx");
    }
    if (root_.has("name")) out_.name = root_.text("name");
    if (root_.has("about")) root_.text("about");
    if (root_.has("config")) out_.config = root_.text("config");
    if (root_.has("contract")) out_.contract = root_.boolean("contract");
    if (root_.has("compiler_arguments"))
      for (const ConfigView& word : root_.items("compiler_arguments"))
        out_.compiler_arguments.push_back(word.text(kSelf));
    if (root_.has("link"))
      for (const ConfigView& path : root_.items("link")) out_.link.push_back(located(path.text(kSelf)));
    if (root_.has("limits")) {
      const ConfigView limits = root_.child("limits");
      if (limits.has("stack")) out_.stack_limit = amount(limits, "stack");
      if (limits.has("heap")) out_.heap_limit = amount(limits, "heap");
    }
    if (root_.has("devices")) {
      out_.devices = root_.count("devices", 1, DeviceMemory::kMostDevices);
      if (!root_.has("program")) root_.problem("devices", "has an effect only in a `program`");
    }
    if (root_.has("buffers"))
      for (const auto& [name, view] : root_.children("buffers")) buffer(name, view);
    if (root_.has("symbols"))
      for (const auto& [name, view] : root_.children("symbols")) symbol(name, view);
    if (root_.has("tensor_maps"))
      for (const auto& [name, view] : root_.children("tensor_maps")) tensor_map(name, view);
    for (const bool surface : {false, true})
      if (const char* key = surface ? "surfaces" : "textures"; root_.has(key))
        for (const auto& [name, view] : root_.children(key)) texture(name, view, surface);
    if (root_.has("program")) {
      program();
    } else if (root_.has("launches")) {
      for (const ConfigView& view : root_.items("launches")) launch(view);
      if (out_.launches.empty() && root_.sound("launches"))
        root_.problem("launches", "names no launch", "launches: [{kernel: k, grid: 1, block: 32}]");
    } else {
      launch(root_);
    }
    read_patches(root_, out_);
    if (root_.has("verify"))
      for (const ConfigView& view : root_.items("verify")) verify(view);
  }

 private:
  // The launches of its steps are the file's, in their order.
  void program() {
    for (const char* other : {"launches", "kernel"})
      if (root_.has(other)) root_.problem(other, "a file has a `program` or launches, not both");
    const ProgramContext context{
        [this](const ConfigView& view) {
          launch(view, true);
          if (view.node()->find("repeat") != nullptr)
            view.problem("repeat", "is a step of a program: {repeat: 4, steps: [...]}");
          return out_.launches.size() - 1;
        },
        [this](const ConfigView& view, const char* key) { return buffer_named(view, key); }, out_.buffers,
        out_.devices};
    read_program(root_, context, out_.program);
    for (const NamedTexture& t : out_.textures)
      if (out_.buffers[t.buffer].host != HostSide::kNone)
        root_.problem("textures", "'" + t.name + "' is of a buffer with a host side, which has no data yet");
  }

  std::string located(const std::string& path) const { return launch_path(path, out_.folder); }

  void buffer(const std::string& name, const ConfigView& view) {
    if (find(name) != SIZE_MAX) view.problem("", "a second buffer named '" + name + "'");
    out_.buffers.push_back(read_buffer(name, view, out_.folder));
    if (view.node()->find("host") != nullptr)
      out_.buffers.back().host = read_host_side(view, root_.has("program"));
    if (view.node()->find("device") != nullptr) out_.buffers.back().device = read_device(view, out_.devices);
  }

  void symbol(const std::string& name, const ConfigView& view) {
    if (view.node()->is_scalar() || !view.has("buffer")) {
      out_.symbols.push_back(read_symbol(name, view, out_.folder));
      return;
    }
    SymbolSpec s;
    s.data.name = name;
    s.data.where = view.where();
    s.buffer = buffer_named(view, "buffer");
    s.set = true;
    if (view.has("offset")) s.buffer_offset = view.integer("offset");
    out_.symbols.push_back(std::move(s));
  }

  void tensor_map(const std::string& name, const ConfigView& view) {
    NamedTensorMap m;
    m.name = name;
    m.where = view.where();
    m.buffer = buffer_named(view, "buffer");
    if (out_.buffers.empty()) return;
    m.map = read_tensor_map(view, out_.buffers[m.buffer]);
    if (find(name) != SIZE_MAX || find_map(name) != SIZE_MAX)
      view.problem("", "a second buffer or tensor map named '" + name + "'");
    out_.tensor_maps.push_back(std::move(m));
  }

  size_t find(std::string_view name) const {
    for (size_t i = 0; i < out_.buffers.size(); ++i)
      if (out_.buffers[i].name == name) return i;
    return SIZE_MAX;
  }

  size_t buffer_named(const ConfigView& view, std::string_view key) {
    const std::string name = view.text(key);
    const size_t index = find(name);
    if (index != SIZE_MAX) return index;
    view.problem(key, "unknown buffer '" + name + "'", nearest_buffer(name));
    return 0;
  }

  std::string nearest_buffer(const std::string& name) const {
    std::vector<std::string> names;
    for (const BufferSpec& b : out_.buffers) names.push_back(b.name);
    return did_you_mean(name, names);
  }

  void texture(const std::string& name, const ConfigView& view, bool surface) {
    NamedTexture t;
    t.name = name;
    t.surface = surface;
    t.buffer = buffer_named(view, "buffer");
    if (out_.buffers.empty()) return;
    read_texture(view, out_.buffers[t.buffer].type, t);
    if (find(name) != SIZE_MAX || find_map(name) != SIZE_MAX || find_texture(name) != SIZE_MAX)
      view.problem("", "a second buffer, tensor map or texture named '" + name + "'");
    out_.textures.push_back(std::move(t));
  }

  size_t find_texture(std::string_view name) const {
    for (size_t i = 0; i < out_.textures.size(); ++i)
      if (out_.textures[i].name == name) return i;
    return SIZE_MAX;
  }

  size_t find_map(std::string_view name) const {
    for (size_t i = 0; i < out_.tensor_maps.size(); ++i)
      if (out_.tensor_maps[i].name == name) return i;
    return SIZE_MAX;
  }

  void launch(const ConfigView& view, bool in_program = false) {
    LaunchSpec l;
    l.where = view.where("kernel");
    l.kernel = view.text("kernel");
    l.grid = launch_extents(view, "grid", 0);
    l.block = launch_extents(view, "block", 0);
    if (view.has("cluster")) {
      const ptx::Dim3 c = launch_extents(view, "cluster", 0);
      if (c.x != 0) l.cluster = ptx::Dim3{c.x, std::max(c.y, 1u), std::max(c.z, 1u)};
    }
    if (view.has("dynamic_shared"))
      l.dynamic_shared_bytes = static_cast<uint32_t>(amount(view, "dynamic_shared", UINT32_MAX));
    if (view.has("max_dynamic_shared"))
      l.max_dynamic_shared_bytes = static_cast<uint32_t>(amount(view, "max_dynamic_shared", UINT32_MAX));
    if (view.has("nonportable_cluster")) l.nonportable_cluster = view.boolean("nonportable_cluster");
    if (view.has("carveout")) {
      l.carveout_pct = view.count("carveout", 0, 100);
    }
    if (view.has("cooperative")) l.cooperative = view.boolean("cooperative");
    if (in_program && view.has("dependent")) l.dependent = view.boolean("dependent");
    if (!in_program && view.has("repeat")) l.repeat = view.count("repeat", 1);
    if (view.has("args"))
      for (const ConfigView& arg : view.items("args")) argument(arg, l);
    if (view.has("l2_window")) window(view.child("l2_window"), l);
    out_.launches.push_back(std::move(l));
  }

  void window(const ConfigView& view, LaunchSpec& l) {
    PolicyWindow w;
    l.window_buffer = buffer_named(view, "buffer");
    w.bytes = amount(view, "bytes");
    w.hit_ratio = view.number("hit_ratio", 0, 1);
    if (view.has("hit_prop"))
      w.hit_persisting = view.one_of("hit_prop", {"normal", "streaming", "persisting"}) == "persisting";
    if (view.has("miss_prop"))
      w.miss_streaming = view.one_of("miss_prop", {"normal", "streaming"}) == "streaming";
    if (view.has("set_aside")) w.set_aside_bytes = amount(view, "set_aside");
    l.window = w;
  }

  // `a` a buffer, a tensor map, a texture or a number, {u32: 7}, {type: s32, value: 7}, {bytes: "00ff"}, or a
  // buffer with its definition.
  void argument(const ConfigView& view, LaunchSpec& l) { l.args.push_back(argument_of(view)); }

  // `struct: [a, {f32: 1.5}, {s32: [1, 2]}]`: fields in order, each an argument.
  std::vector<ArgSpec> fields(const ConfigView& view) {
    std::vector<ArgSpec> list;
    for (const ConfigView& field : view.items("struct")) list.push_back(argument_of(field));
    return list;
  }

  // `{f32: [1, 2]}`: an array within a structure.
  static void elements(const ConfigView& view, const std::string& type, ArgSpec& a) {
    a.kind = ArgSpec::Kind::kStruct;
    for (const ConfigView& element : view.items(type)) {
      ArgSpec scalar;
      scalar.where = element.where();
      scalar.type = type;
      scalar.text = element.text(kSelf);
      a.fields.push_back(std::move(scalar));
    }
  }

  ArgSpec argument_of(const ConfigView& view) {
    ArgSpec a;
    a.where = view.where();
    if (view.node()->is_scalar()) {
      const std::string text = view.text(kSelf);
      if (const size_t index = find(text); index != SIZE_MAX) {
        a.kind = ArgSpec::Kind::kBuffer;
        a.buffer = index;
      } else if (const size_t map = find_map(text); map != SIZE_MAX) {
        a.kind = ArgSpec::Kind::kTensorMap;
        a.buffer = map;
      } else if (const size_t texture = find_texture(text); texture != SIZE_MAX) {
        a.kind = ArgSpec::Kind::kTexture;
        a.buffer = texture;
      } else if (double number = 0; parse_number(text, number) || is_integer_text(text)) {
        a.text = text;
      } else if (root_.sound("buffers")) {
        view.problem("", "'" + text + "' is neither a buffer nor a number", nearest_buffer(text));
      }
    } else if (view.has("buffer")) {
      a.kind = ArgSpec::Kind::kBuffer;
      if (view.has("init") || view.has("count")) {
        buffer(view.text("buffer"), view);
        a.buffer = out_.buffers.size() - 1;
      } else {
        a.buffer = buffer_named(view, "buffer");
      }
      if (view.has("offset")) a.offset = view.integer("offset");
      if (view.node()->find("part") != nullptr) {
        view.one_of("part", {"turn"});
        a.part = true;
        if (!root_.has("program"))
          view.problem("part", "works only in the steps of a repetition in a `program`");
      }
    } else if (view.has("bytes")) {
      a.kind = ArgSpec::Kind::kBytes;
      a.bytes = argument_bytes(view);
    } else if (view.has("struct")) {
      a.kind = ArgSpec::Kind::kStruct;
      a.fields = fields(view);
    } else if (view.has("value")) {
      a.type = view.text("type");
      a.text = view.text("value");
    } else {
      for (const ConfigNode& child : view.node()->children) {
        ElementType known{};
        if (!view.node()->is_map() || !element_type_named(child.key, known)) continue;
        a.type = child.key;
        if (child.is_list())
          elements(view, child.key, a);
        else
          a.text = view.text(child.key);
      }
      if (a.type.empty())
        view.problem(
            "", "is not an argument",
            "a buffer's name, a number, {u32: 7}, {bytes: \"00ff\"}, {struct: [a, {f32: 1}]} or {buffer: a, "
            "offset: 256}");
    }
    return a;
  }

  size_t symbol_named(const ConfigView& view) const {
    const std::string name = view.text("symbol");
    for (size_t i = 0; i < out_.symbols.size(); ++i)
      if (out_.symbols[i].data.name == name) return i;
    view.problem("symbol", "'" + name + "' is not among the symbols of this file");
    return 0;
  }

  void verify(const ConfigView& view) {
    VerifySpec v;
    v.where = view.where();
    v.symbol = view.has("symbol");
    v.buffer = v.symbol ? symbol_named(view) : buffer_named(view, "buffer");
    if (view.has("fnv1a64")) {
      const std::string text = view.text("fnv1a64");
      uint64_t hash = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), hash, 16);
      if (error != std::errc() || end != text.data() + text.size())
        view.problem("fnv1a64", "expected 16 hexadecimal digits in quotes");
      v.fnv1a = hash;
    } else {
      v.against = located(view.text("against"));
    }
    if (view.has("rtol")) v.rtol = view.number("rtol", 0);
    if (view.has("atol")) v.atol = view.number("atol", 0);
    out_.verify.push_back(std::move(v));
  }

  const ConfigView& root_;
  LaunchFile& out_;
};

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

}  // namespace

uint64_t BufferSpec::count() const {
  uint64_t n = shape.empty() ? 0 : 1;
  for (const uint64_t extent : shape) n *= extent;
  return n;
}

LaunchFile parse_launch_file(std::string_view text, const std::string& path) {
  return launch_file_of(Config::parse(text, path), path);
}

LaunchFile launch_file_of(const Config& config, const std::string& path) {
  LaunchFile out;
  out.path = path;
  out.folder = folder_of(path);
  out.tree = config.tree();
  const ConfigView root = config.root();
  Reader(root, out).read();
  config.check({"the launch file", "'gpuloom config schema launch' prints the keys of launch files"});
  return out;
}

LaunchFile read_launch_file(const std::string& path) {
  const std::string text = read_file(path);
  if (frontend::holds_kernels(frontend::content_of(text, path)))
    throw Error(ErrorKind::kInput, "'" + path + "' holds kernels and is not a launch file", {},
                "a launch file is YAML with ptx, kernel, grid, block and args");
  return parse_launch_file(text, path);
}

}  // namespace gpuloom::sim
