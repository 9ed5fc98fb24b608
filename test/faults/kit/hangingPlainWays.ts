/** Ways to end a hanging run, by the plain door. Each returns the milliseconds until it has ended. */
import { Effect } from "effect"
import { type AgentExecuteParams, createAgent } from "../../../src/promise.ts"
import { type Hanging, timed, totalBudgetMs } from "./hanging.ts"
import type { Way } from "./hangingWays.ts"

/** The agent of a test that goes wrong is closed, too. */
const open = ({ cli, options }: Hanging) =>
  Effect.acquireRelease(
    Effect.sync(() => createAgent(cli, options)),
    (agent) => Effect.promise(agent.close)
  )

/** An error is an end, too. */
const settle = (promise: Promise<unknown>) => promise.then(() => undefined).catch(() => undefined)

/** Takes all events; what it returns settles with the last. */
const loop = (events: AsyncIterable<unknown>) =>
  settle(
    (async () => {
      for await (const _ of events);
    })()
  )

const start = Effect.fnUntraced(function* (hanging: Hanging, params: Partial<AgentExecuteParams> = {}) {
  const agent = yield* open(hanging)
  return { agent, events: agent.execute({ ...hanging.params, ...params }) }
})

const end = (...promises: ReadonlyArray<Promise<unknown> | undefined>) =>
  timed(Effect.promise(() => Promise.all(promises)))

export const plainWays: Readonly<Record<string, Way>> = {
  "a loop, and the agent is closed": Effect.fnUntraced(function* (hanging) {
    const { agent, events } = yield* start(hanging)
    const looped = loop(events)
    yield* hanging.ready()
    return yield* end(agent.close(), looped)
  }),
  "a loop, and the agent is closed at the start": Effect.fnUntraced(function* (hanging) {
    const { agent, events } = yield* start(hanging)
    const looped = loop(events)
    return yield* end(agent.close(), looped)
  }),
  "a loop, and the agent is closed twice at once": Effect.fnUntraced(function* (hanging) {
    const { agent, events } = yield* start(hanging)
    const looped = loop(events)
    yield* hanging.ready()
    return yield* end(agent.close(), agent.close(), looped)
  }),
  "a loop, and its signal is aborted": Effect.fnUntraced(function* (hanging) {
    const controller = new AbortController()
    const { events } = yield* start(hanging, { abortSignal: controller.signal })
    const looped = loop(events)
    yield* hanging.ready()
    controller.abort()
    return yield* end(looped)
  }),
  "a loop, and its time is over": Effect.fnUntraced(function* (hanging) {
    const { events } = yield* start(hanging, { timeouts: { total: totalBudgetMs } })
    return (yield* end(loop(events))) - totalBudgetMs
  }),
  "an iterator whose next waits, and it is told to return": Effect.fnUntraced(function* (hanging) {
    const { events } = yield* start(hanging)
    const iterator = events[Symbol.asyncIterator]()
    let hasEnded = false
    const waits = settle(
      (async () => {
        while (!hasEnded) hasEnded = (await iterator.next()).done === true
      })()
    )
    yield* hanging.ready()
    hasEnded = true
    return yield* end(iterator.return?.(), waits)
  }),
  "an iterator that is paused, and the agent is closed": Effect.fnUntraced(function* (hanging) {
    const { agent, events } = yield* start(hanging)
    const first = settle(events[Symbol.asyncIterator]().next())
    yield* hanging.ready()
    return yield* end(agent.close(), first)
  }),
  "two loops, and the agent is closed": Effect.fnUntraced(function* (hanging) {
    const { agent, events } = yield* start(hanging)
    const looped = [loop(events), loop(agent.execute(hanging.params))]
    yield* hanging.ready(2)
    return yield* end(agent.close(), ...looped)
  }),
  "a pending run, and the agent is closed": Effect.fnUntraced(function* (hanging) {
    const agent = yield* open(hanging)
    const pending = settle(agent.run(hanging.params))
    yield* hanging.ready()
    return yield* end(agent.close(), pending)
  }),
  "a pending run, and its signal is aborted at the start": Effect.fnUntraced(function* (hanging) {
    const controller = new AbortController()
    const agent = yield* open(hanging)
    const pending = settle(agent.run({ ...hanging.params, abortSignal: controller.signal }))
    controller.abort()
    return yield* end(pending)
  })
}
