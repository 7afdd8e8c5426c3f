// SPDX-License-Identifier: Apache-2.0
#include "harness.cuh"
std::vector<Case>& cases() { static std::vector<Case> c; return c; }
#ifdef ONLY  // -DONLY=register_corner_cases
void ONLY();
static void register_all() { ONLY(); }
#else
void register_memory(); void register_compute(); void register_shared(); void register_async(); void register_irregular(); void register_micro();
static void register_all() {
  register_memory(); register_compute(); register_shared(); register_async(); register_irregular(); register_micro();
}
#endif

static void json(const Case& c, bool last) {
  printf("{\"name\":\"%s\",\"module\":\"%s\",\"kernel\":\"%s\",\"about\":\"%s\",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"cluster\":[%u,%u,%u],"
         "\"dynamic_shared\":%u,\"repeat\":%d", c.name.c_str(), c.module.c_str(), c.kernel.c_str(), c.about.c_str(),
         c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z, c.cluster.x, c.cluster.y, c.cluster.z, c.smem, c.repeat);
  if (c.cooperative) printf(",\"cooperative\":true");
  if (c.l2_window_bytes) printf(",\"l2_window\":{\"buffer\":\"%s\",\"bytes\":%llu,\"hit_ratio\":%g,\"hit_prop\":\"persisting\",\"miss_prop\":\"streaming\",\"set_aside\":%llu}",
      c.buffers[c.l2_window_buffer].name.c_str(), (unsigned long long)c.l2_window_bytes, c.l2_hit_ratio, (unsigned long long)c.l2_set_aside);
  for (const char* what : {"buffers", "tensor_maps", "textures"}) {  // of textures and tensor maps; other buffers stand in the arguments
    int k = 0;
    for (const Buffer& b : c.buffers) if (b.width && (*what == 'b' || (what[1] == 'e' && what[2] == 'n') == (b.box[0] != 0))) {
      printf(k++ ? "," : ",\"%s\":{", what); unsigned long long w = b.width, h = b.height;
      if (*what == 'b') printf("\"%s\":{\"type\":\"%s\",\"count\":%llu,\"init\":\"%s\",\"seed\":%llu%s}", b.name.c_str(), b.type.c_str(), (unsigned long long)b.count, b.init.c_str(), (unsigned long long)b.seed, b.output ? ",\"output\":true" : "");
      else if (b.box[0]) printf("\"%s_map\":{\"buffer\":\"%s\",\"dims\":[%llu,%llu],\"box\":[%u,%u],\"swizzle\":\"%s\"}", b.name.c_str(), b.name.c_str(), w, h, b.box[0], b.box[1], b.swizzle ? "128B" : "none");
      else printf("\"%s_texture\":{\"buffer\":\"%s\",\"kind\":\"2d\",\"width\":%llu,\"height\":%llu,\"filter\":\"linear\",\"address\":[\"clamp\",\"clamp\"]}", b.name.c_str(), b.name.c_str(), w, h);
    }
    if (k) printf("}");
  }
  printf(",\"args\":[");
  for (size_t k = 0; k < c.args.size(); k++) {
    const Arg& a = c.args[k]; if (k) printf(",");
    if (a.buffer < 0) printf("{\"type\":\"%s\",\"value\":%s}", a.type.c_str(), a.text.c_str());
    else if (const Buffer& b = c.buffers[a.buffer]; b.width) printf("\"%s_%s\"", b.name.c_str(), b.box[0] ? "map" : "texture");
    else printf("{\"buffer\":\"%s\",\"type\":\"%s\",\"count\":%llu,\"init\":\"%s\",\"seed\":%llu,\"param\":%llu,\"output\":%s}", b.name.c_str(), b.type.c_str(),
             (unsigned long long)b.count, b.init.c_str(), (unsigned long long)b.seed, (unsigned long long)b.param, b.output ? "true" : "false");
  }
  printf("]}%s\n", last ? "" : ",");
}

static void* texture_of(const Buffer& b, cudaArray_t* array) {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>(); CHECK(cudaMallocArray(array, &format, b.width, b.height));
  CHECK(cudaMemcpy2DToArray(*array, 0, 0, b.host.data(), b.width * 4, b.width * 4, b.height, cudaMemcpyHostToDevice));
  cudaResourceDesc r{}; r.resType = cudaResourceTypeArray; r.res.array.array = *array;
  cudaTextureDesc d{}; d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp; d.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t t; CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr)); return (void*)t;
}

