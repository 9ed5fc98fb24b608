/** Requested changes of the model and the permission mode: each waits for the answer of the CLI. */
import { Deferred, Effect } from "effect"
import type { Action, Change, Dialogue, Output } from "../cli/Live.ts"
import { AgentFailed, type FailureReason } from "../contract/AgentError.ts"

export interface ChangesOptions {
  readonly dialogue: Pick<Dialogue, "change">
  readonly perform: (outputs: ReadonlyArray<Output>) => void
  /** Redacts secrets. */
  readonly redact: (failure: FailureReason) => FailureReason
}

export interface Changes {
  readonly ask: (change: Change) => Effect.Effect<void, FailureReason>
  readonly isWaiting: () => boolean
  readonly answered: (answer: Extract<Action, { _tag: "Changed" }>) => void
  /** Fails all open changes. */
  readonly end: (failure: FailureReason) => void
}

export const makeChanges = ({ dialogue, perform, redact }: ChangesOptions): Changes => {
  const open = new Map<string, Deferred.Deferred<void, FailureReason>>()
  let count = 0
  return {
    ask: (change) =>
      Effect.suspend(() => {
        count += 1
        const changeId = `change-${count}`
        const done = Deferred.makeUnsafe<void, FailureReason>()
        open.set(changeId, done)
        perform(dialogue.change(changeId, change))
        return Deferred.await(done)
      }),
    isWaiting: () => open.size > 0,
    answered: ({ changeId, problem }) => {
      const change = open.get(changeId)
      open.delete(changeId)
      if (change === undefined) return
      const refusal = { code: "change_refused", category: "invalid_request", detail: problem ?? "" } as const
      Deferred.doneUnsafe(change, problem === undefined ? Effect.void : Effect.fail(redact(new AgentFailed(refusal))))
    },
    end: (failure) => {
      for (const change of open.values()) Deferred.doneUnsafe(change, Effect.fail(failure))
      open.clear()
    }
  }
}
