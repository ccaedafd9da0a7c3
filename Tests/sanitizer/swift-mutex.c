// Tells the thread sanitizer what Swift's Mutex does when two threads want it at once.
//
// The uncontended way is inlined into our code, where the sanitizer sees it; the contended one is taken inside
// libswiftSynchronization, which is not instrumented, and every lock that was waited for looked like a race. These two
// functions stand before the library's (LD_PRELOAD), call them, and say what they mean. Only the tests' sanitizer run
// loads this; nothing of it hides a race of ours.
//
//   clang -shared -fPIC -O1 -o swift-mutex.so swift-mutex.c
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

typedef __attribute__((swiftcall)) void (*Lock)(uint32_t, __attribute__((swift_context)) void *);
typedef __attribute__((swiftcall)) void (*Unlock)(__attribute__((swift_context)) void *);

// Synchronization._MutexHandle._lockSlow(UInt32)
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
// Synchronization._MutexHandle._unlockSlow()
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

__attribute__((swiftcall)) void lock(uint32_t, __attribute__((swift_context)) void *) __asm__(LOCK);
__attribute__((swiftcall)) void lock(uint32_t owner, __attribute__((swift_context)) void *mutex) {
    static Lock next;
    Lock call = __atomic_load_n(&next, __ATOMIC_RELAXED);
    if (call == NULL) {
        call = (Lock)dlsym(RTLD_NEXT, LOCK);
        __atomic_store_n(&next, call, __ATOMIC_RELAXED);
    }
    call(owner, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

__attribute__((swiftcall)) void unlock(__attribute__((swift_context)) void *) __asm__(UNLOCK);
__attribute__((swiftcall)) void unlock(__attribute__((swift_context)) void *mutex) {
    static Unlock next;
    Unlock call = __atomic_load_n(&next, __ATOMIC_RELAXED);
    if (call == NULL) {
        call = (Unlock)dlsym(RTLD_NEXT, UNLOCK);
        __atomic_store_n(&next, call, __ATOMIC_RELAXED);
    }
    if (__tsan_release) __tsan_release(mutex);
    call(mutex);
}
