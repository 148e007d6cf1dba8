/* A USB camera without hardware: answers the V4L2 calls on one file, preloaded into the process under test.
 *
 *     cc -shared -fPIC -o fake_v4l2.so fake_v4l2.c -ldl
 *     LD_PRELOAD=./fake_v4l2.so FAKE_V4L2=/path/of/a/file FAKE_V4L2_IMAGES=/folder FAKE_V4L2_RATE=25 ...
 *
 * The folder holds 000.mjpeg, 001.mjpeg, ... or 000.yuyv, ...: what the camera sends, one a period, around again.
 * FAKE_V4L2_FORMAT: MJPG or YUYV, all that it can. FAKE_V4L2_SIZE: 320x180.
 * FAKE_V4L2_UNPLUGGED: "n s": after n images the device is gone for s seconds. FAKE_V4L2_QUIET: the same, but it
 * stays and gives nothing. The kernel's own behaviour followed here: linux/videodev2.h and its documentation.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define LENGTH (1 << 20)
#define MOST 32

static int handle = -1, queue[MOST], queued;
static long sent;
static double next_s, gone_until_s, quiet_until_s;
static char memory[MOST][LENGTH];

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static const char *setting(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

static double period_s(void) { return 1.0 / atof(setting("FAKE_V4L2_RATE", "25")); }

static int is_ours(const char *path) {
    const char *ours = getenv("FAKE_V4L2");
    return ours && path && !strcmp(path, ours);
}

static int open_ours(const char *path, int flags) {
    static int (*real)(const char *, int, ...);
    if (!real) real = dlsym(RTLD_NEXT, "open");
    if (now_s() < gone_until_s) { errno = ENODEV; return -1; }
    queued = 0;
    return handle = real(path, flags & ~(O_CREAT | O_TRUNC));
}

#define OPEN(name)                                                           \
    int name(const char *path, int flags, ...) {                             \
        static int (*real)(const char *, int, ...);                          \
        va_list list;                                                        \
        va_start(list, flags);                                               \
        int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0;    \
        va_end(list);                                                        \
        if (is_ours(path)) return open_ours(path, flags);                    \
        if (!real) real = dlsym(RTLD_NEXT, #name);                           \
        return real(path, flags, mode);                                      \
    }
OPEN(open)
OPEN(open64)

int close(int fd) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "close");
    if (fd == handle) handle = -1;
    return real(fd);
}

#define MMAP(name, off)                                                                   \
    void *name(void *at, size_t length, int protection, int flags, int fd, off offset) {  \
        static void *(*real)(void *, size_t, int, int, int, off);                         \
        if (!real) real = dlsym(RTLD_NEXT, #name);                                        \
        if (fd >= 0 && fd == handle) return memory[offset / LENGTH];                      \
        return real(at, length, protection, flags, fd, offset);                           \
    }
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

int munmap(void *at, size_t length) {
    static int (*real)(void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "munmap");
    if ((char *)at >= memory[0] && (char *)at < memory[0] + sizeof memory) return 0;
    return real(at, length);
}

static void say_format(struct v4l2_format *format) {
    const char *pixel = setting("FAKE_V4L2_FORMAT", "MJPG");
    int width = 0, height = 0;
    sscanf(setting("FAKE_V4L2_SIZE", "320x180"), "%dx%d", &width, &height);
    format->fmt.pix.width = width;
    format->fmt.pix.height = height;
    format->fmt.pix.pixelformat = v4l2_fourcc(pixel[0], pixel[1], pixel[2], pixel[3]);
    format->fmt.pix.field = V4L2_FIELD_NONE;
    format->fmt.pix.sizeimage = pixel[0] == 'M' ? LENGTH : 2 * width * height;
    format->fmt.pix.bytesperline = pixel[0] == 'M' ? 0 : 2 * width;
}

static size_t load(long n, char *into) {
    char path[4096];
    const char *end = setting("FAKE_V4L2_FORMAT", "MJPG")[0] == 'M' ? "mjpeg" : "yuyv";
    for (int tried = 0; tried < 2; tried++) {
        snprintf(path, sizeof path, "%s/%03ld.%s", getenv("FAKE_V4L2_IMAGES"), tried ? 0 : n % 1000, end);
        FILE *file = fopen(path, "rb");
        if (!file) { sent = 0; continue; }
        size_t length = fread(into, 1, LENGTH, file);
        fclose(file);
        return length;
    }
    return 0;
}

/* Whether a mishap that was asked for begins now; it happens once. */
static int begins(const char *name, double *until_s) {
    long after;
    double seconds;
    if (*until_s || sscanf(setting(name, ""), "%ld %lf", &after, &seconds) != 2 || sent < after) return 0;
    *until_s = now_s() + seconds;
    return 1;
}

