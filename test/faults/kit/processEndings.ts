/** Ways in which a run ends while its host lives. Each returns when its caller was told that it is over. */
import { Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import type { CliId } from "../../../src/agents/Agents.ts"
import { clis } from "../../../src/agents/Agents.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import { createAgent } from "../../../src/promise.ts"
import { nodePlatform } from "../../../src/system/process/Platform.ts"

/** A run that continues until it is ended. */
export interface Going {
  readonly id: CliId
  readonly options: AgentOptions
  readonly params: AgentExecuteParams
  /** Returns when everything that the run starts lives. */
  readonly stands: Effect.Effect<void>
}

export interface Ended {
  /** When the end began. */
  readonly endedAt: number
  /** Where all were taken. */
  readonly events: ReadonlyArray<AgentEvent>
}

const now = Effect.sync(() => performance.now())

const layerOf = ({ id, options }: Going) => AgentRuntime.layer(clis[id], options).pipe(Layer.provideMerge(nodePlatform))

const execute = (run: Going) =>
  Stream.unwrap(AgentRuntime.useSync((agent) => agent.execute(run.params))).pipe(Stream.provide(layerOf(run)))

const forked = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** It ends by itself, or by a budget; that begins with the verdict. */
export const toItsEnd = Effect.fnUntraced(function* (run: Going) {
  let endedAt = 0
  const events = yield* execute(run).pipe(
    Stream.tap(({ type }) =>
      Effect.sync(() => {
        if (type === "done") endedAt = performance.now()
      })
    ),
    Stream.runCollect
  )
  return { endedAt, events } satisfies Ended
})

export const aborted = Effect.fnUntraced(function* (run: Going) {
  const controller = new AbortController()
  const fiber = yield* forked(toItsEnd({ ...run, params: { ...run.params, abortSignal: controller.signal } }))
  yield* run.stands
  const endedAt = yield* now
  controller.abort()
  const { events } = yield* Fiber.join(fiber)
  return { endedAt, events } satisfies Ended
})

export const interrupted = Effect.fnUntraced(function* (run: Going) {
  const fiber = yield* forked(Stream.runDrain(execute(run)))
  yield* run.stands
  const endedAt = yield* now
  yield* Fiber.interrupt(fiber)
  return { endedAt, events: [] } satisfies Ended
})

/** At its first event. */
export const left = Effect.fnUntraced(function* (run: Going) {
  let endedAt = 0
  const first = execute(run).pipe(
    Stream.tap(() =>
      Effect.sync(() => {
        endedAt = performance.now()
      })
    ),
    Stream.take(1)
  )
  yield* Stream.runDrain(first)
  return { endedAt, events: [] } satisfies Ended
})

/** Its consumer has paused, and is there until the layer has closed. */
export const layerClosed = Effect.fnUntraced(function* (run: Going) {
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(layerOf(run), scope)
  const paused = AgentRuntime.use((agent) => agent.execute(run.params).pipe(Stream.runForEach(() => Effect.never)))
  yield* Effect.forkScoped(Effect.provideContext(paused, context), { startImmediately: true })
  yield* run.stands
  const endedAt = yield* now
  yield* Scope.close(scope, Exit.void)
  return { endedAt, events: [] } satisfies Ended
})

/** The same at the plain door, which closes the layer. */
export const agentClosed = Effect.fnUntraced(function* (run: Going) {
  const agent = createAgent(run.id, run.options)
  const events = agent.execute(run.params)[Symbol.asyncIterator]()
  yield* Effect.promise(() => events.next())
  yield* run.stands
  const endedAt = yield* now
  yield* Effect.promise(() => agent.close())
  return { endedAt, events: [] } satisfies Ended
})

/** At its first event. */
export const loopLeft = Effect.fnUntraced(function* (run: Going) {
  const agent = createAgent(run.id, run.options)
  const endedAt = yield* Effect.promise(async () => {
    let time = 0
    for await (const _ of agent.execute(run.params)) {
      time = performance.now()
      break
    }
    return time
  })
  return { endedAt, events: [] } satisfies Ended
})
