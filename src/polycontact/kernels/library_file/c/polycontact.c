/* Images of pairings: polycontact.h. What an image is, and in which order, is written in contact/pairing_image.py. */

#define POLYCONTACT_BUILDS
#include "polycontact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, LINE = 64, MOST_NAMES = 64, MOST_ROWS = 1 << 20 };
static const int64_t BYTE_ORDER_MARK = 0x0102030405060708;
static const uint64_t LARGEST = (uint64_t)1 << 40; /* bytes: more is damage */

/* The entries of this library whose arguments, and results if any, are whole numbers, and the sources they were made from; of
 * the object that tools/library/link.py writes. */
typedef struct {
    const char *name;
    void *code;
    int64_t n_arguments;
} named_code;
extern const named_code polycontact_codes[];
extern const int64_t polycontact_n_codes;
extern const char polycontact_sources[];

typedef struct {
    char magic[8];
    int64_t version, byte_order, size, checksum;
    char sources[24];
    int64_t n_shared, n_own, entry, row, n_names_bytes, n_names, n_moves, n_codes, n_arrays, n_rules, n_columns;
    int64_t knows_slope;
    double reach;
} header_of_image;

enum field {
    STATUS, NEEDED, IN_FULL, AREA, DEPTH, PRESSURE, ENERGY, DAMPING_POWER, FRICTION_POWER, SLOPE_STATE, SLOPE_SIZE, SLOPE,
    KINEMATICS, N_STATES, STATE_VALUES, STATE_RATES, N_ELEMENTS, N_FIELDS
};

typedef int64_t (*method_code)(int64_t row, int64_t motion, int64_t wrench);
typedef void (*commit_code)(int64_t row);

struct polycontact_pairing {
    header_of_image head;
    void *held;                  /* what the image lies in */
    unsigned char *bytes;        /* the image */
    unsigned char *shared;       /* in it: the set-up, its addresses moved */
    const unsigned char *own;    /* in it: memory of an evaluation as it is at first */
    const int64_t *fields, *moves, *codes, *arrays, *rules, *columns;
    const char *names;           /* that of the pairing, of its code, of its columns */
    int64_t *found;              /* addresses of its code */
    commit_code commit;
};

typedef struct block {
    struct block *before;
} block;

struct polycontact_memory {
    const polycontact_pairing *pairing;
    unsigned char *own;
    void *held;       /* what own lies in */
    block *grown;     /* what it has grown by */
};

/* Reading ----------------------------------------------------------------------------------------------------- */

static uint32_t checksum(const unsigned char *bytes, size_t n) { /* CRC-32, as zlib has it */
    uint32_t table[256], crc = 0xFFFFFFFFu;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
    for (size_t i = 0; i < n; i++) crc = table[(crc ^ bytes[i]) & 0xFF] ^ (crc >> 8);
    return crc ^ 0xFFFFFFFFu;
}

static const named_code *code_named(const char *name) {
    for (int64_t i = 0; i < polycontact_n_codes; i++)
        if (!strcmp(polycontact_codes[i].name, name)) return &polycontact_codes[i];
    return NULL;
}

static int64_t n_bytes(const polycontact_pairing *p) { return p->head.n_shared + p->head.n_own; }

/* Whether a slot of some bytes at a place lies in the set-up, or in the memory of an evaluation. */
static int is_place(const polycontact_pairing *p, int64_t place, int64_t length) {
    if (place < 0 || place > n_bytes(p) || length < 0 || length > n_bytes(p) - place) return 0;
    return place >= p->head.n_shared || place + length <= p->head.n_shared;
}

static int is_slot(const polycontact_pairing *p, int64_t place) { return place % 8 == 0 && is_place(p, place, 8); }
static int is_own(const polycontact_pairing *p, int64_t place) { return is_slot(p, place) && place >= p->head.n_shared; }

