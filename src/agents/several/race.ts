/** One prompt for several agents at the same time: the first good answer (`race`), or all of them (`each`). */
import { Effect } from "effect"
import { AgentsError, NoGoodAnswer } from "../../contract/AgentsError.ts"
import { eventually } from "../../contract/Input.ts"
import type { AgentEnd, EachOptions, ParamsOfAgents, RaceAnswer, RaceOptions } from "../../contract/SeveralAgents.ts"
import { type Placed, placed, worktreeFailed } from "./directories.ts"
import { checkOptions, ended, membersOf, type Team, untilAborted } from "./team.ts"

/** The end of an agent, with its changes. */
const endIn = Effect.fnUntraced(function* <Output>(team: Team, place: Placed<Output>, onEvent: EachOptions["onEvent"]) {
  const end = yield* ended(team, place, onEvent)
  if (place.worktree === undefined) return end
  const withChanges: AgentEnd<string, Output> = {
    ...end,
    changes: yield* Effect.mapError(place.worktree.changes, worktreeFailed)
  }
  return withChanges
})

/** The losers are ended, and have left nothing, when it returns. */
export const race = <Output = unknown>(
  team: Team,
  params: ParamsOfAgents<string, string, Output>,
  options: RaceOptions<string, Output> = {}
) =>
  Effect.gen(function* () {
    yield* checkOptions("race", options)
    const { agents, worktrees = false, accept = () => true, onEvent } = options
    const places = yield* placed(yield* membersOf(team, params, agents), worktrees)
    const others: Array<AgentEnd<string, Output>> = []
    const runners = places.map((place) =>
      Effect.gen(function* () {
        const end = yield* endIn(team, place, onEvent)
        const isGood = end.error === undefined && (yield* Effect.orDie(eventually(() => accept(end, place.directory))))
        if (isGood) {
          const answer: RaceAnswer<string, Output> = { ...end, others: [...others] }
          return answer
        }
        others.push(end)
        // The others may still answer.
        if (others.length < places.length) return yield* Effect.never
        return yield* new AgentsError({ reason: new NoGoodAnswer({ others }) })
      })
    )
    return yield* Effect.raceAllFirst(runners)
  }).pipe(Effect.scoped, (racing) => untilAborted(racing, params), Effect.withSpan("Agents.race"))

/** In the order of the agents. Failures of agents are among the answers. */
export const each = <Output = unknown>(
  team: Team,
  params: ParamsOfAgents<string, string, Output>,
  options: EachOptions = {}
) =>
  Effect.gen(function* () {
    yield* checkOptions("each", options)
    const { agents, worktrees = false, onEvent } = options
    const places = yield* placed(yield* membersOf(team, params, agents), worktrees)
    return yield* Effect.forEach(places, (place) => endIn(team, place, onEvent), { concurrency: "unbounded" })
  }).pipe(Effect.scoped, (asking) => untilAborted(asking, params), Effect.withSpan("Agents.each"))
