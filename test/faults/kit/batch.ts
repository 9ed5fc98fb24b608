/**
 * Many scripted runs side by side, under one `TestClock`: each gets its bytes, then its process does the same as all the
 * others', and time passes for all at once.
 */
import { Context, Effect, Layer, Stream } from "effect"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import { defaultGates, Gates } from "../../../src/agents/engine/Gates.ts"
import type { Cli } from "../../../src/cli/Cli.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import { Script, scriptedLayer, settled } from "../../kit/scripted.ts"
import { pass } from "../../kit/watched.ts"

export interface Printed {
  readonly bytes: Uint8Array
  readonly params: Partial<AgentExecuteParams>
}

/** The behaviour of a process once it has printed everything. */
export type Act = (script: Script["Service"]) => Effect.Effect<void>

export interface Batched {
  readonly events: ReadonlyArray<AgentEvent>
  readonly hasExited: boolean
  /** `done` had come before any more time passed than it takes to be sure. */
  readonly wasPrompt: boolean
  /** The stream has ended. */
  readonly isComplete: boolean
}

const start = Effect.fnUntraced(function* (cli: Cli, { bytes, params }: Printed) {
  // Recordings share sessions, and runs of one session wait for each other, also among processes.
  const ownGates = Layer.succeed(Gates)(defaultGates(() => Number.POSITIVE_INFINITY))
  const context = yield* Layer.build(Layer.provide(scriptedLayer({ limits: { guard: "none" } }, cli), ownGates))
  const script = Context.get(context, Script)
  const events: Array<AgentEvent> = []
  // A settings file is written in the time of the host, which no test clock moves.
  const untouched = cli.settingsPath === undefined ? {} : { trustWorkspace: false }
  const fiber = yield* Context.get(context, AgentRuntime)
    .execute({ prompt: "hello", timeouts, ...untouched, ...params })
    .pipe(
      Stream.runForEach((event) => Effect.sync(() => events.push(event))),
      Effect.forkScoped({ startImmediately: true })
    )
  return { script, bytes, events, fiber }
})

/** The host's clock sleeps second by second: an hour of each run would be most of the time of these tests. */
const timeouts = { tool: "2 minutes", idle: "2 minutes" } as const

/** Short enough to count as immediate: the wait for rest in a pipe, or for an exit after the end of stdout. */
const moment = "3 seconds"

export const batch = Effect.fnUntraced(function* (cli: Cli, printed: ReadonlyArray<Printed>, act: Act) {
  const runs = yield* Effect.forEach(printed, (one) => start(cli, one))
  yield* settled
  for (const { script, bytes } of runs) if (bytes.length > 0) yield* script.print(bytes)
  yield* settled
  yield* Effect.forEach(runs, ({ script }) => Effect.forkScoped(act(script)), { discard: true })
  yield* settled
  yield* pass(moment)
  const prompt = runs.map(({ events }) => events.some(({ type }) => type === "done"))
  yield* pass("1 day")
  return runs.map(
    ({ script, events, fiber }, index): Batched => ({
      events,
      hasExited: script.hasExited(),
      wasPrompt: prompt[index] === true,
      isComplete: fiber.pollUnsafe() !== undefined
    })
  )
}, Effect.scoped)