static int take(const unsigned char **at, int64_t *left, int64_t rows, int64_t width, const int64_t **table) {
    if (rows < 0 || rows > MOST_ROWS || rows * width * 8 > *left) return 0;
    *table = (const int64_t *)*at;
    *at += rows * width * 8;
    *left -= rows * width * 8;
    return 1;
}

static int lay_out(polycontact_pairing *p) {
    const header_of_image *head = &p->head;
    const unsigned char *at = p->bytes + sizeof(header_of_image);
    int64_t left = head->size - (int64_t)sizeof(header_of_image);
    if (head->n_shared < 0 || head->n_own < 0 || head->n_shared > left || head->n_own > left - head->n_shared) return 0;
    if (head->n_shared % LINE || head->n_own % 8) return 0;
    if (!take(&at, &left, 1, N_FIELDS, &p->fields) || !take(&at, &left, head->n_moves, 2, &p->moves) ||
        !take(&at, &left, head->n_codes, 2, &p->codes) || !take(&at, &left, head->n_arrays, 5, &p->arrays) ||
        !take(&at, &left, head->n_rules, 6, &p->rules) || !take(&at, &left, head->n_columns, 3, &p->columns))
        return 0;
    if (head->n_names_bytes <= 0 || head->n_names_bytes > left || head->n_names < 1 || head->n_names > MOST_NAMES) return 0;
    p->names = (const char *)at;
    int64_t ends = 0;
    for (int64_t i = 0; i < head->n_names_bytes; i++) ends += !p->names[i];
    if (ends < 1 + head->n_names + head->n_columns || p->names[head->n_names_bytes - 1]) return 0;
    left -= head->n_names_bytes;
    int64_t blank = left - n_bytes(p);
    if (blank < 0 || blank >= LINE) return 0;
    p->shared = p->bytes + head->size - n_bytes(p);
    p->own = p->shared + head->n_shared;
    return 1;
}

static int are_tables_sound(const polycontact_pairing *p) {
    const header_of_image *head = &p->head;
    static const int lengths[N_FIELDS] = {[SLOPE] = 96, [KINEMATICS] = 18};
    for (int i = 0; i < N_FIELDS; i++)
        if (!is_own(p, p->fields[i]) || !is_place(p, p->fields[i], 8 * (lengths[i] ? lengths[i] : 1))) return 0;
    if (!is_own(p, head->row) || head->entry < 0 || head->entry >= head->n_names) return 0;
    for (int64_t i = 0; i < head->n_moves; i++)
        if (!is_slot(p, p->moves[2 * i]) || !is_place(p, p->moves[2 * i + 1], 0)) return 0;
    for (int64_t i = 0; i < head->n_moves; i++) /* the set-up is shared: it holds nothing of one evaluation */
        if (p->moves[2 * i] < head->n_shared && p->moves[2 * i + 1] >= head->n_shared) return 0;
    for (int64_t i = 0; i < head->n_codes; i++)
        if (!is_slot(p, p->codes[2 * i]) || p->codes[2 * i + 1] < 0 || p->codes[2 * i + 1] >= head->n_names) return 0;
    for (int64_t i = 0; i < head->n_arrays; i++) {
        const int64_t *a = p->arrays + 5 * i;
        if (!is_own(p, a[0]) || (a[1] != 1 && a[1] != 4 && a[1] != 8)) return 0;
        for (int k = 2; k < 5; k++)
            if (a[k] < 0 ? !is_own(p, -a[k]) : a[k] > MOST_ROWS) return 0;
    }
    for (int64_t i = 0; i < head->n_rules; i++) {
        const int64_t *r = p->rules + 6 * i;
        if (!is_own(p, r[1]) || !is_own(p, r[2]) || r[3] < 0 || r[3] > 1024 || r[4] < 0 || r[4] > 1024 || r[5] < 0 ||
            r[5] > MOST_ROWS)
            return 0;
    }
    for (int64_t i = 0; i < head->n_columns; i++) {
        const int64_t *c = p->columns + 3 * i;
        if (!is_own(p, c[0]) || c[1] < 1 || c[1] > 64 || c[2] < 0 || c[2] > 1) return 0;
    }
    return 1;
}

