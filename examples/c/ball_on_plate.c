/* A ball that falls on a plate: contact from a file that Python wrote, time steps in C.
 *
 *     python3 examples/c/save_pairing.py ball_on_plate.pcp
 *     cc ball_on_plate.c -I FOLDER_OF_HEADER LIBRARY -o ball_on_plate
 *     ./ball_on_plate ball_on_plate.pcp
 *
 * Prints time (s), height of the ball's centre (m), and force (N) every 10 ms.
 */
#include <stdio.h>
#include <string.h>

#include "polycontact.h"

static int failed(const char *what, int64_t status) {
    fprintf(stderr, "%s: %s\n", what, polycontact_message(status));
    return 1;
}

/* The wrench on the plate, with more memory where the contact has grown. */
static int64_t evaluate(polycontact_memory *memory, const double motion[18], double wrench[6]) {
    for (;;) {
        int64_t status = polycontact_evaluate(memory, motion, wrench);
        if (status < 0 || !(status & POLYCONTACT_OVERFLOW)) return status;
        int grown = polycontact_grow(memory, status);
        if (grown < 0) return grown;
    }
}

int main(int n, char **words) {
    const double mass = 0.5, gravity = 9.81, step = 1e-4;
    double motion[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1}; /* the rotation is none, all else zero */
    double wrench[6];
    double *height = &motion[11], *speed = &motion[14];
    polycontact_pairing *pairing;
    polycontact_memory *memory;
    int failure = polycontact_open(n > 1 ? words[1] : "ball_on_plate.pcp", &pairing);
    if (failure) return failed("open", failure);
    failure = polycontact_make_memory(pairing, &memory);
    if (failure) return failed("memory", failure);
    printf("# %s\n", polycontact_name(pairing));
    *height = 0.115;
    for (int k = 0; k <= 1000; k++) {
        int64_t status = evaluate(memory, motion, wrench);
        if (status < 0 || status & POLYCONTACT_BAD_KINEMATICS) return failed("evaluate", status);
        if (k % 100 == 0) printf("%.3f %.17g %.17g\n", k * step, *height, -wrench[2]);
        *speed += step * (-wrench[2] / mass - gravity); /* the force on the ball is that on the plate, reversed */
        *height += step * *speed;
    }
    polycontact_free_memory(memory);
    polycontact_close(pairing);
    return 0;
}
