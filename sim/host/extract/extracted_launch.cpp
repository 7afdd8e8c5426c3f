// SPDX-License-Identifier: Apache-2.0
#include "sim/host/extract/extracted_launch.h"

#include <fmt/core.h>

#include <cmath>
#include <cstring>

#include "base/demangle.h"
#include "base/text.h"
#include "sim/runtime/pointer_use.h"

namespace gpuloom::host {
namespace {

template <class T>
T value_at(const std::vector<uint8_t>& params, uint32_t offset) {
  T value{};
  std::memcpy(&value, params.data() + offset, sizeof value);
  return value;
}

bool may_point(const ptx::KernelParam& p) { return !p.is_array && p.size_bytes == sizeof(uint64_t); }

const KeptMemory* holder_of(const ExtractedLaunch& launch, uint64_t address) {
  for (const KeptMemory& b : launch.buffers)
    if (address - b.address < b.bytes) return &b;
  return nullptr;
}

// .b32 and the like say the width alone.
bool element_of(ptx::Type type, sim::ElementType& element) {
  std::string name(ptx::info(type).name);
  if (name[0] == 'b' && name != "bf16") name[0] = 'u';
  return sim::element_type_named(name, element);
}

std::string hex(const uint8_t* bytes, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

template <class T>
std::string real(const char* type, T value, const std::string& otherwise) {
  return std::isfinite(value) ? fmt::format("{{{}: {}}}", type, value) : otherwise;
}

std::string argument(const ExtractedLaunch& launch, const ptx::KernelParam& p) {
  const std::vector<uint8_t>& params = launch.request.params;
  const std::string bytes = fmt::format("{{bytes: \"{}\"}}", hex(params.data() + p.offset, p.size_bytes));
  if (p.is_array) return bytes;
  if (may_point(p)) {
    const auto address = value_at<uint64_t>(params, p.offset);
    if (const KeptMemory* b = holder_of(launch, address); b != nullptr)
      return address == b->address ? b->name
                                   : fmt::format("{{buffer: {}, offset: {}}}", b->name, address - b->address);
  }
  if (p.type == ptx::Type::kF32) return real("f32", value_at<float>(params, p.offset), bytes);
  if (p.type == ptx::Type::kF64) return real("f64", value_at<double>(params, p.offset), bytes);
  const bool sign = ptx::is_signed(p.type);
  switch (p.size_bytes) {
    case 4:
      return sign ? fmt::format("{{s32: {}}}", value_at<int32_t>(params, p.offset))
                  : fmt::format("{{u32: {}}}", value_at<uint32_t>(params, p.offset));
    case 8:
      return sign ? fmt::format("{{s64: {}}}", value_at<int64_t>(params, p.offset))
                  : fmt::format("{{u64: {}}}", value_at<uint64_t>(params, p.offset));
    default:
      return bytes;
  }
}

std::string extents(const ptx::Dim3& d) { return fmt::format("[{}, {}, {}]", d.x, d.y, d.z); }

void add_window(const ExtractedLaunch& launch, std::string& out) {
  const auto& w = launch.request.window;
  const KeptMemory* b = w ? holder_of(launch, w->address) : nullptr;
  if (b == nullptr || b->address != w->address) return;  // a launch file's windows begin where a buffer does
  out += fmt::format(
      "l2_window: {{buffer: {}, bytes: {}, hit_ratio: {}, hit_prop: {}, miss_prop: {}, set_aside: {}}}\n",
      b->name, w->bytes, w->hit_ratio, w->hit_persisting ? "persisting" : "streaming",
      w->miss_streaming ? "streaming" : "normal", w->set_aside_bytes);
}

std::string launch_keys(const ExtractedLaunch& launch) {
  const sim::LaunchRequest& r = launch.request;
  std::string out = fmt::format("kernel: \"{}\"\ngrid: {}\nblock: {}\n", r.kernel->name(), extents(r.grid),
                                extents(r.block));
  if (r.cluster) out += fmt::format("cluster: {}\n", extents(*r.cluster));
  if (r.dynamic_shared_bytes != 0) out += fmt::format("dynamic_shared: {}\n", r.dynamic_shared_bytes);
  if (r.max_dynamic_shared_bytes) out += fmt::format("max_dynamic_shared: {}\n", *r.max_dynamic_shared_bytes);
  out += fmt::format("nonportable_cluster: {}\n", r.nonportable_cluster);
  if (r.carveout_pct) out += fmt::format("carveout: {}\n", *r.carveout_pct);
  if (r.cooperative) out += "cooperative: true\n";
  add_window(launch, out);
  out += "args:\n";
  for (const ptx::KernelParam& p : r.kernel->program->params)
    out += fmt::format("  - {}  # {}\n", argument(launch, p), p.name);
  return r.kernel->program->params.empty() ? out.substr(0, out.size() - 6) : out;
}

std::string memory_entry(const KeptMemory& m, bool buffer) {
  std::string keys;
  const auto add = [&](const std::string& key) { keys += (keys.empty() ? "" : ", ") + key; };
  if (m.placed) add(fmt::format("address: {:#x}", m.address));
  if (m.file.empty()) {
    if (buffer)
      add(fmt::format("type: {}, count: {}", sim::info(m.type).name, m.bytes / sim::bytes_of(m.type)));
    add("init: zero");
  } else {
    add(fmt::format("init: {{file: {}}}", m.file));
  }
  if (m.before != m.after) add("output: true");
  return fmt::format("  \"{}\": {{{}}}\n", m.name, keys);
}

}  // namespace

void infer_types(ExtractedLaunch& launch) {
  const ptx::Program& program = *launch.request.kernel->program;
  const ptx::Function* f = launch.request.kernel->module->module().find_function(program.name);
  std::vector<bool> pointers;
  for (const ptx::KernelParam& p : program.params)
    pointers.push_back(may_point(p) &&
                       holder_of(launch, value_at<uint64_t>(launch.request.params, p.offset)) != nullptr);
  if (f == nullptr || f->params.size() != pointers.size()) return;
  const std::vector<sim::PointerUse> uses = sim::pointer_uses(*f, pointers);
  for (size_t i = 0; i < uses.size(); ++i) {
    if (!pointers[i] || uses[i].accesses.empty()) continue;
    sim::ElementType type{}, other{};
    bool agree = element_of(uses[i].accesses[0].type, type);
    for (const sim::PointerAccess& a : uses[i].accesses)
      agree = agree && element_of(a.type, other) && other == type;
    const uint64_t at = value_at<uint64_t>(launch.request.params, program.params[i].offset);
    for (KeptMemory& b : launch.buffers)
      if (agree && at - b.address < b.bytes && b.bytes % sim::bytes_of(type) == 0) b.type = type;
  }
}

std::string launch_text(const ExtractedLaunch& launch) {
  std::string out =
      fmt::format("# {}\nabout: \"{}\"\nptx: {}\nconfig: \"{}\"\n", demangled(launch.request.kernel->name()),
                  launch.about, launch.module, launch.config);
  if (!launch.contract) out += "contract: false\n";
  if (launch.heap_bytes != 0) out += fmt::format("limits: {{heap: {}}}\n", launch.heap_bytes);
  out += launch_keys(launch);
  for (const bool buffer : {true, false}) {
    const std::vector<KeptMemory>& all = buffer ? launch.buffers : launch.variables;
    if (!all.empty()) out += buffer ? "buffers:\n" : "symbols:\n";
    for (const KeptMemory& m : all) out += memory_entry(m, buffer);
  }
  std::string checks;
  for (const bool buffer : {true, false})
    for (const KeptMemory& m : buffer ? launch.buffers : launch.variables)
      if (buffer || m.before != m.after)
        checks += fmt::format("  - {{{}: \"{}\", fnv1a64: \"{:016x}\"}}\n", buffer ? "buffer" : "symbol",
                              m.name, m.after);
  if (launch.verified && !checks.empty()) out += "verify:\n" + checks;
  return out;
}

}  // namespace gpuloom::host