static const char *name_at(const polycontact_pairing *p, int64_t i) {
    const char *name = p->names;
    while (i-- > 0) name += strlen(name) + 1;
    return name;
}

static int find_code(polycontact_pairing *p) {
    for (int64_t i = 0; i < p->head.n_names; i++) {
        const named_code *code = code_named(name_at(p, i + 1));
        if (!code || (i == p->head.entry && code->n_arguments != 3)) return POLYCONTACT_NO_CODE;
        p->found[i] = (int64_t)(intptr_t)code->code;
    }
    const named_code *commit = code_named("polycontact_contact_element_memory_commit_at");
    if (!commit) return POLYCONTACT_NO_CODE;
    memcpy(&p->commit, &commit->code, sizeof p->commit);
    return 0;
}

static void put(unsigned char *shared, unsigned char *own, int64_t n_shared, int64_t place, int64_t value) {
    memcpy(place < n_shared ? shared + place : own + (place - n_shared), &value, 8);
}

/* Addresses of a set-up or of an evaluation's memory: of what lies in blocks, and of code. */
static void move_into(const polycontact_pairing *p, unsigned char *own, int of_setup) {
    int64_t n = p->head.n_shared;
    for (int64_t i = 0; i < p->head.n_moves; i++) {
        int64_t slot = p->moves[2 * i], target = p->moves[2 * i + 1];
        if ((slot < n) == of_setup)
            put(p->shared, own, n, slot, (int64_t)(intptr_t)(target < n ? p->shared + target : own + (target - n)));
    }
    for (int64_t i = 0; i < p->head.n_codes; i++)
        if ((p->codes[2 * i] < n) == of_setup) put(p->shared, own, n, p->codes[2 * i], p->found[p->codes[2 * i + 1]]);
}

static unsigned char *on_a_line(void *held) {
    return (unsigned char *)(((uintptr_t)held + LINE - 1) / LINE * LINE);
}

/* What holds n bytes, on a line, becomes the pairing's, or is freed. */
static int open_own(void *held, size_t n, polycontact_pairing **pairing) {
    polycontact_pairing *p = calloc(1, sizeof *p);
    unsigned char *bytes = on_a_line(held);
    int failure = 0;
    if (!p) {
        free(held);
        return POLYCONTACT_NO_MEMORY;
    }
    p->held = held;
    p->bytes = bytes;
    if (n < sizeof p->head || memcmp(bytes, "PCPAIR\r\n", 8)) {
        failure = POLYCONTACT_NO_IMAGE;
    } else {
        memcpy(&p->head, bytes, sizeof p->head);
        if (p->head.version != VERSION || p->head.byte_order != BYTE_ORDER_MARK) failure = POLYCONTACT_OTHER_VERSION;
        else if ((uint64_t)p->head.size != n ||
                 checksum(bytes + sizeof p->head, n - sizeof p->head) != (uint64_t)p->head.checksum)
            failure = POLYCONTACT_DAMAGED;
        else if (memcmp(p->head.sources, polycontact_sources, sizeof p->head.sources)) failure = POLYCONTACT_OTHER_VERSION;
        else if (!lay_out(p) || !are_tables_sound(p)) failure = POLYCONTACT_DAMAGED;
        else if (!(p->found = calloc((size_t)p->head.n_names, sizeof *p->found))) failure = POLYCONTACT_NO_MEMORY;
        else failure = find_code(p);
    }
    if (failure) {
        polycontact_close(p);
        return failure;
    }
    move_into(p, NULL, 1);
    *pairing = p;
    return 0;
}

int polycontact_open_bytes(const void *bytes, size_t n, polycontact_pairing **pairing) {
    if (!pairing) return POLYCONTACT_BAD_ARGUMENT;
    *pairing = NULL;
    if (!bytes || n > LARGEST) return POLYCONTACT_BAD_ARGUMENT;
    void *held = malloc(n + LINE);
    if (!held) return POLYCONTACT_NO_MEMORY;
    memcpy(on_a_line(held), bytes, n);
    return open_own(held, n, pairing);
}

