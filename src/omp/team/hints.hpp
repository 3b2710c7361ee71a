// Owns: what threads told of the memory that they are going to use, and acting on it (paper 000,
// section 3.3): where the members of a team go, and which pages go with them.
//
// Invariant: what was told of a region holds for each later run of it (told_regions.hpp). A team
// that hints placed is bound like a team with places (Team::places), each member to a PU; teams
// that its members open stay in the member's part of the machine (Member::part). Binding that the
// user or the program asks for comes first: then pages move and threads do not. Of a region of
// which nobody told hints the members go to the memory that they own, if threads may move at all;
// pages stay, but for members who go on to PUs that idle (following.hpp). Where nobody owns any
// they go to where their data was found, under a policy that goes by data (found_data.hpp).
#pragma once

#include "mem/map/regions.hpp"
#include "omp/team/team.hpp"

namespace xylem::omp {

using sched::Hint;

// A hint of the calling member about itself, or about a member of the next team that it opens. Of
// no bytes: it only takes the place of what was told before.
void tell_own(Member& member, const Hint& hint);
void tell_next(Member& member, const Hint& hint);

// Before the team's members are launched, and after binding that somebody asked for: places the
// team by what was told of its region, or by what its members own, or by what was found, or keeps
// it where its maker's teams stay. `launch`: as the scheduler will be told of the team.
void place_by_hints(Team& team, Member& maker, const sched::Launch& launch);

// What a member of such a team (Team::begins_by_hints) does first: finds what it told in earlier
// runs, goes to its PU (the master), brings its pages.
void begin_by_hints(Team& team, Member& member);
// The master of a team with a HintedTeam, at home again, is bound as it was.
void end_by_hints(Team& team, sched::Thread& master);

// Acts on what members told of themselves last: the caller alone, or all of the team, who all call
// it.
void apply_own(Member& member);
void apply_of_team(Member& member);

}  // namespace xylem::omp
