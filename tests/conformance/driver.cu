// SPDX-License-Identifier: Apache-2.0
// Runs the conformance kernels and writes their outputs.
//
//   driver DIR [outputs.bin [status.tsv]] [--cubin] [--only mNN.ptx] [--timeout SECONDS]
//
// DIR holds cases.tsv, inputs.bin and the modules.  By default each module's PTX is handed to the driver's
// JIT; where the JIT refuses it (for instance an older driver and a newer .version) the precompiled
// mNN.cubin beside it is used.  --cubin uses the cubins from the start.
//
// All work happens in a child process, so a faulting or hanging kernel costs only its own case: the parent
// notices the death (or the lack of progress), marks the case and starts another child after it.
// Output words start as 0xDEADBEEFDEADBEEF; unwritten ones are counted and listed in status.tsv.
#include <cuda.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <csignal>
#include <string>
#include <vector>
#include <fstream>
#include <sstream>
#include <iterator>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const uint64_t POISON = 0xDEADBEEFDEADBEEFull;

struct Case {
    std::string kernel, module;
    int n, nin, nout;
    size_t in_off, out_off;
};

enum { NOT_RUN = 0, OK = 1, RUNNING = 2, FAILED = 3, TIMED_OUT = 4 };
struct Status {
    volatile int state;      // one of the above
    volatile int code;       // CUresult
    volatile int used_cubin;
    char text[244];
};

static const char* errname(CUresult r) {
    const char* s = nullptr;
    cuGetErrorName(r, &s);
    return s ? s : "unknown";
}