int polycontact_open(const char *path, polycontact_pairing **pairing) {
    if (!pairing) return POLYCONTACT_BAD_ARGUMENT;
    *pairing = NULL;
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (!file) return POLYCONTACT_NO_FILE;
    header_of_image head;
    size_t n = fread(&head, 1, sizeof head, file);
    int failure = 0;
    void *held = NULL;
    if (n < sizeof head || memcmp(head.magic, "PCPAIR\r\n", 8)) failure = POLYCONTACT_NO_IMAGE;
    else if (head.version != VERSION || head.byte_order != BYTE_ORDER_MARK) failure = POLYCONTACT_OTHER_VERSION;
    else if (head.size < (int64_t)sizeof head || (uint64_t)head.size > LARGEST) failure = POLYCONTACT_DAMAGED;
    else if (fseek(file, 0, SEEK_END) || ftell(file) != (long)head.size || fseek(file, 0, SEEK_SET))
        failure = POLYCONTACT_DAMAGED;
    else if (!(held = malloc((size_t)head.size + LINE))) failure = POLYCONTACT_NO_MEMORY;
    else if (fread(on_a_line(held), 1, (size_t)head.size, file) != (size_t)head.size) failure = POLYCONTACT_NO_FILE;
    fclose(file);
    if (failure) {
        free(held);
        return failure;
    }
    return open_own(held, (size_t)head.size, pairing);
}

void polycontact_close(polycontact_pairing *p) {
    if (!p) return;
    free(p->found);
    free(p->held);
    free(p);
}

const char *polycontact_name(const polycontact_pairing *p) { return p->names; }

/* Memory of an evaluation ------------------------------------------------------------------------------------- */

static unsigned char *slot_of(const polycontact_memory *m, int64_t place) {
    return m->own + (place - m->pairing->head.n_shared);
}

static int64_t read_slot(const polycontact_memory *m, int64_t place) {
    int64_t value;
    memcpy(&value, slot_of(m, place), 8);
    return value;
}

static void write_slot(polycontact_memory *m, int64_t place, int64_t value) { memcpy(slot_of(m, place), &value, 8); }

static double read_number(const polycontact_memory *m, enum field field) {
    double value;
    memcpy(&value, slot_of(m, m->pairing->fields[field]), 8);
    return value;
}

int polycontact_make_memory(const polycontact_pairing *p, polycontact_memory **memory) {
    if (!memory) return POLYCONTACT_BAD_ARGUMENT;
    *memory = NULL;
    if (!p) return POLYCONTACT_BAD_ARGUMENT;
    polycontact_memory *m = calloc(1, sizeof *m);
    if (!m) return POLYCONTACT_NO_MEMORY;
    m->pairing = p;
    m->held = malloc((size_t)p->head.n_own + LINE);
    if (!m->held) {
        free(m);
        return POLYCONTACT_NO_MEMORY;
    }
    m->own = on_a_line(m->held);
    memcpy(m->own, p->own, (size_t)p->head.n_own);
    move_into(p, m->own, 0);
    *memory = m;
    return 0;
}

void polycontact_free_memory(polycontact_memory *m) {
    if (!m) return;
    for (block *each = m->grown; each;) {
        block *before = each->before;
        free(each);
        each = before;
    }
    free(m->held);
    free(m);
}

/* Bytes of an array, with one count as it is or as it will be; negative where that is too much. */
static int64_t length_of(const polycontact_memory *m, const int64_t *array, int64_t place, int64_t count) {
    int64_t length = array[1];
    for (int k = 2; k < 5; k++) {
        int64_t n = array[k] >= 0 ? array[k] : -array[k] == place ? count : read_slot(m, -array[k]);
        if (n < 0 || (n && length > (int64_t)(LARGEST / (uint64_t)n))) return -1;
        length *= n;
    }
    return length;
}

