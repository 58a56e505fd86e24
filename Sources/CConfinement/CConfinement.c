#define _DEFAULT_SOURCE
#include "CConfinement.h"

#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

static void limit(int resource, rlim_t value) {
    struct rlimit both = {value, value};
    // Where the system refuses, it has a lower limit already.
    (void)setrlimit(resource, &both);
}

void streak_confine(void) {
#ifdef __linux__
    // Whatever the node’s libraries left open. On macOS the node has had them closed.
    closefrom(STDERR_FILENO + 1);
    // Programs that it might start get no further rights, such as by the setuid bit.
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    // Private memory, with the whole stack of each thread: some 20 MB are in use. An answer without an end meets this limit before
    // it takes the machine's memory (bitcoin#31130).
    limit(RLIMIT_DATA, (rlim_t)128 << 20);
#endif
    if (chdir("/") != 0) _exit(71);
    limit(RLIMIT_CORE, 0);
    // It writes no file; sockets have no size.
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_NOFILE, 256);
}
