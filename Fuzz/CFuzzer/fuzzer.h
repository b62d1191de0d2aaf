// libFuzzer's entry for programs with a main of their own (compiler-rt's FuzzerInterface).
#pragma once
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argumentCount, char ***arguments, int (*callback)(const uint8_t *bytes, size_t count));
