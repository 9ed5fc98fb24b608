/** Ways to end a hanging run, by the Effect door. Each returns the milliseconds until it has ended. */
import { Context, Effect, Exit, Fiber, Latch, Layer, Scope, Stream } from "effect"
import { assert } from "vitest"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import { nodePlatform } from "../../../src/system/process/Platform.ts"
import { resultOf } from "../../kit/events.ts"
import { type Hanging, timed, totalBudgetMs, untilGone } from "./hanging.ts"

export type Way = (hanging: Hanging) => Effect.Effect<number, unknown, Scope.Scope>

/** The agent in a scope of its own, which ends it. */
const open = Effect.fnUntraced(function* ({ cli, options }: Hanging) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const context = yield* Layer.buildWithScope(Layer.provide(AgentRuntime.layer(cli, options), nodePlatform), scope)
  return { agent: Context.get(context, AgentRuntime), close: Scope.close(scope, Exit.void) }
})

const fork = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** A consumer of `execute`; with a gate it takes an event and then no more until that is opened. */
const consume = Effect.fnUntraced(function* (
  hanging: Hanging,
  params: Partial<AgentExecuteParams>,
  gate?: Latch.Latch
) {
  const { agent, close } = yield* open(hanging)
  const events: Array<AgentEvent> = []
  const take = (event: AgentEvent) =>
    Effect.andThen(
      Effect.sync(() => events.push(event)),
      gate === undefined ? Effect.void : gate.await
    )
  const fiber = yield* fork(Stream.runForEach(agent.execute({ ...hanging.params, ...params }), take))
  return { fiber, close, events }
})

/** A verdict that was certain before the run was ended is kept. */
const assertReason = (events: ReadonlyArray<AgentEvent>, reason: string) =>
  assert.include(["completed", reason], resultOf(events).reason)

const reasonOf = (run: ReturnType<AgentRuntime["Service"]["run"]>) =>
  run.pipe(
    Effect.map(({ reason }) => reason),
    Effect.catch(({ result }) => Effect.succeed(result.reason))
  )

const atStart = Effect.void

const abortExecute = (hanging: Hanging, moment: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const controller = new AbortController()
    const { fiber, events } = yield* consume(hanging, { abortSignal: controller.signal })
    yield* moment
    controller.abort()
    const took = yield* timed(Fiber.join(fiber))
    assertReason(events, "aborted")
    return took
  })

const abortRun = (hanging: Hanging, moment: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const controller = new AbortController()
    const { agent } = yield* open(hanging)
    const fiber = yield* fork(reasonOf(agent.run({ ...hanging.params, abortSignal: controller.signal })))
    yield* moment
    controller.abort()
    const took = yield* timed(Fiber.join(fiber))
    assert.include(["completed", "aborted"], yield* Fiber.join(fiber))
    return took
  })

const closeWhile = (hanging: Hanging, moment: Effect.Effect<void>, gate?: Latch.Latch) =>
  Effect.gen(function* () {
    const { close } = yield* consume(hanging, {}, gate)
    yield* moment
    return yield* timed(close)
  })

const total = { timeouts: { total: totalBudgetMs } }

export const ways: Readonly<Record<string, Way>> = {
  "execute, and its signal is aborted": (hanging) => abortExecute(hanging, hanging.ready()),
  "execute, and its signal is aborted at the start": (hanging) => abortExecute(hanging, atStart),
  "execute, and its time is over": Effect.fnUntraced(function* (hanging) {
    const { fiber, events } = yield* consume(hanging, total)
    const took = yield* timed(Fiber.join(fiber))
    assertReason(events, "timed_out")
    return took - totalBudgetMs
  }),
  "execute, and its fiber is interrupted": Effect.fnUntraced(function* (hanging) {
    const { fiber } = yield* consume(hanging, {})
    yield* hanging.ready()
    return yield* timed(Fiber.interrupt(fiber))
  }),
  "execute, and its fiber is interrupted while it pauses": Effect.fnUntraced(function* (hanging) {
    const { fiber } = yield* consume(hanging, {}, Latch.makeUnsafe(false))
    yield* hanging.ready()
    return yield* timed(Fiber.interrupt(fiber))
  }),
  "execute, and its consumer has enough": Effect.fnUntraced(function* (hanging) {
    const { agent } = yield* open(hanging)
    const enough = Latch.makeUnsafe(false)
    const events = agent.execute(hanging.params).pipe(Stream.interruptWhen(enough.await))
    const fiber = yield* fork(Stream.runDrain(events))
    yield* hanging.ready()
    enough.openUnsafe()
    return yield* timed(Fiber.join(fiber))
  }),
  "execute, and its consumer pauses until its time is over": Effect.fnUntraced(function* (hanging) {
    const gate = Latch.makeUnsafe(false)
    const { fiber, events } = yield* consume(hanging, total, gate)
    // On a busy machine its time is over before it is there.
    const begun = Effect.timeoutOption(hanging.ready(), "5 seconds")
    const took = yield* timed(Effect.flatMap(begun, () => untilGone(hanging)))
    gate.openUnsafe()
    yield* Fiber.join(fiber)
    assertReason(events, "timed_out")
    return took - totalBudgetMs
  }),
  "execute twice at once, and both fibers are interrupted": Effect.fnUntraced(function* (hanging) {
    const { agent } = yield* open(hanging)
    const drain = Stream.runDrain(agent.execute(hanging.params))
    const [one, other] = [yield* fork(drain), yield* fork(drain)]
    yield* hanging.ready(2)
    return yield* timed(Fiber.interruptAll([one, other]))
  }),
  "run, and its signal is aborted": (hanging) => abortRun(hanging, hanging.ready()),
  "run, and its signal is aborted at the start": (hanging) => abortRun(hanging, atStart),
  "run, and its time is over": Effect.fnUntraced(function* (hanging) {
    const { agent } = yield* open(hanging)
    const fiber = yield* fork(reasonOf(agent.run({ ...hanging.params, ...total })))
    const took = yield* timed(Fiber.join(fiber))
    assert.include(["completed", "timed_out"], yield* Fiber.join(fiber))
    return took - totalBudgetMs
  }),
  "run, and its fiber is interrupted": Effect.fnUntraced(function* (hanging) {
    const { agent } = yield* open(hanging)
    const fiber = yield* fork(agent.run(hanging.params))
    yield* hanging.ready()
    return yield* timed(Fiber.interrupt(fiber))
  }),
  "execute, and the scope of its agent closes": (hanging) => closeWhile(hanging, hanging.ready()),
  "execute, and the scope of its agent closes at the start": (hanging) => closeWhile(hanging, atStart),
  "execute, and the scope of its agent closes while its consumer pauses": (hanging) =>
    closeWhile(hanging, hanging.ready(), Latch.makeUnsafe(false)),
  "execute, and the scope of its agent is closed twice at once": Effect.fnUntraced(function* (hanging) {
    const { close } = yield* consume(hanging, {})
    yield* hanging.ready()
    return yield* timed(Effect.all([close, close], { concurrency: "unbounded" }))
  }),
  "run, and the scope of its agent closes": Effect.fnUntraced(function* (hanging) {
    const { agent, close } = yield* open(hanging)
    const fiber = yield* fork(reasonOf(agent.run(hanging.params)))
    yield* hanging.ready()
    const took = yield* timed(Effect.andThen(close, Fiber.join(fiber)))
    assert.include(["completed", "aborted"], yield* Fiber.join(fiber))
    return took
  })
}
