/** Spans of a live session of the real Codex with a sub-agent, an approval, a denial and a failure: as a tree. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { clis } from "../../src/agents/Agents.ts"
import { allow, deny } from "../../src/agents/Approvals.ts"
import { exporter } from "../../src/program/telemetry/exporter.ts"
import { telemetrySettings } from "../../src/program/telemetry/settings.ts"
import { HostEnvironment } from "../../src/system/process/HostEnvironment.ts"
import { responses } from "../../src/testing/ModelServer.ts"
import { makeSandbox } from "../../src/testing/sandbox/sandbox.ts"
import { type Answer, call, fail, say, tool } from "../../src/testing/servers/Answer.ts"
import type { ModelRequest } from "../../src/testing/servers/request.ts"
import { scoped } from "../../src/testingEffect.ts"
import { startCollector } from "../kit/otlp/collector.ts"
import { spanTree } from "../kit/otlp/spanTree.ts"
import { shell } from "./rig/codex.ts"
import { pathOf } from "./rig/environment.ts"
import { commandFor } from "./rig/layered.ts"

/** It begins a sub-agent, which runs one command and may not run another, and waits for it. The next turn fails. */
const script = (request: ModelRequest): Answer => {
  const { prompts, prompt, toolResults } = request
  if (prompts.includes("look around")) {
    const steps = [call(shell("touch made", "allowed")), call(shell("rm made", "denied"))]
    return steps[toolResults.length] ?? say("Sub answer.")
  }
  if (prompt === "two") return fail(400)
  const [spawned, ...others] = toolResults
  if (spawned === undefined) return call(tool("multi_agent_v1.spawn_agent", { message: "look around" }, "spawn"))
  if (others.length > 0) return say("All done.")
  const { agent_id } = JSON.parse(spawned.text)
  return call(tool("multi_agent_v1.wait_agent", { targets: [agent_id], timeout_ms: 20_000 }, "wait"))
}

it.live(
  "a session of Codex with a sub-agent, an approval and a failure",
  () =>
    Effect.gen(function* () {
      const collector = yield* scoped(startCollector)
      const api = yield* scoped(() => responses(script))
      const program = commandFor("codex")
      const sandbox = yield* scoped(() => makeSandbox("codex", api, { path: pathOf([program]) }))
      const host = { ...sandbox.values, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
      const { settings } = telemetrySettings(host)
      if (settings === undefined) throw new Error("no settings")
      yield* Effect.gen(function* () {
        const agent = yield* AgentRuntime
        const approvals = [deny({ commands: ["rm", "rm *"] }), allow()]
        const session = yield* agent.open({ workingDirectory: sandbox.work, approvals })
        for (const prompt of ["one", "two"]) yield* Stream.runDrain(session.turn(prompt))
      }).pipe(
        Effect.scoped,
        Effect.provide(AgentRuntime.layer(clis.codex, { command: program }).pipe(Layer.provide(NodeServices.layer))),
        Effect.provideService(HostEnvironment, host),
        Effect.provide(exporter(settings, (problem) => Effect.die(problem)))
      )
      const lines = spanTree(collector.spans()).split("\n")
      const names = lines
        .filter((line) => / ms$|^ *·/.test(line))
        .map((line) => line.replace(/ [\d.]+ ms$|(· \w+) .*$/, "$1"))
      expect(names).toEqual([
        "invoke_agent codex",
        "  invoke_agent codex",
        "    execute_tool spawn_agent",
        "      execute_tool command_execution",
        "        · permission_request",
        "        · permission_decision",
        "      execute_tool command_execution ✗ (tool_error)",
        "        · permission_request",
        "        · permission_decision",
        "        · exception",
        "    execute_tool wait",
        "  invoke_agent codex ✗ (agent_failed)",
        "    · exception"
      ])
    }),
  60_000
)
