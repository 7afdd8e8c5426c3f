// SPDX-License-Identifier: Apache-2.0
#include "ptx/exec/syscalls.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string>

#include "ptx/exec/call_arguments.h"
#include "ptx/exec/device_runtime.h"

namespace gpuloom::ptx {
namespace {

// One conversion of a format, given its text without length modifiers ("%-8.3" and "d").
template <class T>
std::string formatted(const std::string& spec, T value) {
  std::array<char, 512> text;
  const int n = std::snprintf(text.data(), text.size(), spec.c_str(), value);
  return std::string(text.data(), static_cast<size_t>(std::clamp(n, 0, int(text.size()) - 1)));
}

// The argument buffer of vprintf holds the values as C passes them to a variadic function, each aligned to
// its size (CUDA C++ Programming Guide, formatted output).
class Format {
 public:
  Format(const CallArguments& call, uint64_t buffer) : call_(call), buffer_(buffer) {}

  std::string run(const std::string& format) {
    std::string out;
    for (size_t k = 0; k < format.size(); ++k) {
      if (format[k] != '%') {
        out += format[k];
        continue;
      }
      k = conversion(format, k + 1, out);
    }
    return out;
  }
  int conversions() const { return conversions_; }

 private:
  template <class T>
  T next() {
    offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value{};
    call_.read(buffer_ + offset_, &value, sizeof value);
    offset_ += sizeof value;
    return value;
  }

  // Handles what stands at `k`, behind a %; returns the index of its last character.
  size_t conversion(const std::string& format, size_t k, std::string& out) {
    if (k < format.size() && format[k] == '%') {
      out += '%';
      return k;
    }
    std::string spec = "%";
    while (k < format.size() && std::strchr("-+ #0123456789.*", format[k]) != nullptr) {
      if (format[k] == '*')
        spec += std::to_string(next<int32_t>());
      else
        spec += format[k];
      ++k;
    }
    bool wide = false;
    for (; k < format.size() && std::strchr("hlzjt", format[k]) != nullptr; ++k)
      wide = wide || format[k] != 'h';
    if (k >= format.size()) {
      out += spec;
      return k;
    }
    ++conversions_;
    const char type = format[k];
    switch (type) {
      case 'd':
      case 'i':
        out += wide ? formatted(spec + "lld", static_cast<long long>(next<int64_t>()))
                    : formatted(spec + "d", next<int32_t>());
        break;
      case 'u':
      case 'x':
      case 'X':
      case 'o':
        out += wide ? formatted(spec + "ll" + type, static_cast<unsigned long long>(next<uint64_t>()))
                    : formatted(spec + type, next<uint32_t>());
        break;
      case 'c':
        out += formatted(spec + 'c', next<int32_t>());
        break;
      case 'p':
        out += formatted("%#llx", static_cast<unsigned long long>(next<uint64_t>()));
        break;
      case 's':
        out += formatted(spec + 's', call_.text(next<uint64_t>()).c_str());
        break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        out += formatted(spec + type, next<double>());
        break;
      default:
        out += spec + type;  // printed as it stands, like CUDA does
    }
    return k;
  }

  const CallArguments& call_;
  uint64_t buffer_;
  uint64_t offset_ = 0;
  int conversions_ = 0;
};

// int vprintf(const char* format, void* arguments)
void do_vprintf(CallArguments& call) {
  Format format(call, call.get(1));
  const std::string text = format.run(call.text(call.get(0)));
  if (call.warp().launch->print) call.warp().launch->print(text);
  call.result(static_cast<uint64_t>(format.conversions()));
}

// void __assertfail(const char* message, const char* file, unsigned line, const char* function, size_t
// char_size)
void do_assertfail(CallArguments& call) {
  fault(call.warp(), call.instr(), call.lane(), FaultKind::kAssert,
        "failed the assertion `" + call.text(call.get(0)) + "` at " + call.text(call.get(1)) + ":" +
            std::to_string(call.get(2)) + " in " + call.text(call.get(3)));
}

// void* malloc(size_t), void free(void*)
void do_malloc(CallArguments& call) {
  if (!call.warp().launch->heap_allocate)
    fault(call.warp(), call.instr(), call.lane(), FaultKind::kIllegal,
          "calls malloc, but the launch has no device heap");
  call.result(call.warp().launch->heap_allocate(call.get(0)));
}
void do_free(CallArguments& call) {
  const uint64_t address = call.get(0);
  if (address == 0) return;
  const Launch& launch = *call.warp().launch;
  if (!launch.heap_free || !launch.heap_free(address)) {
    const std::string near = launch.memory ? launch.memory->describe(address, 1) : std::string();
    fault(call.warp(), call.instr(), call.lane(), FaultKind::kIllegal,
          "frees address " + formatted("%#llx", static_cast<unsigned long long>(address)) +
              ", which malloc did not give or free has taken back" + (near.empty() ? "" : ": " + near));
  }
  call.warp().global_low = 1;  // the allocation hit last may be gone
  call.warp().global_high = 0;
}

struct External {
  std::string_view name;
  void (*fn)(CallArguments&);
};
constexpr External kExternals[] = {
    {"vprintf", do_vprintf}, {"__assertfail", do_assertfail}, {"malloc", do_malloc}, {"free", do_free}};

}  // namespace

bool is_external_function(std::string_view name) {
  return std::any_of(std::begin(kExternals), std::end(kExternals),
                     [&](const External& e) { return e.name == name; }) ||
         device_runtime_function(name) != nullptr;
}

void call_external(Warp& w, const Instr& in, uint32_t lanes, const CallSite& site) {
  void (*function)(CallArguments&) = device_runtime_function(site.external);
  for (const External& e : kExternals)
    if (e.name == site.external) function = e.fn;
  if (function != nullptr) {
    for_lanes(lanes, [&](unsigned lane) {
      CallArguments call(w, in, site, lane);
      function(call);
    });
    return;
  }
  fault(w, in, static_cast<unsigned>(std::countr_zero(lanes)), FaultKind::kIllegal,
        "calls '" + site.external + "', which gpuloom does not provide");
}

}  // namespace gpuloom::ptx
