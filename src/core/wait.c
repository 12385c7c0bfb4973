/* SPDX-License-Identifier: Apache-2.0 */
#include "core/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include "core/fail.h"
#include "core/files.h"

enum { MILLISECONDS = 200 };

int scarce__open_to_wait(const char *path)
{
    struct stat info;
    const int pipe = stat(path, &info) == 0 && S_ISFIFO(info.st_mode);
    const int fd = scarce__open(path, O_RDONLY | (pipe ? O_NONBLOCK : 0), 0);

    if (fd >= 0 && pipe) (void)fcntl(fd, F_SETFL, O_RDONLY);
    return fd;
}

scarce_status scarce__wait_readable(int fd, const char *name, const scarce_progress *progress,
                                    const scarce_context *ctx, scarce_error *err)
{
    struct pollfd asked = {fd, POLLIN, 0};

    for (;;) {
        const int ready = poll(&asked, 1, MILLISECONDS);
        if (ready > 0 || (ready < 0 && errno != EINTR)) return SCARCE_OK; /* the read says what is wrong */
        if (scarce__progress(ctx, progress))
            return scarce__fail(err, SCARCE_ECANCEL, "stopped while waiting for %s", name);
    }
}
