/** A run whose CLI reports a weaker permission mode than requested ends with that reason, and its process is gone. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { clis } from "../../src/agents/Agents.ts"
import type { PermissionMode } from "../../src/contract/AgentExecuteParams.ts"
import { FakeCli } from "../../src/testing.ts"
import { InstalledFake } from "../../src/testingEffect.ts"
import { plainSuccessOf, recordingPath } from "../cli/fixtures.ts"
import { killGrace } from "../kit/agent.ts"
import { resultOf } from "../kit/events.ts"
import { assertAllDead } from "../kit/processes.ts"

const recording = recordingPath(clis.claude, plainSuccessOf(clis.claude))

/** The recording's Claude Code reports `default`. */
const run = Effect.fnUntraced(function* (permissionMode: PermissionMode) {
  const { command, calls } = yield* InstalledFake.make(FakeCli.replay("claude", recording))
  const layer = AgentRuntime.layer(clis.claude, { killGrace, command }).pipe(Layer.provideMerge(NodeServices.layer))
  const events = yield* Stream.unwrap(
    AgentRuntime.useSync((agent) => agent.execute({ prompt: "hello", permissionMode }))
  ).pipe(Stream.provide(layer), Stream.runCollect)
  assertAllDead(calls().map(({ pid }) => pid))
  return events
})

describe("a run that reports the mode default", () => {
  it.live("fails if plan was requested, and emits nothing after the report", () =>
    Effect.gen(function* () {
      const events = yield* run("plan")
      assert.deepInclude(resultOf(events), { outcome: "failed", reason: "permission_mode_mismatch", text: "" })
      assert.deepStrictEqual(
        events.map(({ type }) => type).filter((type) => type !== "notice"),
        ["session", "error", "done"]
      )
    })
  )

  for (const mode of ["default", "accept-edits", "bypass"] as const) {
    it.live(`completes if ${mode} was requested`, () =>
      Effect.gen(function* () {
        assert.deepInclude(resultOf(yield* run(mode)), { outcome: "completed" })
      })
    )
  }
})
