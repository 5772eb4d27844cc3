/* What the code of Numba asks its run time for, in a library that has none: memory for copies of overlapping slices and
 * for lists, and a word where an entry fails. Nothing of it is seen outside of the library. */

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*destructor)(void *data, size_t size, void *info);

typedef struct { /* as compiled code reads it: the count first, the data fourth */
    size_t count;
    destructor end;
    void *info;
    void *data;
    size_t size;
    void *allocator;
} block_of_memory;

void *NRT_Allocate(size_t size) { return malloc(size ? size : 1); }

void NRT_Free(void *data) { free(data); }

void *NRT_MemInfo_alloc(size_t size) {
    block_of_memory *made = calloc(1, sizeof *made);
    void *data = made ? malloc(size ? size : 1) : NULL;
    if (!data) {
        free(made);
        return NULL;
    }
    made->count = 1;
    made->data = data;
    made->size = size;
    return made;
}

/* Of a list: ``end`` lets go of what is in it, which is called with the data alone. */
void *NRT_MemInfo_new_varsize_dtor(size_t size, void *end) {
    block_of_memory *made = NRT_MemInfo_alloc(size);
    if (made) made->info = end;
    return made;
}

void *NRT_MemInfo_varsize_realloc(block_of_memory *list, size_t size) {
    void *data = realloc(list->data, size ? size : 1);
    if (data) {
        list->data = data;
        list->size = size;
    }
    return data;
}

void NRT_MemInfo_call_dtor(block_of_memory *done) {
    void (*end)(void *) = (void (*)(void *))done->info;
    if (end) end(done->data);
    free(done->data);
    free(done);
}

void *PyExc_RuntimeError;

void PyErr_SetString(void *kind, const char *message) {
    (void)kind;
    fprintf(stderr, "polycontact: %s\n", message);
}

void polycontact_entry_failed(const char *name) {
    fprintf(stderr, "polycontact: %s failed; its memory may have run out\n", name);
}
