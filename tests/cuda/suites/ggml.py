# SPDX-License-Identifier: Apache-2.0
"""ggml, the library under llama.cpp: test-backend-ops, which compares each operator on the GPU with ggml's own on the host.

A program of the suite is an operator. All share one binary. Its CUDA sources are those of the operators below; what the rest of ggml-cuda would bring (flash attention,
products of matrices) takes an hour to compile: functions in its place say their name and abort, so those operators cannot be asked for.
"""
from program import Program

ADDRESS = "https://github.com/ggml-org/ggml"
BINARY = "test-backend-ops"
OPERATORS = ("ACC ADD ADD_ID ARANGE ARGMAX ARGSORT CLAMP CONCAT CONT CONV_2D_DW CONV_TRANSPOSE_1D COS COUNT_EQUAL CPY CROSS_ENTROPY_LOSS CUMSUM DIAG_MASK_INF DIV DUP FILL "
             "GET_ROWS GROUP_NORM IM2COL L2_NORM LEAKY_RELU LOG MEAN MUL NORM OPT_STEP_ADAMW PAD POOL_2D REPEAT RMS_NORM ROLL ROPE SCALE SET SET_ROWS SIN "
             "SOFT_MAX SQR SQRT SSM_CONV SUB SUM SUM_ROWS TRI UPSCALE").split()
# Those of ggml-cuda/*.cu that the operators need.
CUDA_SOURCES = ("ggml-cuda acc add-id arange argmax argsort binbcast clamp concat convert conv2d-dw conv-transpose-1d count-equal cpy cross-entropy-loss cumsum diagmask fill "
                "getrows im2col mean norm opt-step-adamw pad pool2d roll rope scale set set-rows softmax ssm-conv sum sumrows tri unary upscale").split()
CORE = ("ggml.c ggml.cpp ggml-alloc.c ggml-backend.cpp ggml-backend-dl.cpp ggml-backend-meta.cpp ggml-backend-reg.cpp ggml-opt.cpp ggml-quants.c ggml-threading.cpp gguf.cpp")
CPU = "ggml-cpu/*.c ggml-cpu/*.cpp ggml-cpu/amx/*.cpp ggml-cpu/arch/x86/quants.c ggml-cpu/arch/x86/repack.cpp"

MAKEFILE = """\
CPPFLAGS := -DGGML_USE_CPU -DGGML_USE_CUDA -DGGML_SCHED_MAX_COPIES=1 -DGGML_CUDA_PEER_MAX_BATCH_SIZE=128 -DGGML_CUDA_NO_FA -DGGML_VERSION='"suite"' -DGGML_COMMIT='"suite"' \\
            -D_GNU_SOURCE -I{root}/include -I{root}/src -I{root}/src/ggml-cpu
HOST := -O2 -w -fPIC -mavx2 -mfma -mf16c
NVCC := {nvcc} -O2 -w -std=c++17 -cudart shared -use_fast_math -extended-lambda {flags} -I{root}/src/ggml-cuda -Xcompiler -fPIC
OBJECTS := {objects}
{binary}: $(OBJECTS) missing.o
\t$(NVCC) -Xcompiler -fopenmp -o $@ $^ -lcuda -lm -lpthread -ldl
missing.s: $(OBJECTS)
\tnm -u $^ | awk '$$1 == "U" && /ggml_| cublas/ {{print $$2}}' | sort -u > undefined.txt
\tnm --defined-only $^ | awk 'NF == 3 {{print $$3}}' | sort -u > defined.txt
\tcomm -23 undefined.txt defined.txt | awk '{{printf "  .globl %s\\n%s:\\n  lea name_%d(%%rip), %%rdi\\n  call puts@PLT\\n  call abort@PLT\\nname_%d: .asciz \\"not built: %s\\"\\n", $$1, $$1, NR, NR, $$1}} END {{print "  .section .note.GNU-stack, \\"\\""}}' > $@
missing.o: missing.s
\tgcc -c -o $@ $<
"""
RULE = {".c": "gcc -std=c11 $(HOST) $(CPPFLAGS)", ".cpp": "g++ -std=c++17 $(HOST) $(CPPFLAGS)", ".cu": "$(NVCC) $(CPPFLAGS)"}


def makefile(root, nvcc, flags):
    sources = [root / "src" / name for name in CORE.split()]
    sources += sorted(path for pattern in CPU.split() for path in (root / "src").glob(pattern))
    sources += [root / "src/ggml-cuda" / f"{name}.cu" for name in CUDA_SOURCES] + [root / "tests/test-backend-ops.cpp"]
    objects = {str(source.relative_to(root)).replace("/", "_") + ".o": source for source in sources}
    text = MAKEFILE.format(root=root, nvcc=nvcc, flags=" ".join(flags), binary=BINARY, objects=" ".join(objects))
    return text + "".join(f"{name}: {source}\n\t{RULE[source.suffix]} -c -o $@ $<\n" for name, source in objects.items())


def programs(root):
    for operator in OPERATORS:
        yield Program(operator, root, binary=BINARY, makefile=makefile, arguments=["test", "-b", "CUDA0", "-o", operator], proof=r"\b([1-9]\d*)/\1 tests passed",
                      counted=r"(\d+/\d+) tests passed")
