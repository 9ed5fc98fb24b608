/** Conversations held among the fibers of this process alone: those of a store in memory. */
import { Deferred, Effect, type Scope } from "effect"
import { SessionBusy } from "../../contract/AgentError.ts"
import type { Held, HoldOptions } from "./context.ts"
import { type KeyParts, keyText, subjectName } from "./conversationKey.ts"

type Hold = (key: KeyParts, options: HoldOptions) => Effect.Effect<Held, SessionBusy, Scope.Scope>

export const makeLocalHold = (): Hold => {
  /** The first of each has it; the others wait in their order. */
  const queues = new Map<string, Array<Deferred.Deferred<void>>>()

  const leave = (name: string, mine: Deferred.Deferred<void>) => {
    const queue = (queues.get(name) ?? []).filter((other) => other !== mine)
    if (queue.length === 0) queues.delete(name)
    else queues.set(name, queue)
    const [next] = queue
    if (next !== undefined) Deferred.doneUnsafe(next, Effect.void)
  }

  return (key, { isPatient, queued }) =>
    Effect.gen(function* () {
      const name = keyText(key)
      const mine = Deferred.makeUnsafe<void>()
      const held: Held = { isWanted: () => (queues.get(name)?.length ?? 0) > 1 }
      const before = queues.get(name) ?? []
      if (before.length > 0 && !isPatient) {
        return yield* new SessionBusy({ what: "conversation", subject: subjectName(key), waitedMs: 0 })
      }
      yield* Effect.acquireRelease(
        Effect.sync(() => queues.set(name, [...before, mine])),
        () => Effect.sync(() => leave(name, mine))
      )
      if (before.length === 0) return held
      queued({ problem: "another turn uses the conversation", data: { limit: "session" } })
      yield* Deferred.await(mine)
      return held
    })
}
