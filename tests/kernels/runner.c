/* Answers questions about libsonnx. It says first what sonnx_platform_check() found; then a question
 * is a line: the name of a function, `apart` or `in_place`, and two tensors, as the lines of runners
 * have them (sonnx_formal/backends/README.md). The answer is `result` and a tensor, or `status` and
 * the number of a status. "functions.inc" has the functions: SAME(name) computes element by element,
 * PARTIAL(name) does so and counts, PRODUCT(name) is one of matrices. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sonnx.h"

enum { MOST_AXES = 8, UNWRITTEN = 0x5A };

typedef struct {
    const char *type;
    size_t size, axes, count;
    size_t dimensions[MOST_AXES];
    void *elements;
} tensor;

typedef sonnx_status caller(const tensor *, const tensor *, const tensor *);

#define CALLER(name, ...)                                                                   \
    static sonnx_status call_##name(const tensor *a, const tensor *b, const tensor *c) {    \
        uint64_t computed = 0;                                                              \
        sonnx_status status = name(a->elements, b->elements, c->elements, __VA_ARGS__);     \
        (void)computed;                                                                     \
        return status;                                                                      \
    }
#define SAME(name) CALLER(name, a->count)
#define PARTIAL(name) CALLER(name, a->count, &computed)
#define PRODUCT(name) CALLER(name, a->dimensions[0], a->dimensions[1], b->dimensions[1])
#include "functions.inc"
#undef SAME
#undef PARTIAL
#undef PRODUCT
#define SAME(name) {#name, 0, call_##name},
#define PARTIAL SAME
#define PRODUCT(name) {#name, 1, call_##name},

static const struct {
    const char *name;
    int is_product;
    caller *call;
} functions[] = {
#include "functions.inc"
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static void require(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "runner: %s\n", what);
        exit(2);
    }
}

static char *next_word(void) {
    char *word = strtok(NULL, " \n");
    require(word != NULL, "a line ends too soon");
    return word;
}

static size_t next_number(void) { return (size_t)strtoull(next_word(), NULL, 10); }

/* The bytes of a word of so many bits, in the order of this machine. */
#define WORDS(apply) apply(8) apply(16) apply(32) apply(64)

static void write_element(const tensor *t, size_t i, uint64_t bits) {
    char *place = (char *)t->elements + i * t->size;
#define WRITE(width)                                \
    if (t->size == width / 8) {                     \
        uint##width##_t word = (uint##width##_t)bits; \
        memcpy(place, &word, sizeof word);          \
    }
    WORDS(WRITE)
}

static uint64_t element(const tensor *t, size_t i) {
    const char *place = (const char *)t->elements + i * t->size;
    uint64_t bits = 0;
#define READ(width)                        \
    if (t->size == width / 8) {            \
        uint##width##_t word;              \
        memcpy(&word, place, sizeof word); \
        bits = word;                       \
    }
    WORDS(READ)
    return bits;
}

/* Memory of exactly this size, in which nothing was written. */
static void allocate(tensor *t) {
    t->count = 1;
    for (size_t i = 0; i < t->axes; i++) t->count *= t->dimensions[i];
    t->elements = malloc(t->count * t->size);
    require(t->count == 0 || t->elements != NULL, "no memory");
    if (t->count > 0) memset(t->elements, UNWRITTEN, t->count * t->size);
}

static tensor next_tensor(void) {
    tensor t = {0};
    t.type = next_word();
    t.size = strtoul(t.type + strcspn(t.type, "0123456789"), NULL, 10) / 8;
    t.axes = next_number();
    require(t.axes <= MOST_AXES, "too many axes");
    for (size_t i = 0; i < t.axes; i++) t.dimensions[i] = next_number();
    allocate(&t);
    for (size_t i = 0; i < t.count; i++) write_element(&t, i, strtoull(next_word(), NULL, 16));
    return t;
}

static void print_tensor(const tensor *t) {
    printf("result %s %zu", t->type, t->axes);
    for (size_t i = 0; i < t->axes; i++) printf(" %zu", t->dimensions[i]);
    for (size_t i = 0; i < t->count; i++) printf(" %0*" PRIx64, (int)(2 * t->size), element(t, i));
    puts("");
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    printf("platform %u\n", sonnx_platform_check());
    while (getline(&line, &size, stdin) > 0) {
        const char *name = strtok(line, " \n");
        size_t chosen = 0;
        require(name != NULL, "a line is empty");
        while (chosen < FUNCTIONS && strcmp(functions[chosen].name, name) != 0) chosen++;
        require(chosen < FUNCTIONS, "no such function");
        int in_place = strcmp(next_word(), "in_place") == 0;
        tensor a = next_tensor();
        tensor b = next_tensor();
        tensor c = a;
        if (functions[chosen].is_product) c.dimensions[1] = b.dimensions[1];
        if (!in_place) allocate(&c);
        sonnx_status status = functions[chosen].call(&a, &b, &c);
        if (status == SONNX_OK) {
            print_tensor(&c);
        } else {
            printf("status %d\n", (int)status);
        }
        free(a.elements);
        free(b.elements);
        if (!in_place) free(c.elements);
    }
    free(line);
    return 0;
}