#define CU(call)                                                                                   \
    do {                                                                                           \
        CUresult r_ = (call);                                                                      \
        if (r_ != CUDA_SUCCESS) {                                                                  \
            fprintf(stderr, "%s:%d: %s -> %s\n", __FILE__, __LINE__, #call, errname(r_));          \
            _exit(20);                                                                             \
        }                                                                                          \
    } while (0)

static bool slurp(const std::string& path, std::string& out) {
    std::ifstream f(path, std::ios::binary);
    if (!f) return false;
    out.assign(std::istreambuf_iterator<char>(f), std::istreambuf_iterator<char>());
    return true;
}

static CUresult load(const std::string& dir, const std::string& module, bool cubin_first, CUmodule* mod, int* used_cubin, std::string& log) {
    std::string text;
    CUresult r = CUDA_ERROR_FILE_NOT_FOUND;
    std::string cub = dir + "/" + module.substr(0, module.rfind('.')) + ".cubin";
    for (int pass = 0; pass < 2; pass++) {
        bool use_cubin = (pass == 0) == cubin_first;
        if (!slurp(use_cubin ? cub : dir + "/" + module, text)) {
            log += use_cubin ? " no cubin;" : " no ptx;";
            continue;
        }
        *used_cubin = use_cubin;
        if (use_cubin) {
            r = cuModuleLoadData(mod, text.data());
        } else {
            std::vector<char> err(16384, 0);
            CUjit_option opt[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
            void* val[] = {err.data(), (void*)(uintptr_t)err.size()};
            r = cuModuleLoadDataEx(mod, text.c_str(), 2, opt, val);
            if (r != CUDA_SUCCESS) log += std::string(" jit: ") + errname(r) + " " + std::string(err.data()).substr(0, 300) + ";";
        }
        if (r == CUDA_SUCCESS) return r;
        if (use_cubin) log += std::string(" cubin: ") + errname(r) + ";";
    }
    return r;
}

// runs cases [first, end); returns only by _exit
static void child(const std::string& dir, const std::vector<Case>& cs, size_t first, const std::string& inputs, size_t out_words, uint64_t* outputs, Status* st, bool cubin,
                  const std::string& only) {
    CU(cuInit(0));
    CUdevice dev;
    CU(cuDeviceGet(&dev, 0));
    CUcontext ctx;
    CU(cuDevicePrimaryCtxRetain(&ctx, dev));
    CU(cuCtxSetCurrent(ctx));
    CU(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    if (first == 0) {
        char name[128];
        int drv = 0;
        CU(cuDeviceGetName(name, sizeof name, dev));
        CU(cuDriverGetVersion(&drv));
        fprintf(stderr, "device %s, driver API %d\n", name, drv);
    }
    CUdeviceptr din, dout;
    CU(cuMemAlloc(&din, inputs.size() ? inputs.size() : 8));
    CU(cuMemcpyHtoD(din, inputs.data(), inputs.size()));
    CU(cuMemAlloc(&dout, out_words * 8));
    std::vector<uint64_t> poison(out_words, POISON);
    CU(cuMemcpyHtoD(dout, poison.data(), out_words * 8));
    std::string current;
    CUmodule mod = nullptr;
    bool have = false;
    int used = 0;
    for (size_t i = first; i < cs.size(); i++) {
        const Case& c = cs[i];
        if (!only.empty() && c.module != only) continue;
        if (c.module != current) {
            if (have) CU(cuModuleUnload(mod));
            have = false;
            current = c.module;
            std::string log;
            CUresult r = load(dir, c.module, cubin, &mod, &used, log);
            if (r != CUDA_SUCCESS || !log.empty()) fprintf(stderr, "%s:%s\n", c.module.c_str(), log.c_str());
            if (r == CUDA_SUCCESS) {
                have = true;
            } else {  // the whole module is lost
                for (size_t j = i; j < cs.size(); j++)
                    if (cs[j].module == current) {
                        st[j].state = FAILED;
                        st[j].code = r;
                        snprintf(st[j].text, sizeof st[j].text, "module load:%s", log.c_str());
                    }
            }
        }
        if (!have) continue;
        st[i].used_cubin = used;
        st[i].state = RUNNING;
        CUfunction fn;
        CUresult r = cuModuleGetFunction(&fn, mod, c.kernel.c_str());
        const char* where = "get function";
        if (r == CUDA_SUCCESS) {
            CUdeviceptr a = din + 8 * c.in_off, b = dout + 8 * c.out_off;
            void* args[] = {&a, &b};
            r = cuLaunchKernel(fn, 1, 1, 1, c.n, 1, 1, 0, nullptr, args, nullptr);
            where = "launch";
            if (r == CUDA_SUCCESS) {
                r = cuCtxSynchronize();
                where = "synchronize";
            }
            if (r == CUDA_SUCCESS) {
                r = cuMemcpyDtoH(outputs + c.out_off, b, (size_t)c.nout * c.n * 8);
                where = "copy back";
            }
        }
        if (r != CUDA_SUCCESS) {
            st[i].code = r;
            snprintf(st[i].text, sizeof st[i].text, "%s: %s", where, errname(r));
            st[i].state = FAILED;
            fprintf(stderr, "%s %s: %s\n", c.module.c_str(), c.kernel.c_str(), st[i].text);
            // a launch refusal leaves the context usable; anything else does not
            if (cuCtxSynchronize() != CUDA_SUCCESS) _exit(10);
            continue;
        }
        st[i].state = OK;
    }
    _exit(0);
}

int main(int argc, char** argv) {
    std::vector<std::string> pos;
    bool cubin = false;
    std::string only;
    int timeout = 30;
    for (int i = 1; i < argc; i++) {
        std::string a = argv[i];
        if (a == "--cubin") cubin = true;
        else if (a == "--only" && i + 1 < argc) only = argv[++i];
        else if (a == "--timeout" && i + 1 < argc) timeout = atoi(argv[++i]);
        else pos.push_back(a);
    }
    if (pos.empty()) {
        fprintf(stderr, "usage: driver DIR [outputs.bin [status.tsv]] [--cubin] [--only mNN.ptx] [--timeout SECONDS]\n");
        return 2;
    }
    std::string dir = pos[0];
    std::string outp = pos.size() > 1 ? pos[1] : dir + "/outputs.bin";
    std::string stp = pos.size() > 2 ? pos[2] : dir + "/status.tsv";
    std::vector<Case> cs;
    size_t out_words = 0;
    {
        std::ifstream f(dir + "/cases.tsv");
        if (!f) {
            fprintf(stderr, "no %s/cases.tsv\n", dir.c_str());
            return 2;
        }
        std::string line;
        while (std::getline(f, line)) {
            if (line.empty()) continue;
            std::istringstream is(line);
            Case c;
            if (!(is >> c.kernel >> c.module >> c.n >> c.nin >> c.nout >> c.in_off >> c.out_off)) {
                fprintf(stderr, "bad line in cases.tsv: %s\n", line.c_str());
                return 2;
            }
            size_t e = c.out_off + (size_t)c.nout * c.n;
            if (e > out_words) out_words = e;
            cs.push_back(c);
        }
    }
    out_words = (out_words + 31) / 32 * 32;
    std::string inputs;
    if (!slurp(dir + "/inputs.bin", inputs)) {
        fprintf(stderr, "no %s/inputs.bin\n", dir.c_str());
        return 2;
    }
    for (const Case& c : cs)
        if ((c.in_off + (size_t)c.nin * c.n) * 8 > inputs.size()) {
            fprintf(stderr, "%s reads past inputs.bin\n", c.kernel.c_str());
            return 2;
        }
    uint64_t* outputs = (uint64_t*)mmap(nullptr, out_words * 8, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    Status* st = (Status*)mmap(nullptr, cs.size() * sizeof(Status), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (outputs == MAP_FAILED || st == MAP_FAILED) {
        perror("mmap");
        return 2;
    }
    for (size_t i = 0; i < out_words; i++) outputs[i] = POISON;
    size_t next = 0;
    int restarts = 0, dry = 0;
    while (next < cs.size() && restarts < 500) {
        fflush(nullptr);
        pid_t pid = fork();
        if (pid < 0) {
            perror("fork");
            return 2;
        }
        if (pid == 0) child(dir, cs, next, inputs, out_words, outputs, st, cubin, only);
        // watch its progress
        size_t seen = next;
        time_t last = time(nullptr);
        int status = 0;
        bool killed = false;
        for (;;) {
            pid_t w = waitpid(pid, &status, WNOHANG);
            if (w == pid) break;
            size_t now = seen;
            while (now < cs.size() && (st[now].state == OK || st[now].state == FAILED)) now++;
            if (now != seen) {
                seen = now;
                last = time(nullptr);
            }
            // module loading and start-up get longer than one kernel does
            bool running = seen < cs.size() && st[seen].state == RUNNING;
            if (only.empty() && time(nullptr) - last > (running ? timeout : 6 * timeout)) {
                kill(pid, SIGKILL);
                killed = true;
                waitpid(pid, &status, 0);
                break;
            }
            usleep(2000);
        }
        if (!killed && WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
        restarts++;
        size_t at = next;
        while (at < cs.size() && (st[at].state == OK || st[at].state == FAILED)) at++;
        if (at < cs.size() && st[at].state == RUNNING) {
            st[at].state = killed ? TIMED_OUT : FAILED;
            snprintf(st[at].text, sizeof st[at].text, killed ? "no progress in %d s" : "child died", timeout);
            fprintf(stderr, "%s %s: %s\n", cs[at].module.c_str(), cs[at].kernel.c_str(), st[at].text);
            at++;
        }
        if (!only.empty()) break;
        if (at == next && ++dry > 2) {
            fprintf(stderr, "the child makes no progress (exit %d): giving up\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
            break;
        }
        next = at;
    }
    FILE* f = fopen(outp.c_str(), "wb");
    if (!f || fwrite(outputs, 8, out_words, f) != out_words || fclose(f)) {
        perror(outp.c_str());
        return 2;
    }
    f = fopen(stp.c_str(), "w");
    if (!f) {
        perror(stp.c_str());
        return 2;
    }
    size_t ok = 0, bad = 0, unwritten = 0, cub = 0, notrun = 0;
    for (size_t i = 0; i < cs.size(); i++) {
        size_t u = 0;
        for (size_t k = 0; k < (size_t)cs[i].nout * cs[i].n; k++) u += outputs[cs[i].out_off + k] == POISON;
        const char* names[] = {"not_run", "ok", "running", "failed", "timeout"};
        fprintf(f, "%s\t%s\t%s\t%d\t%zu\t%s\t%s\n", cs[i].kernel.c_str(), cs[i].module.c_str(), names[st[i].state], st[i].code, u, st[i].used_cubin ? "cubin" : "ptx", st[i].text);
        if (st[i].state == OK) {
            ok++;
            if (u) unwritten++;
            if (st[i].used_cubin) cub++;
        } else if (st[i].state == NOT_RUN) {
            if (only.empty() || only == cs[i].module) notrun++;
        } else {
            bad++;
        }
    }
    fclose(f);
    printf("cases %zu, ok %zu, failed %zu, not run %zu, with unwritten words %zu, from cubin %zu, restarts %d\n", cs.size(), ok, bad, notrun, unwritten, cub, restarts);
    return bad || notrun || unwritten ? 1 : 0;
}
