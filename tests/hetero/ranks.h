/* Owns what the program ranks is made of. */
#ifndef TESTS_HETERO_RANKS_H
#define TESTS_HETERO_RANKS_H

/* So many graphs, of seeds from `first` on (rank_graphs.c). */
void random_graphs(int rounds, unsigned first);

#endif
