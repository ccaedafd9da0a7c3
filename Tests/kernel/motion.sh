#!/bin/bash
# Motion sensors on the kernel's own drivers, fed through /dev/uhid. Runs inside scripts/bench-vm.
cd "$(dirname "$0")/../.." || exit 1
exec .build/debug/onstagePackageTests.xctest --testing-library swift-testing --filter KernelMotionTests
