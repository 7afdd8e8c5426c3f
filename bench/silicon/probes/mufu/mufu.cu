// SPDX-License-Identifier: Apache-2.0
// Dumps the special functions over ranges of consecutive f32 codes: for each range a file with the first result (u32) and the
// differences of the codes of neighbouring results (i8; 127 is followed by the whole result as u32).
// nvcc -O2 -arch=sm_90 -o mufu mufu.cu && ./mufu FOLDER
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <string>
template<int F> __device__ float f(float x){ float r;
 if(F==0) asm volatile("ex2.approx.ftz.f32 %0,%1;":"=f"(r):"f"(x));
 if(F==1) asm volatile("lg2.approx.ftz.f32 %0,%1;":"=f"(r):"f"(x));
 if(F==2) asm volatile("rcp.approx.ftz.f32 %0,%1;":"=f"(r):"f"(x));
 if(F==3) asm volatile("rsqrt.approx.ftz.f32 %0,%1;":"=f"(r):"f"(x));
 if(F==4) asm volatile("sqrt.approx.ftz.f32 %0,%1;":"=f"(r):"f"(x));
 if(F==5) asm volatile("sin.approx.ftz.f32 %0,%1;":"=f"(r):"f"(x));
 if(F==6) asm volatile("cos.approx.ftz.f32 %0,%1;":"=f"(r):"f"(x));
 if(F==7) asm volatile("tanh.approx.f32 %0,%1;":"=f"(r):"f"(x));
 return r;}
template<int F> __global__ void k(uint32_t base,uint32_t n,uint32_t step,uint32_t*o){uint32_t i=blockIdx.x*blockDim.x+threadIdx.x; if(i<n) o[i]=__float_as_uint(f<F>(__uint_as_float(base+i*step)));}
template<int F> void run(const char*name,uint32_t base,uint32_t n,uint32_t step,const char*dir){
 uint32_t*d; cudaMalloc(&d,n*4ull); k<F><<<(n+255)/256,256>>>(base,n,step,d); std::vector<uint32_t>h(n); cudaMemcpy(h.data(),d,n*4ull,cudaMemcpyDeviceToHost); cudaFree(d);
 char p[256]; snprintf(p,256,"%s/%s_%08x_%u_%u.bin",dir,name,base,n,step); FILE*o=fopen(p,"wb"); fwrite(&h[0],4,1,o);
 for(uint32_t i=1;i<n;i++){int64_t df=(int64_t)h[i]-(int64_t)h[i-1]; if(df>=-127&&df<127){int8_t b=df;fwrite(&b,1,1,o);} else {int8_t b=127;fwrite(&b,1,1,o);fwrite(&h[i],4,1,o);}}
 fclose(o); }
int main(int c,char**v){const char*d=v[1];
 const uint32_t N=1u<<23;
 run<0>("ex2",0x3f800000,N,1,d); run<0>("ex2",0x3f000000,N,1,d); run<0>("ex2",0x3e800000,N,1,d); run<0>("ex2",0xbf800000,N,1,d); run<0>("ex2",0xbf000000,N,1,d);run<0>("ex2",0x00000000,1u<<22,1021,d);run<0>("ex2",0x80000000,1u<<22,1021,d);
 run<1>("lg2",0x3f800000,N,1,d); run<1>("lg2",0x3f000000,N,1,d); run<1>("lg2",0x40000000,N,1,d); run<1>("lg2",0x00000000,1u<<22,511,d);
 run<2>("rcp",0x3f800000,N,1,d); run<2>("rcp",0x00000000,1u<<22,1021,d);
 run<3>("rsqrt",0x3f800000,N,1,d); run<3>("rsqrt",0x40000000,N,1,d); run<3>("rsqrt",0x00000000,1u<<22,511,d);
 run<4>("sqrt",0x3f800000,N,1,d); run<4>("sqrt",0x40000000,N,1,d); run<4>("sqrt",0x00000000,1u<<22,511,d);
 run<5>("sin",0x3f800000,N,1,d); run<5>("sin",0x3f000000,N,1,d);run<5>("sin",0x40000000,N,1,d);run<5>("sin",0x40800000,N,1,d); run<5>("sin",0x3e800000,N,1,d);run<5>("sin",0x00000000,1u<<22,1021,d);
 run<6>("cos",0x3f800000,N,1,d); run<6>("cos",0x3f000000,N,1,d);run<6>("cos",0x40000000,N,1,d);run<6>("cos",0x40800000,N,1,d);run<6>("cos",0x3e800000,N,1,d); run<6>("cos",0x00000000,1u<<22,1021,d);
 run<7>("tanh",0x3f800000,N,1,d); run<7>("tanh",0x3f000000,N,1,d);run<7>("tanh",0x3e800000,N,1,d);run<7>("tanh",0x40000000,N,1,d);run<7>("tanh",0x40800000,N,1,d);run<7>("tanh",0x00000000,1u<<22,1021,d);
 return 0;}
