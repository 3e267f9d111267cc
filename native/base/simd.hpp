// Portable baseline with AVX2 clones chosen by the loader. Contraction is off and reductions have fixed
// lanes, so every clone rounds alike and a result does not depend on the machine.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(ENPDA_SANITIZE)
#define ENPDA_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#define ENPDA_HAS_CLONES 1
#else
#define ENPDA_CLONES
#define ENPDA_HAS_CLONES 0
#endif