static int dequeue(struct v4l2_buffer *buffer) {
    if (begins("FAKE_V4L2_UNPLUGGED", &gone_until_s) || now_s() < gone_until_s) { errno = ENODEV; return -1; }
    begins("FAKE_V4L2_QUIET", &quiet_until_s);
    int waits = !(fcntl(handle, F_GETFL) & O_NONBLOCK);
    double ready_s = next_s > quiet_until_s ? next_s : quiet_until_s;
    if (ready_s > now_s() || !queued) {
        if (!waits) { errno = EAGAIN; return -1; }
        usleep((useconds_t)(1e6 * (ready_s - now_s())));
    }
    int index = queue[0];
    memmove(queue, queue + 1, sizeof(int) * --queued);
    buffer->index = index;
    buffer->bytesused = load(sent++, memory[index]);
    buffer->flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
    buffer->timestamp.tv_sec = (long)ready_s;
    buffer->timestamp.tv_usec = (long)(1e6 * (ready_s - (long)ready_s));
    next_s = ready_s + period_s();
    return 0;
}

static int answer(unsigned long request, void *argument) {
    struct v4l2_buffer *buffer = argument;
    switch (request) {
    case VIDIOC_QUERYCAP: {
        struct v4l2_capability *can = argument;
        memset(can, 0, sizeof *can);
        strcpy((char *)can->driver, "fake");
        can->capabilities = can->device_caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
        return 0;
    }
    case VIDIOC_ENUM_FMT: {
        struct v4l2_fmtdesc *description = argument;
        struct v4l2_format format;
        if (description->index) { errno = EINVAL; return -1; }
        say_format(&format);
        description->pixelformat = format.fmt.pix.pixelformat;
        return 0;
    }
    case VIDIOC_S_FMT: /* a driver changes what it cannot do and says so */
    case VIDIOC_G_FMT:
        say_format(argument);
        return 0;
    case VIDIOC_G_INPUT:
        *(int *)argument = 0;
        return 0;
    case VIDIOC_S_INPUT:
        return 0;
    case VIDIOC_ENUMINPUT: {
        struct v4l2_input *input = argument;
        if (input->index) { errno = EINVAL; return -1; }
        input->type = V4L2_INPUT_TYPE_CAMERA;
        input->std = 0;
        return 0;
    }
    case VIDIOC_G_PARM:
    case VIDIOC_S_PARM: {
        struct v4l2_streamparm *stream = argument;
        stream->parm.capture.capability = V4L2_CAP_TIMEPERFRAME;
        stream->parm.capture.timeperframe.numerator = 1000;
        stream->parm.capture.timeperframe.denominator = (unsigned)(1000 / period_s());
        return 0;
    }
    case VIDIOC_REQBUFS: {
        struct v4l2_requestbuffers *wanted = argument;
        if (wanted->count > MOST) wanted->count = MOST;
        return 0;
    }
    case VIDIOC_QUERYBUF:
        buffer->length = LENGTH;
        buffer->m.offset = buffer->index * LENGTH;
        return 0;
    case VIDIOC_QBUF:
        queue[queued++] = buffer->index;
        return 0;
    case VIDIOC_STREAMON:
        next_s = now_s() + period_s();
        return 0;
    case VIDIOC_STREAMOFF:
        queued = 0;
        return 0;
    case VIDIOC_DQBUF:
        return dequeue(buffer);
    }
    errno = ENOTTY;
    return -1;
}

int ioctl(int fd, unsigned long request, ...) {
    static int (*real)(int, unsigned long, void *);
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (fd >= 0 && fd == handle && _IOC_TYPE(request) == 'V') return answer(request & 0xffffffff, argument);
    if (!real) real = dlsym(RTLD_NEXT, "ioctl");
    return real(fd, request, argument);
}
