/**
 * The same ways to end as in the scripted matrix, by real processes with real pipes: for each CLI after its first line
 * and after its last.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { clis } from "../../src/agents/Agents.ts"
import type { Cli } from "../../src/cli/Cli.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import { plainSuccessOf, recordingPath } from "../cli/fixtures.ts"
import { programPath } from "../kit/agent.ts"
import { resultOf } from "../kit/events.ts"
import { assertAllDead } from "../kit/processes.ts"
import { makeDirectory } from "../kit/temporary.ts"
import { type Beginning, beginningsOf } from "./kit/beginnings.ts"
import { type HowItEnds, reasonOf } from "./kit/reason.ts"

const ways: Readonly<Record<string, HowItEnds>> = {
  "exit-0": { exit: { code: 0 } },
  "exit-1": { exit: { code: 1 } },
  kill: { exit: { signal: "SIGKILL" } },
  stay: {},
  "close-and-stay": { isMute: true },
  "close-and-exit-1": { exit: { code: 1 } },
  "close-and-exit-1-late": { isMute: true },
  "stdout-held": { exit: { code: 0 } },
  "stderr-held": { exit: { code: 0 } }
}

/** Far less than any budget by default, and than the program stays by itself. */
const promptMs = 15_000
const timeouts = { startup: "5 seconds", idle: "4 seconds", tool: "4 seconds", linger: "2 seconds" } as const

const run = Effect.fnUntraced(function* (cli: Cli, lines: number, how: string) {
  const tell = join(yield* makeDirectory, "tell")
  const file = `--file=${recordingPath(cli, plainSuccessOf(cli))}`
  const baseArgs = [programPath("ends-oddly"), file, `--lines=${lines}`, `--tell=${tell}`, `--how=${how}`]
  const layer = AgentRuntime.layer(cli, { command: process.execPath, baseArgs, killGrace: "300 millis", timeouts })
  const startedAt = performance.now()
  const events: Array<AgentEvent> = []
  yield* AgentRuntime.use((agent) =>
    agent.execute({ prompt: "hello" }).pipe(Stream.runForEach((event) => Effect.sync(() => events.push(event))))
  ).pipe(Effect.provide(layer), Effect.provide(nodePlatform))
  const pids: ReadonlyArray<number> = JSON.parse(readFileSync(tell, "utf8"))
  return { events, pids, tookMs: performance.now() - startedAt }
}, Effect.scoped)

/** Controls of the plainest success: with its first line, and whole. */
const twoBeginnings = (cli: Cli): ReadonlyArray<readonly [number, Beginning]> => {
  const whole = beginningsOf(cli, plainSuccessOf(cli)).filter(({ isCut }) => !isCut)
  return [1, whole.length - 1].map((lines) => [lines, whole[lines] ?? assert.fail("so many lines")] as const)
}

describe.each(Object.values(clis))("$id", (cli) => {
  it.live.each(Object.entries(ways))("a real process that does this: %s", ([how, end]) =>
    Effect.forEach(
      twoBeginnings(cli),
      ([lines, beginning]) =>
        Effect.gen(function* () {
          const { events, pids, tookMs } = yield* run(cli, lines, how)
          const { reason, text } = resultOf(events)
          assert.strictEqual(reason, reasonOf(beginning, end), beginning.name)
          if (reason === "completed") assert.isAbove(text.length, 0)
          assert.isBelow(tookMs, promptMs)
          assertAllDead(pids)
        }),
      { concurrency: "unbounded" }
    )
  )
})
