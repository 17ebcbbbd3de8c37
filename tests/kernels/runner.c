/* Answers questions about libsonnx. It says first what sonnx_platform_check() found; then a question
 * is a line: the name of a function, `apart` or `in_place`, and its operands, as the lines of runners
 * have tensors (sonnx_formal/backends/README.md). The answer is `result` and a tensor, or `status` and
 * the number of a status. "functions.inc" has the functions: UNARY(name) and BINARY(name) compute
 * element by element, PARTIAL(name) does so and counts, COMPARISON(name) has truth values as result,
 * CHOICE(name) has them as first operand, SCALED(name, type) and LIMITED(name, type) have one or two
 * numbers of a type behind the operand, PRODUCT(name) is one of matrices. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sonnx.h"

enum { MOST_AXES = 8, MOST_OPERANDS = 3, UNWRITTEN = 0x5A };

typedef struct {
    const char *type;
    size_t size, axes, count;
    size_t dimensions[MOST_AXES];
    void *elements;
} tensor;

typedef sonnx_status caller(const tensor *, const tensor *);

#define CALLER(name, ...)                                                          \
    static sonnx_status call_##name(const tensor *operands, const tensor *result) { \
        uint64_t computed = 0;                                                     \
        sonnx_status status = name(__VA_ARGS__);                                   \
        (void)computed;                                                            \
        return status;                                                             \
    }
#define AT(k) operands[k].elements
#define TO result->elements, result->count
#define UNARY(name) CALLER(name, AT(0), TO)
#define BINARY(name) CALLER(name, AT(0), AT(1), TO)
#define PARTIAL(name) CALLER(name, AT(0), AT(1), TO, &computed)
#define COMPARISON BINARY
#define CHOICE(name) CALLER(name, AT(0), AT(1), AT(2), TO)
#define NUMBER(type, k) (*(const type *)AT(k))
#define SCALED(name, type) CALLER(name, AT(0), NUMBER(type, 1), TO)
#define LIMITED(name, type) CALLER(name, AT(0), NUMBER(type, 1), NUMBER(type, 2), TO)
#define PRODUCT(name)                                 \
    CALLER(name, AT(0), AT(1), result->elements,      \
           operands[0].dimensions[0], operands[0].dimensions[1], operands[1].dimensions[1])
#include "functions.inc"
#undef UNARY
#undef BINARY
#undef PARTIAL
#undef COMPARISON
#undef CHOICE
#undef SCALED
#undef LIMITED
#undef PRODUCT
#define UNARY(name) {#name, 1, 0, 0, call_##name},
#define BINARY(name) {#name, 2, 0, 0, call_##name},
#define PARTIAL BINARY
#define COMPARISON(name) {#name, 2, -1, 0, call_##name},
#define CHOICE(name) {#name, 3, 1, 0, call_##name},
#define SCALED(name, type) {#name, 2, 0, 0, call_##name},
#define LIMITED(name, type) {#name, 3, 0, 0, call_##name},
#define PRODUCT(name) {#name, 2, 0, 1, call_##name},

static const struct {
    const char *name;
    int operands;
    int like; /* the operand of the type of the result, in whose place it may be; -1: truth values */
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
    size_t bits = strtoul(t.type + strcspn(t.type, "0123456789"), NULL, 10);
    t.size = bits > 0 ? bits / 8 : 1; /* of bool */
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
        tensor operands[MOST_OPERANDS];
        int like = functions[chosen].like;
        for (int i = 0; i < functions[chosen].operands; i++) operands[i] = next_tensor();
        tensor result = operands[like < 0 ? 0 : like];
        if (like < 0) {
            result.type = "bool";
            result.size = 1;
        }
        if (functions[chosen].is_product) result.dimensions[1] = operands[1].dimensions[1];
        if (!in_place) allocate(&result);
        sonnx_status status = functions[chosen].call(operands, &result);
        if (status == SONNX_OK) {
            print_tensor(&result);
        } else {
            printf("status %d\n", (int)status);
        }
        for (int i = 0; i < functions[chosen].operands; i++) free(operands[i].elements);
        if (!in_place) free(result.elements);
    }
    free(line);
    return 0;
}
