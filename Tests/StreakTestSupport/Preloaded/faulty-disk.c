// Stands before the C library in a process under test (LD_PRELOAD) and makes its disk fail at one step. FaultyDisk.swift
// builds it and says what the variables mean. Linux.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum fault { none, killed, torn, failing, full };
enum verdict { pass, cut, refuse };

static atomic_long steps;

static int named(const char *path) {
    const char *folder = getenv("STREAKMESH_FAULT_FOLDER");
    return folder && path && strncmp(path, folder, strlen(folder)) == 0 && path[strlen(folder)] == '/';
}

static int of_folder(int file) {
    char link[64], path[4096];
    struct stat status;
    if (fstat(file, &status) != 0 || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size <= 0) return 0;
    path[size] = 0;
    return named(path) || strcmp(path, getenv("STREAKMESH_FAULT_FOLDER") ?: "") == 0;
}

static enum fault chosen(void) {
    const char *name = getenv("STREAKMESH_FAULT");
    if (!name) return none;
    return !strcmp(name, "killed") ? killed : !strcmp(name, "torn") ? torn : !strcmp(name, "failing") ? failing
        : !strcmp(name, "full") ? full : none;
}

// Leaves a file behind, so that the test knows.
static void tell(void) {
    const char *path = getenv("STREAKMESH_FAULT_FIRED");
    if (!path) return;
    int file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0) syscall(SYS_close, file);
}

// The step at which it happens: what the variable says, or a file that may come and go. Without it no step is counted.
static long target(void) {
    const char *armed = getenv("STREAKMESH_FAULT_ARMED"), *at = getenv("STREAKMESH_FAULT_STEP");
    if (!armed) return at ? atol(at) : 0;
    char digits[16] = "";
    int file = syscall(SYS_openat, AT_FDCWD, armed, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    if (syscall(SYS_read, file, digits, sizeof digits - 1) < 0) digits[0] = 0;
    syscall(SYS_close, file);
    return atol(digits);
}

static enum verdict step(int takes_room) {
    enum fault fault = chosen();
    long last = fault == none ? 0 : target();
    if (last == 0) {
        atomic_store(&steps, 0);
        return pass;
    }
    long number = atomic_fetch_add(&steps, 1) + 1;
    if (number < last || (fault != full && number > last)) return pass;
    if (fault == full && !takes_room) return pass;
    tell();
    if (fault == killed) kill(getpid(), SIGKILL);
    return fault == torn ? cut : refuse;
}

// Does what was asked, or half of it, or nothing.
#define DO(whole, half, takes_room) \
    switch (step(takes_room)) { \
    case pass: return whole; \
    case cut: (void)!half; kill(getpid(), SIGKILL); return -1; \
    default: errno = takes_room && chosen() == full ? ENOSPC : EIO; return -1; \
    }

ssize_t write(int file, const void *bytes, size_t size) {
    if (!of_folder(file)) return syscall(SYS_write, file, bytes, size);
    DO(syscall(SYS_write, file, bytes, size), syscall(SYS_write, file, bytes, size / 2), 1)
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t place) {
    if (!of_folder(file)) return syscall(SYS_pwrite64, file, bytes, size, place);
    DO(syscall(SYS_pwrite64, file, bytes, size, place), syscall(SYS_pwrite64, file, bytes, size / 2, place), 1)
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t place) { return pwrite64(file, bytes, size, place); }

int ftruncate64(int file, off64_t size) {
    if (!of_folder(file)) return syscall(SYS_ftruncate, file, size);
    DO(syscall(SYS_ftruncate, file, size), syscall(SYS_ftruncate, file, size), 1)
}

int ftruncate(int file, off_t size) { return ftruncate64(file, size); }

int fsync(int file) {
    if (!of_folder(file)) return syscall(SYS_fsync, file);
    DO(syscall(SYS_fsync, file), syscall(SYS_fsync, file), 0)
}

int fdatasync(int file) {
    if (!of_folder(file)) return syscall(SYS_fdatasync, file);
    DO(syscall(SYS_fdatasync, file), syscall(SYS_fdatasync, file), 0)
}

int rename(const char *from, const char *to) {
    if (!named(from)) return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    DO(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0), syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0), 0)
}

int unlink(const char *path) {
    if (!named(path)) return syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    DO(syscall(SYS_unlinkat, AT_FDCWD, path, 0), syscall(SYS_unlinkat, AT_FDCWD, path, 0), 0)
}
