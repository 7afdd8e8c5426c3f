// SPDX-License-Identifier: Apache-2.0
// Which device is current, and who may reach whose memory.
#include "two.h"

CASE(first_device_is_current, "0") { say(current()); }
CASE(set_device_is_of_the_thread, "1 0") {
  DO(cudaSetDevice(1));
  say(current());
  DO(cudaSetDevice(0));
  say(current());
}
CASE(set_device_beyond_the_last, "InvalidDevice 0") {
  say(cudaSetDevice(99));
  say(current());
}
CASE(set_device_negative, "InvalidDevice") { say(cudaSetDevice(-1)); }
CASE(properties_of_both_agree, "yes") {
  cudaDeviceProp a{}, b{};
  DO(cudaGetDeviceProperties(&a, 0));
  DO(cudaGetDeviceProperties(&b, 1));
  say(a.multiProcessorCount == b.multiProcessorCount && a.major == b.major);
}
CASE(buses_of_both_differ, "yes") {
  char a[32] = "", b[32] = "";
  DO(cudaDeviceGetPCIBusId(a, sizeof a, 0));
  DO(cudaDeviceGetPCIBusId(b, sizeof b, 1));
  say(std::string(a) != b);
}
CASE(device_of_its_bus, "1") {
  char text[32] = "";
  int device = -1;
  DO(cudaDeviceGetPCIBusId(text, sizeof text, 1));
  DO(cudaDeviceGetByPCIBusId(&device, text));
  say(device);
}
CASE(can_access_each_other, "1 1") {
  int there = -1, back = -1;
  DO(cudaDeviceCanAccessPeer(&there, 0, 1));
  DO(cudaDeviceCanAccessPeer(&back, 1, 0));
  say(there), say(back);
}
CASE(can_access_itself, "Success 0") {
  int can = -1;
  say(cudaDeviceCanAccessPeer(&can, 0, 0));
  say(can);
}
CASE(can_access_beyond_the_last, "InvalidDevice") {
  int can = -1;
  say(cudaDeviceCanAccessPeer(&can, 0, 99));
}
CASE(attributes_of_the_pair, "0 1 1 1") {
  for (const cudaDeviceP2PAttr a : {cudaDevP2PAttrPerformanceRank, cudaDevP2PAttrAccessSupported,
                                    cudaDevP2PAttrNativeAtomicSupported, cudaDevP2PAttrCudaArrayAccessSupported}) {
    int value = -1;
    DO(cudaDeviceGetP2PAttribute(&value, a, 0, 1));
    say(value);
  }
}
CASE(attributes_of_itself, "InvalidDevice") {
  int value = -1;
  say(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0));
}
CASE(attributes_unknown, "InvalidValue") {
  int value = -1;
  say(cudaDeviceGetP2PAttribute(&value, static_cast<cudaDeviceP2PAttr>(77), 0, 1));
}
CASE(enable_twice, "Success PeerAccessAlreadyEnabled") {
  say(cudaDeviceEnablePeerAccess(1, 0));
  say(cudaDeviceEnablePeerAccess(1, 0));
}
CASE(enable_itself, "PeerAccessUnsupported") { say(cudaDeviceEnablePeerAccess(0, 0)); }
CASE(enable_beyond_the_last, "InvalidDevice") { say(cudaDeviceEnablePeerAccess(99, 0)); }
CASE(enable_with_flags, "InvalidValue") { say(cudaDeviceEnablePeerAccess(1, 1)); }
CASE(disable_without_enabling, "PeerAccessNotEnabled") { say(cudaDeviceDisablePeerAccess(1)); }
CASE(disable_itself, "PeerAccessNotEnabled") { say(cudaDeviceDisablePeerAccess(0)); }
CASE(disable_beyond_the_last, "InvalidDevice") { say(cudaDeviceDisablePeerAccess(99)); }
CASE(disable_and_enable_again, "Success Success") {
  DO(cudaDeviceEnablePeerAccess(1, 0));
  say(cudaDeviceDisablePeerAccess(1));
  say(cudaDeviceEnablePeerAccess(1, 0));
}
CASE(access_goes_one_way, "7 IllegalAddress") {
  int *near = int_on(0), *far = int_on(1, 7);
  DO(cudaDeviceEnablePeerAccess(1, 0));
  load<<<1, 1>>>(near, far);
  DO(cudaDeviceSynchronize());
  say(value_of(near));
  DO(cudaSetDevice(1));
  load<<<1, 1>>>(far, near);
  say(cudaDeviceSynchronize());
}
CASE(load_without_access, "IllegalAddress") {
  int *near = int_on(0), *far = int_on(1);
  load<<<1, 1>>>(near, far);
  say(cudaDeviceSynchronize());
}
CASE(load_after_disabling, "IllegalAddress") {
  int *near = int_on(0), *far = int_on(1);
  DO(cudaDeviceEnablePeerAccess(1, 0));
  DO(cudaDeviceDisablePeerAccess(1));
  load<<<1, 1>>>(near, far);
  say(cudaDeviceSynchronize());
}
CASE(store_to_peer, "5") {
  int* far = int_on(1);
  DO(cudaDeviceEnablePeerAccess(1, 0));
  store<<<1, 1>>>(far, 5);
  DO(cudaDeviceSynchronize());
  say(value_of(far));
}
CASE(atomics_of_both_on_one_word, "2560") {
  int* x = int_on(1);
  enable_peers();
  for (int k = 0; k < 2; ++k) {
    DO(cudaSetDevice(k));
    add<<<5, 256>>>(x, 1);
  }
  for (int k = 0; k < 2; ++k) {
    DO(cudaSetDevice(k));
    DO(cudaDeviceSynchronize());
  }
  say(value_of(x));
}
CASE(memory_made_after_enabling_is_reached, "9") {
  DO(cudaDeviceEnablePeerAccess(1, 0));
  int *near = int_on(0), *far = int_on(1, 9);
  load<<<1, 1>>>(near, far);
  DO(cudaDeviceSynchronize());
  say(value_of(near));
}
CASE(a_fault_is_of_its_device, "IllegalAddress IllegalAddress") {
  int *near = int_on(0), *far = int_on(1);
  load<<<1, 1>>>(near, far);
  say(cudaDeviceSynchronize());
  DO(cudaSetDevice(1));
  say(cudaDeviceSynchronize());
}
CASE(pinned_memory_is_reached_by_both, "1 2") {
  int* x = nullptr;
  DO(cudaHostAlloc(&x, sizeof *x, cudaHostAllocPortable));
  *x = 0;
  for (int k = 0; k < 2; ++k) {
    DO(cudaSetDevice(k));
    add<<<1, 1>>>(x, 1);
    DO(cudaDeviceSynchronize());
    say(*x);
  }
}
CASE(pinned_memory_without_portable, "1 2") {
  int* x = pinned_int();
  for (int k = 0; k < 2; ++k) {
    DO(cudaSetDevice(k));
    add<<<1, 1>>>(x, 1);
    DO(cudaDeviceSynchronize());
    say(*x);
  }
}
CASE(managed_memory_is_reached_by_both, "1 2") {
  int* x = nullptr;
  DO(cudaMallocManaged(&x, sizeof *x));
  *x = 0;
  for (int k = 0; k < 2; ++k) {
    DO(cudaSetDevice(k));
    add<<<1, 1>>>(x, 1);
    DO(cudaDeviceSynchronize());
    say(*x);
  }
}
CASE(registered_memory_is_reached_by_both, "1 2") {
  static int x[1024];
  DO(cudaHostRegister(x, sizeof x, cudaHostRegisterPortable));
  for (int k = 0; k < 2; ++k) {
    DO(cudaSetDevice(k));
    add<<<1, 1>>>(x, 1);
    DO(cudaDeviceSynchronize());
    say(*x);
  }
}
CASE(registering_again_on_the_other, "HostMemoryAlreadyRegistered") {
  static int x[1024];
  DO(cudaHostRegister(x, sizeof x, cudaHostRegisterDefault));
  DO(cudaSetDevice(1));
  say(cudaHostRegister(x, sizeof x, cudaHostRegisterDefault));
}
CASE(pool_memory_without_its_access, "IllegalAddress") {
  int* far = nullptr;
  DO(cudaSetDevice(1));
  DO(cudaMallocAsync(&far, sizeof *far, nullptr));
  DO(cudaDeviceSynchronize());
  DO(cudaSetDevice(0));
  int* near = int_on(0);
  load<<<1, 1>>>(near, far);
  say(cudaDeviceSynchronize());
}
