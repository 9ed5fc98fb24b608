/** Holds conversations: by the guard, among all processes of this user; those of a store in memory within the process. */
import { Effect } from "effect"
import { holdSubject } from "../../agents/guard/holdSubject.ts"
import { makeRunId } from "../../system/process/host.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import type { ConversationContext, Held } from "./context.ts"
import { makeLocalHold } from "./localHold.ts"

export const makeHold = ({ kind, place }: OpenStore): ConversationContext["hold"] => {
  if (kind === "memory") return makeLocalHold()
  let isTold = false
  return (key, options) =>
    Effect.gen(function* () {
      const subject = { what: "conversation", key, store: place } as const
      const held = yield* holdSubject({ ...options, subject, runId: yield* makeRunId })
      if ("isWanted" in held) return held
      if (!isTold) yield* Effect.logWarning(`conversations are held within this process alone: ${held.problem ?? ""}`)
      isTold = true
      const here: Held = { isWanted: () => false }
      return here
    })
}
