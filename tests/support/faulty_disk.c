/* A disk that fails when told to, and one that remembers every write, preloaded into a process (LD_PRELOAD).
 *
 * Only what happens below one folder counts. Every call that changes that folder (create, write, truncate, sync,
 * rename, delete, make a folder) is numbered from 1. The call with the number that was set fails with the error
 * that was set; all later ones too, when that was asked for. Every call that succeeds is written to a log, so
 * that a test can build the folder as it was after any of them: what a power cut leaves.
 *
 * Control: faulty_disk_arm(folder, number, error, for_ever, delay_us, log) from the process itself (ctypes),
 * faulty_disk_count() for how many calls there were. Nothing happens before it is armed.
 *
 * Log: records of 8 little-endian int64 (kind, inode, offset, length, path length, second path length, 0, 0),
 * then the paths, then the data. Kinds are the letters of the functions below.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST_FILES 4096

static char folder[4096];
static size_t folder_length;
static long counted, failing_number;
static int failing_error, failing_for_ever, delay_us, log_file = -1;
static char ours[MOST_FILES]; /* descriptors of files below the folder */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name, result, ...) ((result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

static ssize_t real_write(int file, const void *data, size_t size) {
    return REAL(write, ssize_t, int, const void *, size_t)(file, data, size);
}

void faulty_disk_arm(const char *where, long number, int error, int for_ever, int delay, const char *log) {
    pthread_mutex_lock(&lock);
    snprintf(folder, sizeof folder, "%s", where ? where : "");
    folder_length = strlen(folder);
    counted = 0;
    failing_number = number;
    failing_error = error;
    failing_for_ever = for_ever;
    delay_us = delay;
    if (log_file >= 0) REAL(close, int, int)(log_file);
    log_file = log && *log ? REAL(open, int, const char *, int, ...)(log, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (!folder_length) memset(ours, 0, sizeof ours);
    pthread_mutex_unlock(&lock);
}

long faulty_disk_count(void) { return counted; }

static int below(const char *path) {
    return folder_length && path && !strncmp(path, folder, folder_length) &&
           (path[folder_length] == '/' || !path[folder_length]);
}

static int known(int file) { return folder_length && file >= 0 && file < MOST_FILES && ours[file]; }

static void keep(char kind, int file, int64_t offset, const void *data, size_t size, const char *a, const char *b) {
    if (log_file < 0) return;
    struct stat found;
    int64_t inode = file >= 0 && !fstat(file, &found) ? (int64_t)found.st_ino : 0;
    int64_t head[8] = {kind, inode, offset, data ? (int64_t)size : 0, a ? (int64_t)strlen(a) : 0,
                       b ? (int64_t)strlen(b) : 0, (int64_t)size, 0};
    real_write(log_file, head, sizeof head);
    if (a) real_write(log_file, a, strlen(a));
    if (b) real_write(log_file, b, strlen(b));
    if (data && size) real_write(log_file, data, size);
}

/* 1 when this call is to fail; errno is set then. Holds the lock until `leave`. */
static int enter(void) {
    pthread_mutex_lock(&lock);
    counted++;
    if (delay_us) usleep((useconds_t)delay_us);
    if (failing_number && (counted == failing_number || (failing_for_ever && counted > failing_number))) {
        pthread_mutex_unlock(&lock);
        errno = failing_error;
        return 1;
    }
    return 0;
}

static void leave(void) {
    int kept = errno;
    pthread_mutex_unlock(&lock);
    errno = kept;
}

static int opened(const char *path, int flags, mode_t mode) {
    int (*real)(const char *, int, ...) = REAL(open64, int, const char *, int, ...);
    int changes = (flags & O_CREAT && access(path, F_OK)) || flags & O_TRUNC;
    if (!below(path)) {
        int file = real(path, flags, mode);
        if (file >= 0 && file < MOST_FILES) ours[file] = 0;
        return file;
    }
    if (changes && enter()) return -1;
    int file = real(path, flags, mode);
    if (file >= 0 && file < MOST_FILES) {
        ours[file] = 1;
        if (changes) keep(flags & O_TRUNC ? 'T' : 'C', file, 0, NULL, 0, path, NULL);
    }
    if (changes) leave();
    return file;
}

#define OPEN(name)                                                                      \
    int name(const char *path, int flags, ...) {                                        \
        va_list more;                                                                   \
        va_start(more, flags);                                                          \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;       \
        va_end(more);                                                                   \
        return opened(path, flags, mode);                                               \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                    \
    int name(int at, const char *path, int flags, ...) {                                \
        va_list more;                                                                   \
        va_start(more, flags);                                                          \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;       \
        va_end(more);                                                                   \
        if (at == AT_FDCWD || path[0] == '/') return opened(path, flags, mode);         \
        return REAL(name, int, int, const char *, int, ...)(at, path, flags, mode);     \
    }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int file, const void *data, size_t size) {
    if (!known(file)) return real_write(file, data, size);
    if (enter()) return -1;
    off_t at = fcntl(file, F_GETFL) & O_APPEND ? lseek(file, 0, SEEK_END) : lseek(file, 0, SEEK_CUR);
    ssize_t done = real_write(file, data, size);
    if (done > 0) keep('W', file, at, data, (size_t)done, NULL, NULL);
    leave();
    return done;
}

#define PWRITE(name, offset_type)                                                                          \
    ssize_t name(int file, const void *data, size_t size, offset_type at) {                                \
        ssize_t (*real)(int, const void *, size_t, offset_type) =                                          \
            REAL(name, ssize_t, int, const void *, size_t, offset_type);                                   \
        if (!known(file)) return real(file, data, size, at);                                               \
        if (enter()) return -1;                                                                            \
        ssize_t done = real(file, data, size, at);                                                         \
        if (done > 0) keep('W', file, at, data, (size_t)done, NULL, NULL);                                 \
        leave();                                                                                           \
        return done;                                                                                       \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define TRUNCATE(name, offset_type)                                                                        \
    int name(int file, offset_type size) {                                                                 \
        int (*real)(int, offset_type) = REAL(name, int, int, offset_type);                                 \
        if (!known(file)) return real(file, size);                                                         \
        if (enter()) return -1;                                                                            \
        int done = real(file, size);                                                                       \
        if (!done) keep('t', file, size, NULL, 0, NULL, NULL);                                             \
        leave();                                                                                           \
        return done;                                                                                       \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define SYNC(name)                                                                                         \
    int name(int file) {                                                                                   \
        int (*real)(int) = REAL(name, int, int);                                                           \
        if (!known(file)) return real(file);                                                               \
        if (enter()) return -1;                                                                            \
        int done = real(file);                                                                             \
        if (!done) keep('S', file, 0, NULL, 0, NULL, NULL);                                                \
        leave();                                                                                           \
        return done;                                                                                       \
    }
SYNC(fsync)
SYNC(fdatasync)

int rename(const char *from, const char *to) {
    int (*real)(const char *, const char *) = REAL(rename, int, const char *, const char *);
    if (!below(to) && !below(from)) return real(from, to);
    if (enter()) return -1;
    int done = real(from, to);
    if (!done) keep('R', -1, 0, NULL, 0, from, to);
    leave();
    return done;
}

#define BY_PATH(name, letter, parameters, ...)                                                             \
    int name parameters {                                                                                  \
        int (*real) parameters = (int(*) parameters)dlsym(RTLD_NEXT, #name);                               \
        if (!below(path)) return real(__VA_ARGS__);                                                        \
        if (enter()) return -1;                                                                            \
        int done = real(__VA_ARGS__);                                                                      \
        if (!done) keep(letter, -1, 0, NULL, 0, path, NULL);                                               \
        leave();                                                                                           \
        return done;                                                                                       \
    }
BY_PATH(unlink, 'U', (const char *path), path)
BY_PATH(rmdir, 'D', (const char *path), path)
BY_PATH(mkdir, 'M', (const char *path, mode_t mode), path, mode)

int close(int file) {
    if (file >= 0 && file < MOST_FILES) ours[file] = 0;
    return REAL(close, int, int)(file);
}
