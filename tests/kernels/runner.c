/* Answers questions about libsonnx. It says first what sonnx_platform_check() found; then a question
 * is a line: the label of a call, and its arguments, as the lines of runners have tensors
 * (sonnx_formal/backends/README.md); a number is one without axes, and the result has elements before
 * the call, too. The answer is `result` and a tensor, or `status` and the number of a status.
 * "calls.inc" has the calls: CALL(label, number of arguments, which of them gets the result, call). */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sonnx.h"

enum { MOST_AXES = 8, MOST_ARGUMENTS = 16 };

typedef struct {
    const char *type;
    size_t size, axes, count;
    size_t dimensions[MOST_AXES];
    void *elements;
} tensor;

#define AT(k) arguments[k].elements
#define NUMBER(type, k) (*(const type *)arguments[k].elements)
#define CALL(label, count, result, call) \
    static sonnx_status call_##label(const tensor *arguments) { return call; }
#include "calls.inc"
#undef CALL
#define CALL(label, count, result, call) {#label, count, result, call_##label},

static const struct {
    const char *label;
    size_t arguments, result;
    sonnx_status (*call)(const tensor *);
} calls[] = {
#include "calls.inc"
};
enum { CALLS = sizeof calls / sizeof *calls };

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

/* Its elements are in memory of exactly their size. */
static tensor next_tensor(void) {
    tensor t = {.type = next_word(), .count = 1};
    size_t bits = strtoul(t.type + strcspn(t.type, "0123456789"), NULL, 10);
    t.size = bits > 0 ? bits / 8 : 1; /* of bool */
    t.axes = next_number();
    require(t.axes <= MOST_AXES, "too many axes");
    for (size_t i = 0; i < t.axes; i++) t.count *= t.dimensions[i] = next_number();
    t.elements = malloc(t.count * t.size);
    require(t.count == 0 || t.elements != NULL, "no memory");
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
        const char *label = strtok(line, " \n");
        size_t chosen = 0;
        require(label != NULL, "a line is empty");
        while (chosen < CALLS && strcmp(calls[chosen].label, label) != 0) chosen++;
        require(chosen < CALLS, "no such call");
        tensor arguments[MOST_ARGUMENTS];
        for (size_t i = 0; i < calls[chosen].arguments; i++) arguments[i] = next_tensor();
        sonnx_status status = calls[chosen].call(arguments);
        if (status == SONNX_OK) {
            print_tensor(&arguments[calls[chosen].result]);
        } else {
            printf("status %d\n", (int)status);
        }
        for (size_t i = 0; i < calls[chosen].arguments; i++) free(arguments[i].elements);
    }
    free(line);
    return 0;
}
