// SPDX-License-Identifier: Apache-2.0
#include "base/demangle.h"

#include "base/error.h"
#include "tests/catch2.h"

using namespace gpuloom;

TEST_CASE("C++ names are shown as people write them", "[demangle]") {
  CHECK(demangled("_Z5saxpyIfEvPT_PKS0_S0_i") == "void saxpy<float>(float*, float const*, float, int)");
  CHECK(short_name("_Z5saxpyIfEvPT_PKS0_S0_i") == "saxpy<float>");
  CHECK(short_name("_ZN2ns4coefE") == "ns::coef");
  CHECK(short_name("_ZN12_GLOBAL__N_13fooEi") == "(anonymous namespace)::foo");
  CHECK(short_name("plain_name") == "plain_name");
  CHECK(demangled("_Zbroken") == "_Zbroken");
  // static __global__ void fault(int*), compiled with -rdc=true
  CHECK(demangled("__nv_static_22__a7ac0bb9_5_st_cu_main__Z5faultPi") == "fault(int*)");
  CHECK(short_name("__nv_static_22__a7ac0bb9_5_st_cu_main__ZN33_GLOBAL__N__a7ac0bb9_5_st_cu_main5innerEPi") ==
        "(anonymous namespace)::inner");
  for (const char* other :
       {"__nv_static_", "__nv_static_x", "__nv_static_99999999999999999999__Z1fv",
        "__nv_static_18446744073709551615__Z1fv", "__nv_static_4__abc_", "__nv_static_4__abc_plain"})
    CHECK(demangled(other) == other);
}

TEST_CASE("Operators in template arguments are not brackets", "[demangle]") {
  // void f<signed char>(Array<signed char, size<signed char>::value>=(32)>*), as CUTLASS has it
  CHECK(short_name("_Z1fIaEvP5ArrayIT_Xgesr4sizeIS1_EE5valueLi32EEE") == "f<signed char>");
  // void g<4>(Box<(4)<<(1)>*)
  CHECK(short_name("_Z1gILi4EEvP3BoxIXlsT_Li1EEE") == "g<4>");
  CHECK(parameter_types("_Z1gILi4EEvP3BoxIXlsT_Li1EEEi").size() == 2);
}

TEST_CASE("A name stands for what it fits most exactly", "[demangle]") {
  const std::vector<std::string> names = {"_Z5saxpyIfEvPT_PKS0_S0_i", "_Z5saxpyIdEvPT_PKS0_S0_i",
                                          "_ZN2ns3fooEi", "foo"};
  using List = std::vector<size_t>;
  CHECK(names_meant("saxpy", names) == List{0, 1});
  CHECK(names_meant("saxpy<double>", names) == List{1});
  CHECK(names_meant("_Z5saxpyIfEvPT_PKS0_S0_i", names) == List{0});
  CHECK(names_meant("foo", names) == List{3});
  CHECK(names_meant("ns::foo", names) == List{2});
  CHECK(names_meant("regex:^void saxpy", names) == List{0, 1});
  CHECK(names_meant("regex:double", names) == List{1});
  CHECK(names_meant("axpy", names).empty());
  CHECK_THROWS_AS(names_meant("regex:(", names), Error);
}
