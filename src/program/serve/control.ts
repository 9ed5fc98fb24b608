/** Signals to a running host, and its end. */
import { Effect, Option, Queue, type Scope } from "effect"
import type { ChannelBridge } from "../../bridge/ChannelBridge.ts"
import { plural } from "../../contract/text/amounts.ts"
import { exitNow, takeSignals } from "../signals.ts"

export type Control =
  | { readonly _tag: "Stop"; readonly signal: string }
  | { readonly _tag: "Reload" }
  | { readonly _tag: "Restart" }

/** `drained`: all work is done. `cut`: time was up. */
export type Drained = "drained" | "cut"

/** How long agents may go on. */
const drainTime = "120 seconds"

/** SIGHUP reads the configuration again; the first other signal ends the host when its work is done, the second at once. */
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

/** Says what is waited for. */
export const drain = Effect.fnUntraced(function* (
  { drain: done, conversations }: Pick<ChannelBridge["Service"], "drain" | "conversations">,
  signal: string,
  /** Turns at work that others have asked this home for. */
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
