/** Conversations over an agent and an open store: the body of the service `Sessions`. */
import { Deferred, Effect, type Scope } from "effect"
import { holdSubject } from "../../agents/guard/hold.ts"
import { SessionBusy } from "../../contract/AgentError.ts"
import type { ConversationOpenParams, TurnParams } from "../../contract/AgentOpenParams.ts"
import type { RunOptions } from "../../contract/PlainAgent.ts"
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
  /** The first of each holds it; the others wait in order. */
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
  Partial<Pick<ConversationContext, "observers" | "areTurnsOfOthers">>

export const makeConversationContext = Effect.fnUntraced(function* ({
  agent,
  facts,
  store,
  observers = [],
  areTurnsOfOthers = false
}: ConversationContextOptions): Effect.fn.Return<ConversationContext, never, Scope.Scope> {
  const turns = yield* makeNameLocks(store, "turn")
  return { agent, facts, store, turns, observers, areTurnsOfOthers, hold: makeHold(store) }
})

export const makeSessions = Effect.fnUntraced(function* (options: ConversationContextOptions) {
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
