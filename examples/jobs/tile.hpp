// Tiles: small dense matrices by rows, and what a factorisation does with them.
#pragma once

namespace jobs {

// a := its factors L (unit lower, below the diagonal) and U. There is no exchange of rows: a pivot
// smaller than `smallest` is replaced by it. Returns how many were.
int tile_factor(double* a, int n, double smallest);

// b := inverse(L) b, with L in the n x n tile `lu`; b has n rows.
void tile_solve_lower(const double* lu, int n, double* b, int columns);

// b := b inverse(U), with U in the n x n tile `lu`; b has n columns.
void tile_solve_right(const double* lu, int n, double* b, int rows);

// b := inverse(U) b for one column.
void tile_solve_upper(const double* lu, int n, double* b);

// c := c - a b; c is rows x columns, a is rows x inner.
void tile_subtract_product(double* c, const double* a, const double* b, int rows, int columns,
                           int inner);

}  // namespace jobs
