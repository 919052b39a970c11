/* What setup.py puts in front of every module of the limited API: Cython (3.3) has each import Python's `inspect`, which
 * takes 4 ms where nothing else has, for seven constants that Python has not changed since it has them. */
#if defined(Py_LIMITED_API) && !defined(KAFKACODEC_STARTUP_H)
#define KAFKACODEC_STARTUP_H

#ifndef PY_SSIZE_T_CLEAN
#define PY_SSIZE_T_CLEAN
#endif
#include <Python.h>
#include <string.h>

/* CPython's Include/cpython/code.h; Cython asks `inspect` for those that are not defined */
#define CO_OPTIMIZED 0x0001
#define CO_NEWLOCALS 0x0002
#define CO_VARARGS 0x0004
#define CO_VARKEYWORDS 0x0008
#define CO_GENERATOR 0x0020
#define CO_COROUTINE 0x0080
#define CO_ASYNC_GENERATOR 0x0200

/* Cython's __Pyx_init_co_variables then asks it for nothing, but imports it; no other code of ours does from C. */
static inline PyObject *kafkacodec_import(const char *name) {
    if (strcmp(name, "inspect") == 0) {
        Py_INCREF(Py_None);
        return Py_None;
    }
    return (PyImport_ImportModule)(name);
}
#define PyImport_ImportModule(name) kafkacodec_import(name)

#endif