/* Room for what has another count, with what was there; the count is set last. */
static int set_count(polycontact_memory *m, int64_t place, int64_t count) {
    const polycontact_pairing *p = m->pairing;
    for (int64_t i = 0; i < p->head.n_arrays; i++) {
        const int64_t *a = p->arrays + 5 * i;
        if (a[2] != -place && a[3] != -place && a[4] != -place) continue;
        int64_t before = length_of(m, a, -1, 0), after = length_of(m, a, place, count);
        if (before < 0 || after < 0) return POLYCONTACT_NO_MEMORY;
        block *made = calloc(1, sizeof *made + (size_t)after + 2 * LINE);
        if (!made) return POLYCONTACT_NO_MEMORY;
        made->before = m->grown;
        m->grown = made;
        unsigned char *room = on_a_line(made + 1);
        const void *old = (const void *)(intptr_t)read_slot(m, a[0]);
        if (old && before) memcpy(room, old, (size_t)(before < after ? before : after));
        write_slot(m, a[0], (int64_t)(intptr_t)room);
    }
    write_slot(m, place, count);
    return 0;
}

int polycontact_grow(polycontact_memory *m, int64_t status) {
    if (!m || status < 0) return POLYCONTACT_BAD_ARGUMENT;
    const polycontact_pairing *p = m->pairing;
    int64_t needed = read_slot(m, p->fields[NEEDED]), base = 0, bit = 0;
    for (int64_t i = 0; i < p->head.n_rules; i++) {
        const int64_t *r = p->rules + 6 * i;
        if (!(status & r[0])) continue;
        if (r[0] != bit || i == 0) {
            int64_t room = read_slot(m, r[1]);
            bit = r[0];
            base = 2 * (needed > room ? needed : room);
            if (base < 0 || base > (int64_t)1 << 32) return POLYCONTACT_NO_MEMORY;
        }
        int64_t count = r[3] * base + r[4];
        if (count < r[5]) count = r[5];
        if (r[3] == 0) {
            write_slot(m, r[2], r[4]);
        } else if (count > read_slot(m, r[2])) {
            int failure = set_count(m, r[2], count);
            if (failure) return failure;
        }
    }
    return 0;
}

int64_t polycontact_evaluate(polycontact_memory *m, const double motion[18], double wrench[6]) {
    if (!m || !motion || !wrench) return POLYCONTACT_BAD_ARGUMENT;
    const polycontact_pairing *p = m->pairing;
    unsigned char *given = slot_of(m, p->fields[KINEMATICS]);
    memcpy(given, motion, 18 * sizeof(double));
    method_code method;
    memcpy(&method, &p->found[p->head.entry], sizeof method);
    return method((int64_t)(intptr_t)slot_of(m, p->head.row), (int64_t)(intptr_t)given, (int64_t)(intptr_t)wrench);
}

int64_t polycontact_derivative(
    polycontact_memory *m, const double motion[18], double wrench[6], double derivative[72]) {
    if (!m || !derivative) return POLYCONTACT_BAD_ARGUMENT;
    const polycontact_pairing *p = m->pairing;
    if (!p->head.knows_slope) return POLYCONTACT_NO_DERIVATIVE;
    write_slot(m, p->fields[SLOPE_STATE], 1);
    memcpy(slot_of(m, p->fields[SLOPE_SIZE]), &p->head.reach, 8);
    int64_t status = polycontact_evaluate(m, motion, wrench);
    int is_written = read_slot(m, p->fields[SLOPE_STATE]) == 2; /* else there are no elements */
    write_slot(m, p->fields[SLOPE_STATE], 0);
    if (is_written) memcpy(derivative, slot_of(m, p->fields[SLOPE]), 72 * sizeof(double));
    else memset(derivative, 0, 72 * sizeof(double));
    return status;
}

void polycontact_commit(polycontact_memory *m) {
    if (m) m->pairing->commit((int64_t)(intptr_t)slot_of(m, m->pairing->head.row));
}

