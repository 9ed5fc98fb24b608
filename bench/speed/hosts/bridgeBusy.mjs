/**
 * While each conversation has a turn under way that has news each second: how fast messages are taken in, and how long a
 * press of *Stop* and a `/stop` wait behind messages that have just come.
 */
import { Effect } from "effect"
import { people, start, until } from "./bridgeOf.mjs"
import { measure, task } from "./measure.mjs"

const [presser = "", stopper = ""] = people

const busy = Effect.gen(function* () {
  const { say, press, seen } = yield* start
  for (const person of people) say(person, "hold")
  yield* until(() => seen.progress.size >= people.length)

  /** One of each in turn. */
  const sayMany = (/** @type {number} */ count) => {
    for (let nth = 0; nth < count; nth++) say(people[nth % people.length] ?? "", `and then ${nth}`)
  }

  const taken = seen.taken + task.messages
  const from = performance.now()
  sayMany(task.messages)
  yield* until(() => seen.taken >= taken)
  const perSecond = (task.messages * 1_000) / (performance.now() - from)

  const beforePress = performance.now()
  sayMany(task.waiting)
  press(presser)
  yield* until(() => seen.acknowledged.has(presser))
  const pressMs = performance.now() - beforePress

  const beforeStop = performance.now()
  sayMany(task.waiting)
  say(stopper, "/stop")
  yield* until(() => seen.stopped.has(stopper))
  return { perSecond, pressMs, stopMs: performance.now() - beforeStop }
})

await measure(
  () => Effect.runPromise(Effect.scoped(busy)),
  (facts) => facts
)
