#!/usr/bin/env bash
# Compiles the fixtures of Tests/CompileFailures: every line that says so must fail, and no other.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec ./dev test CompileFailureTests
