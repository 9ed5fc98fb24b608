/** `reins chat --json` with the real Claude Code on its PATH, as another program would drive it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import { expect, it } from "vitest"
import { AgentEvent } from "../../src/index.ts"
import { call, say } from "../../src/testing/servers/answer.ts"
import { ofType, openAgent } from "./rig/agent.ts"
import { command } from "./rig/live.ts"

const reins = fileURLToPath(new URL("../../dist/program/main.js", import.meta.url))
const decodeEvent = Schema.decodeUnknownSync(AgentEvent)

it("takes two turns, of which one asks, and closes at the end of stdin", async () => {
  const bash = command.claude("touch made && echo done")
  await using real = await openAgent([call(bash), say("It is made."), call(bash), say("Then not.")])
  const child = spawn(process.execPath, [reins, "chat", "--json", "make it"], {
    cwd: real.sandbox.work,
    env: real.values,
    stdio: "pipe"
  })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text
  })
  const commands = [
    { type: "decide", decision: "allow" },
    { type: "turn", prompt: "again" },
    { type: "decide", decision: "deny", message: "once is enough" }
  ]
  child.stdin.end(commands.map((line) => `${JSON.stringify(line)}\n`).join(""))
  const [code] = await once(child, "close")
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => decodeEvent(JSON.parse(line)))
  expect({ code, stderr }).toEqual({ code: 0, stderr: '{"line":1,"ok":true}\n{"line":3,"ok":true}\n' })
  expect(ofType(events, "permission_decision")).toMatchObject([
    { decision: "allow", by: "caller" },
    { decision: "deny", by: "caller", message: "once is enough" }
  ])
  expect(ofType(events, "turn_done").map(({ result }) => result.text)).toEqual(["It is made.", "Then not."])
  expect(events.at(-1)).toMatchObject({ type: "done", result: { outcome: "completed", reason: "completed" } })
})
