/** Conversations over an agent and an open store: the body of the service `Sessions`. */
import { Effect, type Scope, Semaphore } from "effect"
import { holdSubject } from "../../agents/guard/hold.ts"
import { SessionBusy } from "../../contract/AgentError.ts"
import type { ConversationOpenParams, TurnParams } from "../../contract/AgentOpenParams.ts"
import type { RunOptions } from "../../contract/PlainAgent.ts"
import { untraced } from "../../contract/untraced.ts"
import { makeRunId } from "../../system/process/host.ts"
import { makeNameLocks } from "../store/nameLocks.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { makeTranscriptObserver } from "../transcript/observer.ts"
import type { ConversationContext, Held } from "./context.ts"
import { keyText, subjectName } from "./conversationKey.ts"
import { keepTextsYoung } from "./oldTexts.ts"
import { openConversation } from "./openConversation.ts"
import { executeTurn, runTurn } from "./runTurn.ts"
import { writeSpilled } from "./settlement.ts"

/** Conversations held among the fibers of this process alone: those of a store in memory. */
export const makeLocalHold = (): ConversationContext["hold"] => {
  /** `users`: the holder, and those that wait in order. */
  const holds = new Map<string, { readonly order: Semaphore.Semaphore; users: number }>()
  return (key, { isPatient, queued }) => {
    const name = keyText(key)
    const enter = Effect.suspend(() => {
      const hold = holds.get(name) ?? { order: Semaphore.makeUnsafe(1), users: 0 }
      if (hold.users > 0 && !isPatient)
        return Effect.fail(new SessionBusy({ what: "conversation", subject: subjectName(key), waitedMs: 0 }))
      holds.set(name, hold)
      hold.users += 1
      return Effect.succeed(hold)
    })
    return Effect.gen(function* () {
      const hold = yield* Effect.acquireRelease(enter, (hold) =>
        Effect.sync(() => {
          hold.users -= 1
          if (hold.users === 0) holds.delete(name)
        })
      )
      if (hold.users > 1) queued({ problem: "another turn uses the conversation", data: { limit: "session" } })
      yield* hold.order.takeScoped(1)
      return { isWanted: () => hold.users > 1 } satisfies Held
    })
  }
}

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
      return { isWanted: () => false } satisfies Held
    })
}

export type ConversationContextOptions = Pick<ConversationContext, "agent" | "facts" | "store"> &
  Partial<Pick<ConversationContext, "observers" | "areTurnsOfOthers" | "worktrees">>

export const makeConversationContext = Effect.fn(...untraced("MakeSessions.makeConversationContext"))(function* ({
  agent,
  facts,
  store,
  observers = [],
  areTurnsOfOthers = false,
  worktrees
}: ConversationContextOptions): Effect.fn.Return<ConversationContext, never, Scope.Scope> {
  const turns = yield* makeNameLocks(store, "turn")
  return { agent, facts, store, turns, observers, areTurnsOfOthers, worktrees, hold: makeHold(store) }
})

export const makeSessions = Effect.fn(...untraced("Conversations.makeSessions"))(function* (
  options: ConversationContextOptions
) {
  const { store } = options
  // Before another process takes such a turn for interrupted.
  yield* writeSpilled(store)
  yield* Effect.forkScoped(keepTextsYoung(store))
  const transcript = yield* makeTranscriptObserver(store)
  const observers = [...(options.observers ?? []), ...(transcript === undefined ? [] : [transcript])]
  const context = yield* makeConversationContext({ ...options, observers })
  return {
    run: <Output>(params: TurnParams<Output>, input?: RunOptions) => runTurn<Output>(context, params, input),
    execute: <Output>(params: TurnParams<Output>) => executeTurn<Output>(context, params),
    open: (params?: ConversationOpenParams) => openConversation(context, params)
  }
})
