/** A run of a scripted process, watched from outside while `TestClock` moves its time. */
import { type Duration, Effect, Fiber, Logger, Stream } from "effect"
import { TestClock } from "effect/testing"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import type { Cli } from "../../src/cli/Cli.ts"
import { claude } from "../../src/cli/claude/index.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../src/contract/AgentOptions.ts"
import { resultOf } from "./events.ts"
import { Script, scriptedLayer, settled } from "./scripted.ts"

export interface Watched {
  readonly script: Script["Service"]
  /** All events so far. */
  readonly events: ReadonlyArray<AgentEvent>
  /** `done` was given. */
  readonly hasEnded: () => boolean
  /** The stream has ended: the process is gone. */
  readonly isComplete: () => boolean
  readonly pass: (time: Duration.Input) => Effect.Effect<void>
}

/** Lets time go by and every fiber that woke up do its work. */
export const pass = (time: Duration.Input) => Effect.andThen(TestClock.adjust(time), settled)

/** Hands `test` a run whose process has not printed anything. Whatever it did, one `done` is the end of it. */
export const watched = <E>(
  test: (run: Watched) => Effect.Effect<void, E>,
  options: AgentOptions = {},
  params: Partial<AgentExecuteParams> = {},
  cli: Cli = claude
) =>
  Effect.gen(function* () {
    const script = yield* Script
    const agent = yield* AgentRuntime
    const events: Array<AgentEvent> = []
    const fiber = yield* agent.execute({ prompt: "hello", ...params }).pipe(
      Stream.runForEach((event) => Effect.sync(() => events.push(event))),
      Effect.forkChild({ startImmediately: true })
    )
    yield* settled
    yield* test({
      script,
      events,
      hasEnded: () => events.some((event) => event.type === "done"),
      isComplete: () => fiber.pollUnsafe() !== undefined,
      pass
    })
    yield* pass("1 day")
    yield* Fiber.join(fiber)
    resultOf(events)
  }).pipe(Effect.provide(scriptedLayer(options, cli)))

/** The same, with the first part of each message that goes to the log. */
export const watchedWithLog = <E>(
  test: (run: Watched, log: ReadonlyArray<string>) => Effect.Effect<void, E>,
  params: Partial<AgentExecuteParams> = {}
) => {
  const log: Array<string> = []
  const logger = Logger.make(({ message }) => void log.push(String([message].flat()[0])))
  return watched((run) => test(run, log), {}, params).pipe(Effect.provide(Logger.layer([logger])))
}
