// SPDX-License-Identifier: Apache-2.0
// Functions and calls: parameters of every size, functions that others call too.
#include "tests/fuzz/kernels/writer.h"

namespace gpuloom::fuzz {

using ptx::Type;

namespace {

std::string param_of(Type type, const std::string& name) {
  if (type == Type::kB128) return ".param .align 16 .b8 " + name + "[16]";
  return ".param ." + std::string(ptx::info(type).name) + " " + name;
}

}  // namespace

// A new function in front of the kernel. Its statements use its parameters and what it makes of them.
void Writer::new_function() {
  static const std::vector<Type> types = {Type::kB32, Type::kB32, Type::kB64,
                                          Type::kF32, Type::kF64, Type::kB128};
  Callable f;
  f.name = "f$_" + std::to_string(functions_.size());
  f.result = types[rng_.below(types.size())];
  const unsigned count = 1 + rng_.below(4);
  for (unsigned k = 0; k < count; ++k) f.parameters.push_back(types[rng_.below(types.size())]);
  Statement text;
  text.role = Role::kInitial;
  text.defines = {f.name};
  text.text = ".func (" + param_of(f.result, f.name + "_r") + ") " + f.name + "(";
  for (unsigned k = 0; k < count; ++k)
    text.text += (k > 0 ? ", " : "") + param_of(f.parameters[k], f.name + "_" + std::to_string(k));
  text.text += ")";
  std::vector<Visible> visible = std::exchange(visible_, {});
  std::vector<Region> regions = std::exchange(regions_, {});
  const Place place = std::exchange(place_, Place{});
  place_.block_together = place_.warp_together = false;
  place_.in_function = true;
  place_.depth = 1;
  aside(text.parts, [&] { function_body(f); });
  visible_ = std::move(visible);
  regions_ = std::move(regions);
  place_ = place;
  kernel_.module.push_back(std::move(text));
  functions_.push_back(std::move(f));
}

void Writer::function_body(const Callable& f) {
  for (unsigned k = 0; k < f.parameters.size(); ++k) {
    const Type type = f.parameters[k];
    const std::string from = ", [" + f.name + "_" + std::to_string(k) + "];";
    if (type == Type::kB128) {
      const std::string a = fresh("%rd"), b = fresh("%rd");
      initial("ld.param.v2.b64 {" + a + ", " + b + "}" + from, {a, b});
      show(a);
      show(b);
      continue;
    }
    const std::string a = fresh(type == Type::kF32 ? "%f" : classes(type)[0]);
    initial("ld.param." + std::string(ptx::info(type).name) + " " + a + from, {a});
    show(a);
  }
  static const std::vector<std::pair<Type, std::string>> kinds = {
      {Type::kB32, "%r"}, {Type::kB64, "%rd"}, {Type::kB16, "%rs"}, {Type::kF32, "%f"}, {Type::kF64, "%fd"}};
  for (const auto& [type, letters] : kinds) {
    const std::string a = fresh(letters);
    initial("mov." + std::string(ptx::info(type).name) + " " + a + ", " + immediate(type) + ";", {a});
    show(a);
  }
  const std::string p = fresh("%p");
  initial("setp.lt.s32 " + p + ", " + reg(Type::kS32) + ", " + std::to_string(rng_.below(100)) + ";", {p});
  show(p);
  const unsigned count = 2 + rng_.below(6);
  for (unsigned k = 0; k < count; ++k) {
    const uint32_t dice = rng_.below(100);
    if (dice < 70) {
      plain();
    } else if (dice < 80) {
      pack();
    } else if (dice < 88) {
      branch(3);
    } else if (dice < 92) {
      loop(2);
    } else if (!functions_.empty()) {
      call();
    }
  }
  const std::string to = "[" + f.name + "_r";
  if (f.result == Type::kB128) {
    fixed("st.param.v2.b64 " + to + "], {" + reg_of({"%rd"}) + ", " + reg_of({"%rd"}) + "};");
  } else {
    fixed("st.param." + std::string(ptx::info(f.result).name) + " " + to + "+0], " + reg(f.result) + ";");
  }
  fixed("ret;");
}

void Writer::call() {
  if (!place_.in_function && (functions_.empty() || (functions_.size() < 3 && rng_.chance(40))))
    new_function();
  if (functions_.empty()) return;
  const Callable f = rng_.pick(functions_);
  std::string text = "{\n  ", list;
  for (unsigned k = 0; k < f.parameters.size(); ++k) {
    const Type type = f.parameters[k];
    const std::string name = "param" + std::to_string(k);
    text += param_of(type, name) + ";\n  ";
    if (type == Type::kB128) {
      text += "st.param.v2.b64 [" + name + "], {" + reg_of({"%rd"}) + ", " + reg_of({"%rd"}) + "};\n  ";
    } else {
      const std::string from = source(type, false);
      if (from.empty()) return;
      text += "st.param." + std::string(ptx::info(type).name) + " [" + name + "+0], " + from + ";\n  ";
    }
    list += (k > 0 ? ", " : "") + name;
  }
  std::vector<std::string> defined;
  text += param_of(f.result, "retval0") + ";\n  ";
  if (rng_.chance(12)) {
    const std::string to = fresh("%pt"), prototype = label();
    defined.push_back(to);
    text += "mov.u64 " + to + ", " + f.name + ";\n  " + prototype + ": .callprototype (" +
            param_of(f.result, "_") + ") _ (";
    for (size_t k = 0; k < f.parameters.size(); ++k)
      text += (k > 0 ? ", " : "") + param_of(f.parameters[k], "_");
    text += ");\n  call (retval0), " + to + ", (" + list + "), " + prototype + ";\n  ";
  } else {
    text += "call" + rng_.pick({"", ".uni"}) + " (retval0), " + f.name + ", (" + list + ");\n  ";
  }
  if (f.result == Type::kB128) {
    const std::string a = fresh("%rd"), b = fresh("%rd");
    defined.insert(defined.end(), {a, b});
    text += "ld.param.v2.b64 {" + a + ", " + b + "}, [retval0];\n  }";
  } else {
    text += "ld.param." + std::string(ptx::info(f.result).name) + " " + destination(f.result, defined) +
            ", [retval0+0];\n  }";
  }
  line(text, defined);
  for (const std::string& name : defined)
    if (class_of(name) != "%pt") show(name);
}

}  // namespace gpuloom::fuzz