static CUtensorMap* map_of(Buffer& b) {
  void* encode = nullptr; cudaDriverEntryPointQueryResult found; CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found));
  cuuint64_t dims[2] = {b.width, b.height}, stride = b.width * type_size(b.type); cuuint32_t step[2] = {1, 1};
  CUresult r = ((decltype(&cuTensorMapEncodeTiled))encode)(&b.map, b.type == "f16" ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, b.dev, dims, &stride, b.box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
      b.swizzle ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (r != CUDA_SUCCESS) { fprintf(stderr, "tensor map of %s: %d\n", b.name.c_str(), (int)r); exit(1); }
  return &b.map;
}

static void run(Case& c) {
  std::vector<void*> ptrs(c.args.size()); std::vector<void*> argv(c.args.size()); cudaArray_t array = nullptr;
  for (auto& b : c.buffers) { fill(b); CHECK(cudaMalloc(&b.dev, b.host.size())); CHECK(cudaMemcpy(b.dev, b.host.data(), b.host.size(), cudaMemcpyHostToDevice)); }
  for (size_t k = 0; k < c.args.size(); k++) {
    if (c.args[k].buffer >= 0) {
      Buffer& b = c.buffers[c.args[k].buffer]; if (b.box[0]) { argv[k] = map_of(b); continue; }
      ptrs[k] = b.width ? texture_of(b, &array) : b.dev; argv[k] = &ptrs[k];
    } else argv[k] = c.args[k].bytes.data();
  }
  if (c.smem > 48 * 1024) CHECK(cudaFuncSetAttribute(c.fn, cudaFuncAttributeMaxDynamicSharedMemorySize, c.smem));
  cudaStream_t s; CHECK(cudaStreamCreate(&s));
  if (c.l2_window_bytes) {
    CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, c.l2_set_aside));
    cudaStreamAttrValue v{}; v.accessPolicyWindow.base_ptr = c.buffers[c.l2_window_buffer].dev; v.accessPolicyWindow.num_bytes = c.l2_window_bytes;
    v.accessPolicyWindow.hitRatio = c.l2_hit_ratio; v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting; v.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    if (c.l2_hit_ratio > 0) CHECK(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v));
  }
  cudaEvent_t e0, e1; CHECK(cudaEventCreate(&e0)); CHECK(cudaEventCreate(&e1));
  for (int r = 0; r < c.repeat; r++) {
    cudaLaunchConfig_t cfg{}; cfg.gridDim = c.grid; cfg.blockDim = c.block; cfg.dynamicSmemBytes = c.smem; cfg.stream = s;
    cudaLaunchAttribute at[2]; int n = 0;
    if (c.cluster.x) { at[n].id = cudaLaunchAttributeClusterDimension; at[n].val.clusterDim.x = c.cluster.x; at[n].val.clusterDim.y = 1; at[n].val.clusterDim.z = 1; n++; }
    if (c.cooperative) { at[n].id = cudaLaunchAttributeCooperative; at[n].val.cooperative = 1; n++; }
    cfg.attrs = at; cfg.numAttrs = n;
    if (r + 1 == c.repeat) CHECK(cudaEventRecord(e0, s));
    CHECK(cudaLaunchKernelExC(&cfg, c.fn, argv.data()));
  }
  CHECK(cudaEventRecord(e1, s));
  CHECK(cudaStreamSynchronize(s)); float ms; CHECK(cudaEventElapsedTime(&ms, e0, e1));
  printf("%s ok us=%.2f", c.name.c_str(), ms * 1000);
  for (auto& b : c.buffers) {
    if (b.output) { CHECK(cudaMemcpy(b.host.data(), b.dev, b.host.size(), cudaMemcpyDeviceToHost)); printf(" %s=%016llx", b.name.c_str(), (unsigned long long)fnv(b.host.data(), b.host.size()));
      if (b.count <= 4) for (uint64_t k = 0; k < b.count; k++) { if (b.type == "f32") printf(":%g", ((float*)b.host.data())[k]); else if (b.type == "f64") printf(":%g", ((double*)b.host.data())[k]); else printf(":%u", ((uint32_t*)b.host.data())[k]); } }
    CHECK(cudaFree(b.dev)); std::vector<uint8_t>().swap(b.host);
  }
  printf("\n"); fflush(stdout);
  if (c.l2_window_bytes) { CHECK(cudaCtxResetPersistingL2Cache()); CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0)); }
  if (array) CHECK(cudaFreeArray(array));
  CHECK(cudaStreamDestroy(s));
}

int main(int argc, char** argv) {
  cases().reserve(512);
  register_all();
  if (argc > 1 && !strcmp(argv[1], "--list-json")) { printf("[\n"); for (size_t k = 0; k < cases().size(); k++) json(cases()[k], k + 1 == cases().size()); printf("]\n"); return 0; }
  for (auto& c : cases()) { bool want = argc == 1; for (int k = 1; k < argc; k++) want |= c.name == argv[k]; if (want) run(c); }
}
