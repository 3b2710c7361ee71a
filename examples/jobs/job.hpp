// Job: one sparse LU factorisation and solution, by one team. Its matrix is the common one with
// each row scaled by a random number of the job's own; its right-hand side is made so that the
// solution is random too.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "analysis.hpp"

namespace jobs {

// How far a job was at a moment: the share of its operations that was done, 0 to 1.
struct Progress {
  double time;
  double done;
};

struct JobResult {
  int team_made = 0;   // threads that the runtime gave
  double arrival = 0;  // when it was asked for: set by the server
  double start = 0;    // seconds as told by now()
  double end = 0;
  double cpu_seconds = 0;  // of all its threads, in the steps' computations, without waiting
  double residual = 0;     // |b - A x| / (|A| |x| + |b|), of largest magnitudes
  int refinements = 0;     // how often the solution was improved by solving for its residual
  int replaced_pivots = 0;
  std::uint64_t checksum = 0;  // of the solution's bits
  std::vector<Progress> history;
};

// Seconds since some moment in the past.
double now();

class Job {
 public:
  Job(const Analysis& analysis, std::uint64_t seed);

  // Computes it with teams of this size, opened by the calling thread. Once.
  JobResult run(int team);

 private:
  // What all threads of the team call. step() ends with a barrier of the team.
  template <class Body>
  void step(long count, Body body);
  void assemble(int team);
  void factorise();
  void solve_and_refine();
  void note_progress(double operations);

  // Parts of steps.
  void zero_block(int block);
  void assemble_row(int row);
  void factor_pivot(int block);
  void solve_panel(int tile);
  void update(const Level& level, long number);
  void forward(int block);
  void backward(int block);
  void set_residual(int block);
  void add_correction(int block);

  double* values(int tile) { return memory_.get() + analysis_.tiles[tile].place; }
  std::uint64_t checksum() const;

  const Analysis& analysis_;
  std::uint64_t seed_;
  std::unique_ptr<double[]> memory_;  // the tiles
  std::unique_ptr<double[]> matrix_;  // the job's own values of the matrix's entries
  std::vector<double> right_;         // b
  std::vector<double> solution_;      // x
  std::vector<double> work_;          // what is solved for: b, later the residual
  std::vector<double> block_norm_;    // of each block's rows: the largest residual
  double smallest_pivot_ = 0;
  double scale_ = 0;                     // of residuals
  double operations_done_ = 0;           // written by the team's first thread alone
  std::atomic<double> cpu_seconds_{0};   // added to by all threads, read when they are done
  std::atomic<int> replaced_pivots_{0};  // likewise
  JobResult result_;
};

}  // namespace jobs
