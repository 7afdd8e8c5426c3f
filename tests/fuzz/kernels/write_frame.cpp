// SPDX-License-Identifier: Apache-2.0
// How a kernel begins and ends: parameters, addresses, first values of registers; what it leaves behind.
#include <cstring>

#include "tests/fuzz/kernels/writer.h"

namespace gpuloom::fuzz {

using ptx::Type;

namespace {

std::string list_of(Random& rng, unsigned count) {
  std::string text;
  for (unsigned k = 0; k < count; ++k)
    text += (k > 0 ? ", " : "") +
            std::to_string(rng.chance(40) ? rng.below(64) : static_cast<uint32_t>(rng.next()));
  return text;
}

template <class T>
void append(std::vector<uint8_t>& bytes, T value) {
  bytes.resize((bytes.size() + sizeof value - 1) / sizeof value * sizeof value);
  const auto* from = reinterpret_cast<const uint8_t*>(&value);
  bytes.insert(bytes.end(), from, from + sizeof value);
}

}  // namespace

void Writer::frame_begin() {
  parameters();
  thread_numbers();
  addresses();
  tables();
  first_values();
}

// (input, output, n, m, f, structure): n and m are small numbers that no compiler knows.
void Writer::parameters() {
  kernel_.parameters =
      ".param .u64 $_in, .param .u64 $_out, .param .u32 $_n, .param .u32 $_m, .param .f32 $_f, "
      ".param .align 16 .b8 $_s[64]";
  kernel_.arguments.clear();
  append<uint64_t>(kernel_.arguments, 0);
  append<uint64_t>(kernel_.arguments, 0);
  append<uint32_t>(kernel_.arguments, rng_.below(6));
  append<uint32_t>(kernel_.arguments, 1 + rng_.below(5));
  append<float>(kernel_.arguments, static_cast<float>(rng_.range(-8, 8)) / 4);
  kernel_.arguments.resize((kernel_.arguments.size() + 15) / 16 * 16);
  for (unsigned k = 0; k < 16; ++k)
    append<uint32_t>(kernel_.arguments, static_cast<uint32_t>(rng_.next()) >> rng_.below(30));
  kernel_.input_offset = rng_.below(64) * 256;
  regions_.push_back({"$_s", ".param", 64, false, false, false});
}

// %tx0: number of the thread in its block, %tx1: in the grid.
void Writer::thread_numbers() {
  const std::string x = fresh("%tx"), all = fresh("%tx");
  const bool flat = kernel_.block.y == 1;
  std::string text = "mov.u32 " + x + ", %tid.x;";
  if (!flat) {
    const std::string y = fresh("%tx"), n = fresh("%tx");
    text += "\n  mov.u32 " + y + ", %tid.y;\n  mov.u32 " + n + ", %ntid.x;\n  mad.lo.s32 " + x + ", " + y +
            ", " + n + ", " + x + ";";
  }
  const std::string block = fresh("%tx"), size = fresh("%tx");
  text += "\n  mov.u32 " + block + ", %ctaid.x;\n  ";
  if (flat && rng_.chance(60)) {
    text += "mov.u32 " + size + ", %ntid.x;\n  ";
  } else {
    text += "mov.u32 " + size + ", " + std::to_string(kernel_.block.x * kernel_.block.y) + ";\n  ";
  }
  text += "mad.lo.s32 " + all + ", " + block + ", " + size + ", " + x + ";";
  fixed(text, {x, all});
  show(x);
  show(all);
}

// %pt0: the input; %pt1: the thread's part of it; %pt2: its part of the output; %pt3: what all threads share.
void Writer::addresses() {
  const std::string in = fresh("%pt"), own_in = fresh("%pt"), slot = fresh("%pt"), shared = fresh("%pt"),
                    out = fresh("%pt"), step = fresh("%pt"), step_out = fresh("%pt");
  std::string text = "ld.param.u64 " + in + ", [$_in];\n  ld.param.u64 " + out + ", [$_out];\n  ";
  if (habit_ != Habit::kTriton)
    text += "cvta.to.global.u64 " + in + ", " + in + ";\n  cvta.to.global.u64 " + out + ", " + out + ";\n  ";
  text += "mul.wide.u32 " + step_out + ", %tx1, " + std::to_string(kSlotBytes) + ";\n  add.s64 " + slot +
          ", " + out + ", " + step_out + ";";
  fixed(text);
  initial("mul.wide.s32 " + step + ", %tx1, 64;\n  add.s64 " + own_in + ", " + in + ", " + step + ";",
          {own_in, step});
  initial("add.s64 " + shared + ", " + out + ", " + std::to_string(kMaxThreads * kSlotBytes) + ";", {shared});
  regions_.push_back({own_in, ".global", 4096, false, true, false});
  regions_.push_back({in, ".global", 16384, false, true, false});
  regions_.push_back({slot, ".global", kSlotBytes / 2, true, false, false});
  regions_.push_back({slot, ".global", kSlotBytes / 2, true, false, false});
  if (rng_.chance(40))
    regions_.push_back({rng_.chance(50) ? own_in : slot, "", kSlotBytes / 2, false, false, false});
  if (rng_.chance(habit_ == Habit::kTriton ? 40 : 10)) {
    policy_ = fresh("%pt");
    const std::string form = rng_.pick({"evict_first.b64 @, 1.0;", "evict_last.b64 @, 1.0;",
                                        "evict_last.L2::evict_unchanged.b64 @, 0.5;", "evict_normal.b64 @;"});
    const size_t at = form.find('@');
    initial("createpolicy.fractional.L2::" + form.substr(0, at) + policy_ + form.substr(at + 1), {policy_});
  }
}

void Writer::tables() {
  const auto variable = [&](const std::string& text, const std::string& name) {
    Statement s;
    s.text = text;
    s.role = Role::kInitial;
    s.defines = {name};
    kernel_.module.push_back(s);
  };
  variable(".global .align 16 .b32 zr$[4];", "zr$");  // zeros: see veiled()
  if (rng_.chance(40)) {
    variable(".const .align 16 .b32 ct$[64] = {" + list_of(rng_, 64) + "};", "ct$");
    regions_.push_back({"ct$", ".const", 256, false, true, false});
    if (rng_.chance(30)) {
      const std::string p = fresh("%pt");
      initial("mov.u64 " + p + ", ct$;\n  cvta.const.u64 " + p + ", " + p + ";", {p});
      regions_.push_back({p, "", 256, false, true, false});
    }
  }
  if (rng_.chance(30)) {
    variable(".global .align 16 .b32 gt$[32] = {" + list_of(rng_, 32) + "};", "gt$");
    regions_.push_back({"gt$", ".global", 128, false, false, false});
  }
  if (rng_.chance(35)) shared_slice();
  if (rng_.chance(30)) {
    const std::string p = fresh("%pt");
    initial("mov.b64 " + p + ", $_s;", {p});
    regions_.push_back({p, ".param", 64, false, false, false});
  }
}

// Each thread's own bytes of shared memory, by a 32-bit, a 64-bit and a generic address.
void Writer::shared_slice() {
  const uint32_t bytes = rng_.number({16, 32, 64});
  const uint32_t threads = static_cast<uint32_t>(kernel_.block.x * kernel_.block.y);
  Statement s;
  s.text = ".shared .align 16 .b8 own[" + std::to_string(bytes * threads) + "];";
  s.role = Role::kInitial;
  s.defines = {"own"};
  kernel_.variables.push_back(s);
  const std::string at = fresh("%tx"), start = fresh("%tx");
  std::string text = "mov.u32 " + start + ", own;\n  mad.lo.s32 " + at + ", %tx0, " + std::to_string(bytes) +
                     ", " + start + ";";
  for (uint32_t k = 0; k < bytes; k += 8)
    text += "\n  st.shared.v2.b32 [" + at + "+" + std::to_string(k) + "], {%tx0, " + std::to_string(k * 77) +
            "};";
  initial(text, {at, start});
  regions_.push_back({at, ".shared", bytes, true, false, true});
  if (rng_.chance(50)) return;
  const std::string wide = fresh("%pt");
  initial("cvt.u64.u32 " + wide + ", " + at + ";\n  cvta.shared.u64 " + wide + ", " + wide + ";", {wide});
  regions_.push_back({wide, "", bytes, true, false, false});
}

void Writer::first_values() {
  static const std::vector<std::pair<Type, std::string>> kinds = {
      {Type::kB32, "%r"}, {Type::kB64, "%rd"}, {Type::kB16, "%rs"}, {Type::kF32, "%f"}, {Type::kF64, "%fd"}};
  const auto value = [&](const std::string& name, Type type) {
    const std::string suffix = "." + std::string(ptx::info(type).name);
    const uint32_t bytes = ptx::bytes(type);
    const uint32_t dice = rng_.below(100);
    if (dice < 70) {
      initial("ld.global" + suffix + " " + name + ", [%pt1+" +
                  std::to_string(rng_.below(512 / bytes) * bytes) + "];",
              {name});
    } else if (dice < 80 && type == Type::kB32) {
      initial("ld.param.u32 " + name + ", [" + rng_.pick({"$_n", "$_m", "$_s+8"}) + "];", {name});
    } else {
      initial("mov" + suffix + " " + name + ", " + immediate(type) + ";", {name});
    }
    show(name);
  };
  for (const auto& [type, letters] : kinds) {
    const unsigned count = 2 + rng_.below(type == Type::kB32 ? 5 : 3);
    for (unsigned k = 0; k < count; ++k) value(fresh(letters), type);
  }
  if (habit_ == Habit::kHand) {
    value(fresh("%u"), Type::kU32);
    value(fresh("%s"), Type::kS32);
    value(fresh("%x"), Type::kS64);
    value(fresh("%w"), Type::kU16);
    initial("ld.global.b32 %hh0, [%pt1+96];", {fresh("%hh")});
    initial("ld.global.b16 %h0, [%pt1+98];", {fresh("%h")});
    show("%hh0");
    show("%h0");
  }
  for (unsigned k = 0; k < 3; ++k) {
    const std::string p = fresh("%p");
    initial("setp." + rng_.pick({"lt", "gt", "ne", "eq", "ge"}) + rng_.pick({".s32 ", ".u32 "}) + p + ", " +
                reg(Type::kS32) + ", " + source(Type::kS32) + ";",
            {p});
    show(p);
  }
}

// Every kind of value that is left goes to the thread's part of the output.
void Writer::frame_end() {
  uint32_t at = kSlotBytes / 2;
  for (auto v = visible_.rbegin(); v != visible_.rend() && at + 8 <= kSlotBytes; ++v) {
    const std::string place = "[%pt2+" + std::to_string(at) + "]";
    if (v->letters == "%p" || v->letters == "%pr") {
      const std::string word = fresh("%ms");
      line("selp.u32 " + word + ", 1, 0, " + v->name + ";\n  st.global.u32 " + place + ", " + word + ";");
    } else if (v->letters == "%rs" || v->letters == "%h" || v->letters == "%w") {
      line("st.global.b16 " + place + ", " + v->name + ";");
    } else if (v->letters == "%rd" || v->letters == "%fd" || v->letters == "%x") {
      at = (at + 7) / 8 * 8;
      line("st.global.b64 [%pt2+" + std::to_string(at) + "], " + v->name + ";");
      at += 4;
    } else if (v->letters == "%r" || v->letters == "%f" || v->letters == "%u" || v->letters == "%s" ||
               v->letters == "%hh" || v->letters == "%ms") {
      line("st.global.b32 " + place + ", " + v->name + ";");
    } else {
      continue;
    }
    at += 4;
  }
  fixed("ret;");
}

}  // namespace gpuloom::fuzz
