/* Calls a block of C so that a crash, or a loop without end, in it ends in a report.

   Made by pmc; changes will be lost. */

#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* What `pmc_guard` returns: 0, or one of these. Signals follow the last. */
enum { PMC_ENDLESS = 3, PMC_SIGNAL = 256 };

static const int pmc_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
enum { PMC_N_SIGNALS = sizeof pmc_signals / sizeof pmc_signals[0] };
/* Who handled each signal before. */
static struct sigaction pmc_before[PMC_N_SIGNALS];

static _Thread_local sigjmp_buf pmc_begin;
static _Thread_local volatile sig_atomic_t pmc_is_inside;

/* A signal outside of a block is for the handler that was there before. */
static void pmc_pass_on(int number, siginfo_t *info, void *context) {
    for (int i = 0; i < PMC_N_SIGNALS; i++) {
        if (pmc_signals[i] != number) continue;
        struct sigaction *before = &pmc_before[i];
        if (before->sa_flags & SA_SIGINFO) {
            before->sa_sigaction(number, info, context);
        } else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN) {
            before->sa_handler(number);
        } else {
            signal(number, SIG_DFL);
            raise(number);
        }
    }
}

static void pmc_crash(int number, siginfo_t *info, void *context) {
    if (pmc_is_inside) {
        pmc_is_inside = 0;
        siglongjmp(pmc_begin, PMC_SIGNAL + number);
    }
    pmc_pass_on(number, info, context);
}

#ifdef __linux__
/* A block that uses so many seconds of processor time is taken to be endless. */
enum { PMC_LONGEST = 10 };

static _Thread_local volatile uint64_t pmc_n_calls;
static _Thread_local volatile uint64_t pmc_last_call;
static _Thread_local volatile sig_atomic_t pmc_n_seconds;
static _Thread_local int pmc_has_clock;

/* Once in each second of processor time of a thread. */
static void pmc_tick(int number) {
    (void)number;
    if (!pmc_is_inside || pmc_last_call != pmc_n_calls) {
        pmc_last_call = pmc_n_calls;
        pmc_n_seconds = 0;
        return;
    }
    pmc_n_seconds = pmc_n_seconds + 1;
    if (pmc_n_seconds >= PMC_LONGEST) {
        pmc_n_seconds = 0;
        pmc_is_inside = 0;
        siglongjmp(pmc_begin, PMC_ENDLESS);
    }
}

static void pmc_start_clock(void) {
    struct sigevent event;
    struct itimerspec every = { { 1, 0 }, { 1, 0 } };
    timer_t timer;
    pmc_has_clock = 1;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGVTALRM;
#ifdef sigev_notify_thread_id
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
#else
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
#endif
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0) timer_settime(timer, 0, &every, NULL);
}
#endif

static void pmc_install(void) {
    struct sigaction own;
    memset(&own, 0, sizeof own);
    sigemptyset(&own.sa_mask);
    own.sa_sigaction = pmc_crash;
    own.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (int i = 0; i < PMC_N_SIGNALS; i++) sigaction(pmc_signals[i], &own, &pmc_before[i]);
#ifdef __linux__
    memset(&own, 0, sizeof own);
    sigemptyset(&own.sa_mask);
    own.sa_handler = pmc_tick;
    own.sa_flags = SA_RESTART | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGVTALRM, &own, NULL);
#endif
}

int32_t pmc_guard(void (*block)(void)) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, pmc_install);
#ifdef __linux__
    if (!pmc_has_clock) pmc_start_clock();
    pmc_n_calls = pmc_n_calls + 1;
#endif
    int end = sigsetjmp(pmc_begin, 0);
    if (end) return end;
    pmc_is_inside = 1;
    block();
    pmc_is_inside = 0;
    return 0;
}
