// The contact elements of a pose, in C++: where they are, and what force each bears.
//
//     c++ patch.cpp -I FOLDER_OF_HEADER LIBRARY -o patch && ./patch ball_on_plate.pcp

#include <cstdio>
#include <memory>

#include "polycontact.h"

int main(int n, char **words) {
    polycontact_pairing *opened = nullptr;
    if (int failure = polycontact_open(n > 1 ? words[1] : "ball_on_plate.pcp", &opened)) {
        std::fprintf(stderr, "open: %s\n", polycontact_message(failure));
        return 1;
    }
    std::unique_ptr<polycontact_pairing, decltype(&polycontact_close)> pairing(opened, polycontact_close);
    polycontact_memory *made = nullptr;
    if (int failure = polycontact_make_memory(pairing.get(), &made)) {
        std::fprintf(stderr, "memory: %s\n", polycontact_message(failure));
        return 1;
    }
    std::unique_ptr<polycontact_memory, decltype(&polycontact_free_memory)> memory(made, polycontact_free_memory);

    const double motion[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0.109};
    double wrench[6];
    polycontact_evaluate(memory.get(), motion, wrench);
    const double *position = polycontact_column(memory.get(), "position", nullptr);
    const double *force = polycontact_column(memory.get(), "force", nullptr);
    double sum = 0.0;
    for (int64_t k = 0; k < polycontact_n_elements(memory.get()); k++) {
        const double *x = position + 3 * k, *f = force + 3 * k;
        std::printf("%.6f %.6f %.6f  %.6g N\n", x[0], x[1], x[2], -f[2]);
        sum -= f[2];
    }
    polycontact_sums sums;
    polycontact_read_sums(memory.get(), &sums);
    std::printf("sum %.17g N, wrench %.17g N, energy %.17g J\n", sum, -wrench[2], sums.energy);
    return 0;
}
