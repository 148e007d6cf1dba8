/* A time of day that can be set for one process alone, preloaded into it (LD_PRELOAD).
 *
 * CUEREF_SOAK_CLOCK names a file of 8 bytes, nanoseconds (int64, this machine's byte order) that the time of day is
 * ahead. It is mapped, so that whoever writes it sets the clock of a running process. Other clocks stay as they are.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000LL

static volatile const int64_t *ahead_ns;

__attribute__((constructor)) static void map_ahead(void)
{
    const char *path = getenv("CUEREF_SOAK_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *found = mmap(NULL, sizeof *ahead_ns, PROT_READ, MAP_SHARED, file, 0);
    if (found != MAP_FAILED)
        ahead_ns = found;
    close(file);
}

int clock_gettime(clockid_t id, struct timespec *t)
{
    int failed = (int)syscall(SYS_clock_gettime, id, t);
    if (failed || !ahead_ns || (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE))
        return failed;
    int64_t ns = t->tv_sec * SECOND_NS + t->tv_nsec + *ahead_ns;
    t->tv_sec = ns / SECOND_NS;
    t->tv_nsec = ns % SECOND_NS;
    return 0;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    (void)zone;
    struct timespec now;
    int failed = clock_gettime(CLOCK_REALTIME, &now);
    t->tv_sec = now.tv_sec;
    t->tv_usec = now.tv_nsec / 1000;
    return failed;
}

time_t time(time_t *t)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (t)
        *t = now.tv_sec;
    return now.tv_sec;
}