int64_t polycontact_states(polycontact_memory *m, double **values, const double **rates) {
    const int64_t *fields = m->pairing->fields;
    int64_t n = read_slot(m, fields[N_STATES]);
    if (values) *values = n ? (double *)(intptr_t)read_slot(m, fields[STATE_VALUES]) : NULL;
    if (rates) *rates = n ? (const double *)(intptr_t)read_slot(m, fields[STATE_RATES]) : NULL;
    return n;
}

/* Results ------------------------------------------------------------------------------------------------------ */

int64_t polycontact_n_elements(const polycontact_memory *m) { return read_slot(m, m->pairing->fields[N_ELEMENTS]); }

static const void *column(const polycontact_memory *m, const char *name, int *width, int is_whole) {
    const polycontact_pairing *p = m->pairing;
    for (int64_t i = 0; i < p->head.n_columns; i++) {
        const int64_t *c = p->columns + 3 * i;
        if (c[2] == is_whole && !strcmp(name_at(p, 1 + p->head.n_names + i), name)) {
            if (width) *width = (int)c[1];
            return (const void *)(intptr_t)read_slot(m, c[0]);
        }
    }
    return NULL;
}

const double *polycontact_column(const polycontact_memory *m, const char *name, int *width) {
    return m && name ? column(m, name, width, 0) : NULL;
}

const int32_t *polycontact_whole_column(const polycontact_memory *m, const char *name, int *width) {
    return m && name ? column(m, name, width, 1) : NULL;
}

void polycontact_read_sums(const polycontact_memory *m, polycontact_sums *sums) {
    sums->area = read_number(m, AREA);
    sums->depth = read_number(m, DEPTH);
    sums->pressure = read_number(m, PRESSURE);
    sums->energy = read_number(m, ENERGY);
    sums->damping_power = read_number(m, DAMPING_POWER);
    sums->friction_power = read_number(m, FRICTION_POWER);
}

const char *polycontact_message(int64_t status) {
    switch (status < 0 ? status : 0) {
    case POLYCONTACT_NO_FILE: return "the file cannot be read; look at its path";
    case POLYCONTACT_NO_IMAGE: return "this is not an image of a pairing; write one with pairing.save() in Python";
    case POLYCONTACT_OTHER_VERSION:
        return "the image is of another version of polycontact than this library; save the pairing again with the one "
               "that the library is of";
    case POLYCONTACT_DAMAGED: return "the image is cut off or was changed; save the pairing again";
    case POLYCONTACT_NO_CODE: return "the image names a method or a law that this library does not have";
    case POLYCONTACT_NO_MEMORY: return "the system has no more memory";
    case POLYCONTACT_NO_DERIVATIVE: return "the method of this pairing finds no derivative; take differences";
    case POLYCONTACT_BAD_ARGUMENT: return "an argument is a null pointer or does not fit";
    }
    if (status & POLYCONTACT_BAD_KINEMATICS) return "the motion is not finite, or its rotation is none; no wrench";
    if (status & POLYCONTACT_OVERFLOW) return "the memory is too small: polycontact_grow(), and evaluate again";
    if (status & POLYCONTACT_SURFACE_NOT_FINITE) return "the function of a surface gave no number; no wrench";
    if (status & POLYCONTACT_E_INSIDE_F) return "a part of E lies wholly inside F: a step was too long";
    if (status & POLYCONTACT_F_INSIDE_E) return "a part of F lies wholly inside E: a step was too long";
    if (status & POLYCONTACT_PRESSED_THROUGH) return "a thin body is pressed through";
    if (status & POLYCONTACT_OPEN_POLYGON) return "a border of a surface lies in the contact zone";
    if (status & POLYCONTACT_COARSE_BASE) return "triangles of the base are too large to sample the depth";
    if (status & POLYCONTACT_NO_COMMON_NORMAL) return "no points of the surfaces face each other";
    if (status & POLYCONTACT_SINGULAR_SURFACE) return "a search ended where a surface has no normal";
    if (status & POLYCONTACT_INCONSISTENT) return "a triangle is degenerated by rounding";
    return "all is well";
}
