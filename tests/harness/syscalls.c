/* Preloaded into a process: counts the calls by which it changes files below a folder, and kills it at the n-th.

   Interposed are the functions of the C library that Python, SQLite and FAISS call. Each call is noted, before it is
   made, as a line "name path" on a descriptor; at the n-th the process ends by SIGKILL, and the call is never made. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static char root[PATH_MAX];
static long made, last;
static int notes = -1;

/* Count from now on, below the folder, and die at call number `at` (0: never). */
void count_calls(const char *folder, long at, int descriptor)
{
    snprintf(root, sizeof root, "%s", folder);
    made = 0;
    last = at;
    notes = descriptor;
}

static void call(const char *name, const char *path)
{
    char line[PATH_MAX + 32];
    size_t length = strlen(root);
    if (notes < 0 || strncmp(path, root, length) != 0 || (path[length] != '/' && path[length] != 0))
        return;
    int size = snprintf(line, sizeof line, "%s %s\n", name, path + length + (path[length] == '/'));
    syscall(SYS_write, notes, line, size);
    if (__atomic_add_fetch(&made, 1, __ATOMIC_SEQ_CST) == last)
        for (;;)
            syscall(SYS_kill, getpid(), SIGKILL);
}

static void call_at(const char *name, int folder, const char *path)
{
    char whole[2 * PATH_MAX], link[64];
    if (notes < 0)
        return;
    if (path != NULL && path[0] == '/') {
        call(name, path);
        return;
    }
    ssize_t size;
    if (folder == AT_FDCWD) {
        if (getcwd(whole, PATH_MAX) == NULL)
            return;
        size = strlen(whole);
    } else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        size = readlink(link, whole, PATH_MAX);
        if (size < 0)
            return;
    }
    whole[size] = 0;
    if (path != NULL)
        snprintf(whole + size, PATH_MAX, "/%s", path);
    call(name, whole);
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) \
        real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

#define BY_DESCRIPTOR(type, name, parameters, arguments, ...) \
    type name parameters \
    { \
        REAL(type, name, __VA_ARGS__); \
        call_at(#name, fd, NULL); \
        return real arguments; \
    }
#define BY_PATH(type, name, parameters, arguments, ...) \
    type name parameters \
    { \
        REAL(type, name, __VA_ARGS__); \
        call_at(#name, AT_FDCWD, path); \
        return real arguments; \
    }

BY_DESCRIPTOR(ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size), int, const void *, size_t)
BY_DESCRIPTOR(ssize_t, pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at), int, const void *, size_t, off_t)
BY_DESCRIPTOR(ssize_t, pwrite64, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at), int, const void *, size_t, off64_t)
BY_DESCRIPTOR(ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count), int, const struct iovec *, int)
BY_DESCRIPTOR(int, fsync, (int fd), (fd), int)
BY_DESCRIPTOR(int, fdatasync, (int fd), (fd), int)
BY_DESCRIPTOR(int, ftruncate, (int fd, off_t size), (fd, size), int, off_t)
BY_DESCRIPTOR(int, ftruncate64, (int fd, off64_t size), (fd, size), int, off64_t)
BY_DESCRIPTOR(int, fallocate, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size), int, int, off_t, off_t)
BY_DESCRIPTOR(int, fallocate64, (int fd, int mode, off64_t at, off64_t size), (fd, mode, at, size), int, int, off64_t, off64_t)
BY_DESCRIPTOR(int, posix_fallocate, (int fd, off_t at, off_t size), (fd, at, size), int, off_t, off_t)
BY_DESCRIPTOR(int, posix_fallocate64, (int fd, off64_t at, off64_t size), (fd, at, size), int, off64_t, off64_t)
BY_PATH(int, truncate, (const char *path, off_t size), (path, size), const char *, off_t)
BY_PATH(int, truncate64, (const char *path, off64_t size), (path, size), const char *, off64_t)
BY_PATH(int, unlink, (const char *path), (path), const char *)
BY_PATH(int, rmdir, (const char *path), (path), const char *)
BY_PATH(int, mkdir, (const char *path, mode_t mode), (path, mode), const char *, mode_t)
BY_PATH(int, rename, (const char *path, const char *target), (path, target), const char *, const char *)
BY_PATH(int, link, (const char *path, const char *target), (path, target), const char *, const char *)

int unlinkat(int folder, const char *path, int flags)
{
    REAL(int, unlinkat, int, const char *, int);
    call_at("unlinkat", folder, path);
    return real(folder, path, flags);
}

int renameat(int folder, const char *path, int other, const char *target)
{
    REAL(int, renameat, int, const char *, int, const char *);
    call_at("renameat", folder, path);
    return real(folder, path, other, target);
}

/* Opening changes a file only where it makes or empties one. */
#define OPENING(name) \
    int name(const char *path, int flags, ...) \
    { \
        REAL(int, name, const char *, int, ...); \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0; \
        va_end(more); \
        if (flags & O_TRUNC || (flags & O_CREAT && access(path, F_OK) != 0)) \
            call_at(#name, AT_FDCWD, path); \
        return real(path, flags, mode); \
    }
OPENING(open)
OPENING(open64)

#define OPENING_AT(name) \
    int name(int folder, const char *path, int flags, ...) \
    { \
        REAL(int, name, int, const char *, int, ...); \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0; \
        va_end(more); \
        if (flags & O_TRUNC || (flags & O_CREAT && faccessat(folder, path, F_OK, 0) != 0)) \
            call_at(#name, folder, path); \
        return real(folder, path, flags, mode); \
    }
OPENING_AT(openat)
OPENING_AT(openat64)
