// The program nas: one benchmark, verified, with its pages placed in one of the
// ways of paper 001.
#include <sys/mman.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <memory>

#include "nas/accounts.hpp"
#include "nas/code.hpp"
#include "nas/data.hpp"

int main(int count, char** arguments) {
  using nas::Placed;
  const std::map<std::string, nas::Outcome (*)(const nas::Wanted&, nas::Data&)> codes = {
      {"bt", nas::run_bt},       {"cg", nas::run_cg},         {"ft", nas::run_ft},
      {"hydro", nas::run_hydro}, {"lu", nas::run_lu},         {"mg", nas::run_mg},
      {"sp", nas::run_sp},       {"sparse", nas::run_sparse}, {"ssor", nas::run_ssor}};
  const std::map<std::string, Placed> ways = {{"nowhere", Placed::nowhere},
                                              {"rest", Placed::rest},
                                              {"round-robin", Placed::round_robin},
                                              {"manual", Placed::manual}};
  CLI::App app(
      "BT, SP, LU (ssor), CG, MG and FT of the NAS parallel benchmarks, the LU of paper 001 (lu), "
      "a code of LULESH's shape (hydro), and a sparse solver.");
  std::string code;
  nas::Wanted wanted;
  Placed placed = Placed::nowhere;
  bool accounts = false, first_touch = false;
  app.add_option("code", code, "bt, cg, ft, hydro, lu, mg, sp, sparse or ssor")
      ->required()
      ->check(CLI::IsMember(codes));
  app.add_option(
      "class", wanted.kind,
      "S or W; of bt, cg, hydro, mg, sp, sparse and ssor also A; of lu: the order of the matrix");
  app.add_option("--iterations", wanted.iterations, "instead of the class's number");
  app.add_option("--placed", placed, "where pages are: nowhere, rest, round-robin, manual")
      ->transform(CLI::CheckedTransformer(ways));
  app.add_flag("--accounts", accounts, "print what each node's memory served");
  app.add_flag("--first-touch", first_touch, "on a drawn machine: book who came first");
  CLI11_PARSE(app, count, arguments);

  std::unique_ptr<nas::Accounts> kept;
  if (accounts) kept = std::make_unique<nas::Accounts>(first_touch);
  nas::Data data(placed, kept.get());
  const nas::Outcome outcome = codes.at(code)(wanted, data);
  if (!outcome.known) {
    std::fprintf(stderr, "nas: %s has no class %s\n", code.c_str(), wanted.kind.c_str());
    return 2;
  }
  if (kept) kept->print();
  std::printf("%s %s: %.13e, expected %.13e: %s\n", code.c_str(), wanted.kind.c_str(),
              outcome.value, outcome.wanted,
              !outcome.comparable ? "another number of iterations"
              : outcome.verified  ? "verified"
                                  : "WRONG");
  return outcome.comparable && !outcome.verified ? 1 : 0;
}
