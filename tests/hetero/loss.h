/* Owns how tests lose a device. */
#ifndef TESTS_HETERO_LOSS_H
#define TESTS_HETERO_LOSS_H

/* The device on which the kernel runs that comes after so many is gone from then on. */
void lose_after(int kernels);
/* Whether it is. */
int is_lost(void);

#endif
