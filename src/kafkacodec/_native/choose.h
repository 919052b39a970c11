/* Has the including file's `choose()` run once, before or at the first call, whatever the number of threads. Where the
 * loader can do it, it is done when the extension is loaded, and ENSURE_CHOSEN() costs a call nothing. Included once in
 * a file, behind the definition of `static void choose(void)`.
 */
#if defined(__GNUC__) || defined(__clang__)
__attribute__((constructor)) static void choose_at_load(void)
{
    choose();
}
#define ENSURE_CHOSEN() ((void)0)
#else
#include <windows.h>
static BOOL CALLBACK choose_once(PINIT_ONCE once, PVOID parameter, PVOID *context)
{
    (void)once, (void)parameter, (void)context;
    choose();
    return TRUE;
}
static INIT_ONCE chosen = INIT_ONCE_STATIC_INIT;
#define ENSURE_CHOSEN() ((void)InitOnceExecuteOnce(&chosen, choose_once, NULL, NULL))
#endif
