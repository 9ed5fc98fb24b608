/** An agent without a process, for tests of conversations: it asks the gates that its caller has for this run, as the engine does. */
import { Clock, Deferred, Effect, Layer, Scope, Stream } from "effect"
import { admit } from "../../src/agents/engine/admission.ts"
import { OwnGates } from "../../src/agents/engine/ownSeams.ts"
import { errorEvent, makeResult } from "../../src/agents/engine/result.ts"
import { methodsOf } from "../../src/agents/run/methods.ts"
import { claude } from "../../src/cli/claude/index.ts"
import type { AgentError, FailureReason } from "../../src/contract/AgentError.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import type { AgentRunResult, RunFacts } from "../../src/contract/AgentRunResult.ts"
import { type End, type RunStart, withoutSecrets } from "../../src/contract/Start.ts"
import type { StoreError } from "../../src/contract/StoreError.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import type { ConversationAgent } from "../../src/conversations/turns/context.ts"
import { makeConversationContext } from "../../src/conversations/turns/makeSessions.ts"
import { executeTurn, runTurn } from "../../src/conversations/turns/runTurn.ts"
import { makeDirectory } from "../kit/temporary.ts"

/** Steps of a run. */
export interface Play {
  /** Session id; default: that of the params, else a new one. Null: none is opened. */
  readonly sessionId?: string | null
  readonly text?: string
  readonly failure?: FailureReason
  readonly facts?: RunFacts
  /** Before the process would be started: nothing is spawned. */
  readonly refused?: FailureReason
  /** Waited for after the session was opened. */
  readonly until?: Effect.Effect<unknown>
}

/** A run as it was asked for, and whether its process was started. */
export interface Call {
  readonly params: AgentExecuteParams
  isSpawned: boolean
  /** It has opened its session. */
  isOpened: boolean
}

export interface TestAgent extends ConversationAgent {
  /** All runs so far, in order. */
  readonly calls: Array<Call>
  /** Completes when so many processes have been started. */
  readonly started: (count: number) => Effect.Effect<void>
  /** Completes when so many have opened their session. */
  readonly opened: (count: number) => Effect.Effect<void>
}

let sessions = 0

/** `plays`: one for each run, the last for all that follow; or made of the run's params. */
export const testAgent = (
  plays: ReadonlyArray<Play> | ((params: AgentExecuteParams) => Play),
  {
    cli = "claude",
    workingDirectory = process.cwd()
  }: { readonly cli?: string; readonly workingDirectory?: string } = {}
): TestAgent => {
  const calls: Array<Call> = []
  const waiting: Array<{ readonly isThere: () => boolean; readonly arrived: Deferred.Deferred<void> }> = []
  const look = () => {
    for (const { isThere, arrived } of waiting) if (isThere()) Deferred.doneUnsafe(arrived, Effect.void)
  }
  const arriving = (isThere: () => boolean) =>
    Effect.suspend(() => {
      const arrived = Deferred.makeUnsafe<void>()
      waiting.push({ isThere, arrived })
      look()
      return Deferred.await(arrived)
    })
  const playOf = (params: AgentExecuteParams): Play => {
    if (typeof plays === "function") return plays(params)
    return plays[Math.min(calls.length - 1, plays.length - 1)] ?? {}
  }

  const open = Effect.fnUntraced(function* (params: AgentExecuteParams) {
    const call: Call = { params, isSpawned: false, isOpened: false }
    calls.push(call)
    const play = playOf(params)
    const events: Array<AgentEvent> = []
    const start: RunStart = {
      type: "run",
      id: `host.${crypto.randomUUID()}`,
      cli,
      workingDirectory: params.workingDirectory ?? workingDirectory,
      limits: {},
      params: withoutSecrets(params)
    }
    const clock = yield* Clock.Clock
    const scope = yield* Scope.Scope
    const context = yield* Effect.context<never>()
    const fork = (effect: Effect.Effect<void>) => Effect.runForkWith(context)(effect)
    const give = (event: AgentEvent) => void events.push(event)
    const startedAt = clock.currentTimeMillisUnsafe()
    let ended: End | undefined
    const conclude = (
      failure: FailureReason | undefined,
      sessionId: string | undefined,
      settle: (end: End) => Effect.Effect<void>
    ) =>
      Effect.gen(function* () {
        const text = failure === undefined ? (play.text ?? "done") : (play.text ?? "")
        if (text !== "") give({ type: "text", text })
        if (failure !== undefined) give(errorEvent(failure))
        const durationMs = clock.currentTimeMillisUnsafe() - startedAt
        const report = { ...(sessionId === undefined ? {} : { sessionId }), ...play.facts }
        const result = makeResult({ ending: { failure }, text, durationMs, report, stderr: "" })
        ended = { result, failure, hadOutput: text !== "" }
        yield* settle(ended)
        give({ type: "done", result })
      })

    const run = Effect.gen(function* () {
      const admission = yield* admit(yield* OwnGates, start, give, fork)
      const settle = admission.settle ?? (() => Effect.void)
      if (play.refused !== undefined) return yield* conclude(play.refused, undefined, settle)
      if (admission.starting !== undefined) yield* admission.starting
      call.isSpawned = true
      look()
      const resumed = params.forkSession === true ? undefined : params.sessionId
      const sessionId = play.sessionId === null ? undefined : (play.sessionId ?? resumed ?? `s${++sessions}`)
      const isLost = play.failure?.category === "session_not_found"
      if (sessionId !== undefined && !isLost) {
        yield* admission.opened?.(sessionId) ?? Effect.void
        give({ type: "session", sessionId, model: "test-model" })
        call.isOpened = true
        look()
      }
      if (play.until !== undefined) yield* play.until
      yield* conclude(play.failure, isLost ? undefined : sessionId, settle)
    }).pipe(Effect.catch((failure) => conclude(failure, undefined, () => Effect.void)))
    const all = Stream.unwrap(
      Effect.as(
        Effect.provideService(run, Scope.Scope, scope),
        Stream.suspend(() => Stream.fromIterable(events))
      )
    )
    return { events: all, ended: () => ended }
  })

  return {
    ...methodsOf({ ...claude, id: cli }, open),
    calls,
    open: () => Effect.die("has no live sessions"),
    started: (count) => arriving(() => calls.filter(({ isSpawned }) => isSpawned).length >= count),
    opened: (count) => arriving(() => calls.filter(({ isOpened }) => isOpened).length >= count)
  }
}

export type { AgentError, AgentRunResult }

const facts = { canFork: true, isBoundToDirectory: false }

/** Turns of an agent over the store. */
export const conversing = Effect.fnUntraced(function* (agent: TestAgent, input: Partial<typeof facts> = {}) {
  const store = yield* Store
  const context = yield* makeConversationContext({ agent, facts: { ...facts, ...input }, store, observers: [] })
  return {
    context,
    run: (params: object) => runTurn(context, params),
    events: (params: object) => Stream.runCollect(executeTurn(context, params))
  }
})

export const stores: ReadonlyArray<readonly [string, () => Layer.Layer<Store, StoreError>]> = [
  ["memory", () => Store.layerMemory()],
  ["a file", () => Layer.unwrap(Effect.map(makeDirectory, (directory) => Store.layerFile({ directory })))]
]
