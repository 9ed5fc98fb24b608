/** Signals to a running host, and its end. */
import { Effect, Option, Queue, type Scope } from "effect"
import type { ChannelBridge } from "../../bridge/ChannelBridge.ts"
import { plural } from "../../contract/text/amounts.ts"
import { untraced } from "../../contract/untraced.ts"
import { exitNow, takeSignals } from "../signals.ts"

export type Control =
  | { readonly _tag: "Stop"; readonly signal: string }
  | { readonly _tag: "Reload" }
  | { readonly _tag: "Restart" }

/** `drained`: all work was done. `cut`: the time limit was reached. */
export type Drained = "drained" | "cut"

const drainTime = "120 seconds"

/** SIGHUP reloads the configuration; the first other signal drains the host, the second one ends it at once. */
export const makeControls: Effect.Effect<Queue.Queue<Control>, never, Scope.Scope> = Effect.gen(function* () {
  const controls = yield* Queue.unbounded<Control>()
  let isEnding = false
  yield* takeSignals((signal) => {
    if (signal === "SIGHUP") return void Queue.offerUnsafe(controls, { _tag: "Reload" })
    if (isEnding) return exitNow()
    isEnding = true
    Queue.offerUnsafe(controls, { _tag: "Stop", signal })
  })
  return controls
})

/** Waits for running turns, and logs how many. */
export const drain = Effect.fn(...untraced("Control.drain"))(function* (
  { drain: done, conversations }: Pick<ChannelBridge["Service"], "drain" | "conversations">,
  signal: string,
  /** Running turns that other homes have requested. */
  ofHome: () => number = () => 0
) {
  const running = Effect.map(conversations, (all) => all.filter(({ isRunning }) => isRunning).length)
  const count = yield* running
  const hint = "A second signal ends at once"
  yield* Effect.logInfo(
    count === 0 && ofHome() === 0
      ? `${signal}: nothing is at work, so it ends`
      : `${signal}: nothing new is begun, and ${plural(count + ofHome(), "turn")} at work may take ${drainTime} at most. ${hint}`
  )
  const telling = Effect.flatMap(running, (left) =>
    left === 0 ? Effect.void : Effect.logInfo(`waits for ${plural(left, "turn")}. ${hint}`)
  ).pipe(Effect.delay("10 seconds"), Effect.forever)
  const isDone = yield* Effect.raceFirst(Effect.timeoutOption(done, drainTime), telling)
  const left = yield* running
  if (Option.isSome(isDone)) return "drained" as const
  yield* Effect.logWarning(`Time is up: ${plural(left, "turn")} cut off. People are asked about it at the next start`)
  return "cut" as const
})
