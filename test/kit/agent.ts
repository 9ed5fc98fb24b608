/** An agent whose CLI is one of `fixtures/programs` or a fake, run as a real process. */
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { claude } from "../../src/cli/claude/index.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../src/contract/AgentOptions.ts"
import { FakeCli, Step } from "../../src/testing.ts"
import { InstalledFake } from "../../src/testingEffect.ts"

export const programPath = (name: string) =>
  fileURLToPath(new URL(`../../fixtures/programs/${name}.mjs`, import.meta.url))

/** Options that make an agent run `name` instead of the CLI. */
export const program = (name: string, ...args: ReadonlyArray<string>) => ({
  command: process.execPath,
  baseArgs: [programPath(name), ...args]
})

/** Options that make an agent run the fake instead of the CLI. */
export const performing = (fake: FakeCli) => Effect.map(InstalledFake.make(fake), ({ command }) => ({ command }))

/** A CLI that never says a word, and its pid as soon as it has started: the signal for those who see no events. */
export const running = Effect.gen(function* () {
  const { command, directory, calls, started } = yield* InstalledFake.make(FakeCli.claude([Step.hang()]))
  return {
    options: { command },
    /** Stands on its command line. */
    folder: dirname(directory),
    hasStarted: () => calls().length > 0,
    pid: Effect.promise(async () => (await started()).pid)
  }
})

/** No process of a test that goes wrong is waited for longer than this. */
export const killGrace = "300 millis"

export const layerOf = (options: AgentOptions) =>
  AgentRuntime.layer(claude, { killGrace, ...options }).pipe(Layer.provideMerge(NodeServices.layer))

/** All events of one run. */
export const collect = (options: AgentOptions, params: Partial<AgentExecuteParams> = {}) =>
  AgentRuntime.use((agent) => Stream.runCollect(agent.execute({ prompt: "hello", ...params }))).pipe(
    Effect.provide(layerOf(options))
  )

/** One run by the other method of the service: its result, or its `AgentError`. */
export const runOnce = (options: AgentOptions, params: Partial<AgentExecuteParams> = {}) =>
  AgentRuntime.use((agent) => agent.run({ prompt: "hello", ...params })).pipe(Effect.provide(layerOf(options)))

/** All events of one run, each with the milliseconds since its start, and when the stream had ended. */
export const collectTimed = (options: AgentOptions, params: Partial<AgentExecuteParams> = {}) =>
  Effect.gen(function* () {
    const startedAt = performance.now()
    const since = () => performance.now() - startedAt
    const events: Array<AgentEvent & { readonly atMs: number }> = []
    yield* AgentRuntime.use((agent) =>
      agent
        .execute({ prompt: "hello", ...params })
        .pipe(Stream.runForEach((event) => Effect.sync(() => events.push({ ...event, atMs: since() }))))
    ).pipe(Effect.provide(layerOf(options)))
    return { events, endedMs: since() }
  })
