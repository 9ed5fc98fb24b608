/**
 * Removes a home that is gone for good: its pending turns fail, and running ones count as interrupted. If its machine was only
 * frozen, a later result is stored as late, and its process ends when it wakes.
 */
import { Effect } from "effect"
import { Refused } from "../contract/AgentError.ts"
import { plural } from "../contract/text/amounts.ts"
import { untraced } from "../contract/untraced.ts"
import type { OpenStore } from "../conversations/store/OpenStore.ts"
import { endText } from "../conversations/turns/storedEnd.ts"
import { ClusterError } from "./ClusterError.ts"
import { type Home, listHomes, storeNow } from "./homes.ts"
import { endOfNothing } from "./queue.ts"

const unknown = (name: string, homes: ReadonlyArray<Home>) =>
  new ClusterError({
    code: "home_unknown",
    problem: `no home is called ${JSON.stringify(name.slice(0, 60))}`,
    cure: homes.length === 0 ? "the cluster has none" : `there are ${homes.map((home) => home.name).join(", ")}`
  })

const running = ({ name, host }: Home) =>
  new ClusterError({
    code: "home_running",
    problem: `the home ${name} runs, on ${host}`,
    cure: "end it there first; only a home that is gone for good is removed, a quarter of a minute after it has died"
  })

interface RemovedHome {
  readonly failed: number
  readonly interrupted: number
}

export const removeHome = Effect.fn(...untraced("Cluster.removeHome"))(function* (store: OpenStore, name: string) {
  const { sql, transact } = store
  const homes = (yield* listHomes(store)).filter(({ state }) => state !== "removed")
  const home = homes.find((one) => one.name === name)
  if (home === undefined) return yield* unknown(name, homes)
  if (home.isUp) return yield* running(home)
  const now = yield* storeNow(store)
  const failure = new Refused({
    gate: "cluster",
    problem: `its home ${name} was removed before the turn began: ask it again`,
    retryable: true
  })
  const end = endText(endOfNothing(failure)) ?? null
  return yield* transact(
    Effect.gen(function* () {
      yield* sql`update cluster_homes set state = 'removed' where id = ${home.id}`
      const failed = yield* sql`update turns set state = 'done', result = ${end}, ended = ${now}
        where for_home = ${home.id} and state in ('queued', 'claimed') returning turn_id`
      const interrupted = yield* sql`update turns set state = 'interrupted', given_up = 1, ended = ${now}
        where for_home = ${home.id} and state = 'spawned' returning turn_id`
      return { failed: failed.length, interrupted: interrupted.length } satisfies RemovedHome
    })
  )
})

export const removedText = (name: string, { failed, interrupted }: RemovedHome) =>
  `The home ${name} is removed: ${plural(failed, "turn")} failed, ${plural(interrupted, "turn")} interrupted. Its conversations begin anew with --fresh`
