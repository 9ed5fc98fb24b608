/** `reins chat --json` with each of the four real CLIs on its PATH, as another program would drive it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import { expect, it } from "vitest"
import { AgentEvent } from "../../src/index.ts"
import { makeFolders } from "../../src/testing/sandbox/sandbox.ts"
import { call, say, tool } from "../../src/testing/servers/Answer.ts"
import { ofType, openAgent } from "./rig/agent.ts"
import { openCodex } from "./rig/codex.ts"
import { openGemini } from "./rig/gemini.ts"
import { command } from "./rig/live.ts"
import { openOpencode } from "./rig/opencode.ts"

const reins = fileURLToPath(new URL("../../dist/program.js", import.meta.url))
const made = "touch made && echo done"
const decodeEvent = Schema.decodeUnknownSync(AgentEvent)

const chat = async (
  agent: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
  lines: ReadonlyArray<object>,
  flags: ReadonlyArray<string> = []
) => {
  const child = spawn(process.execPath, [reins, "chat", "--agent", agent, "--json", ...flags, "make it"], {
    cwd,
    env,
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
  child.stdin.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
  const [code] = await once(child, "close")
  const printed = stdout.trimEnd().split("\n")
  return { code, stderr, events: printed.map((line) => decodeEvent(JSON.parse(line))) }
}

it("takes two turns of Claude Code, both of which ask, and closes at the end of stdin", async () => {
  const bash = command.claude(made)
  await using real = await openAgent([call(bash), say("It is made."), call(bash), say("Then not.")])
  const { code, stderr, events } = await chat("claude", real.sandbox.work, real.values, [
    { type: "decide", decision: "allow" },
    { type: "turn", prompt: "again" },
    { type: "decide", decision: "deny", message: "once is enough" }
  ])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '{"line":1,"ok":true}\n{"line":3,"ok":true}\n' })
  expect(ofType(events, "permission_decision")).toMatchObject([
    { decision: "allow", by: "caller" },
    { decision: "deny", by: "caller", message: "once is enough" }
  ])
  expect(ofType(events, "turn_done").map(({ result }) => result.text)).toEqual(["It is made.", "Then not."])
  expect(events.at(-1)).toMatchObject({ type: "done", result: { outcome: "completed", reason: "completed" } })
})

it.each([
  ["on", [{ type: "decide", decision: "allow" }], "caller"],
  ["auto", [], "rule"]
] as const)("has Claude Code plan first with --plan-mode %s", async (mode, lines, by) => {
  const exit = call(tool("ExitPlanMode", { plan: "1. Look." }))
  await using real = await openAgent([exit, say("It is carried out.")])
  const { code, events } = await chat("claude", real.sandbox.work, real.values, lines, ["--plan-mode", mode])
  expect(ofType(events, "session")[0]).toMatchObject({ permissionMode: "plan" })
  expect(ofType(events, "permission_request")).toMatchObject([{ kind: "plan" }])
  expect(ofType(events, "permission_decision")).toMatchObject([{ decision: "allow", by }])
  expect(ofType(events, "turn_done").map(({ result }) => result.text)).toEqual(["It is carried out."])
  expect(code).toBe(0)
})

const open = async (agent: "gemini" | "codex" | "opencode") => {
  const script = [call(command[agent](made)), say("It is made.")]
  const stack = new AsyncDisposableStack()
  const dispose = { [Symbol.asyncDispose]: () => stack.disposeAsync() }
  if (agent === "opencode") {
    const sandbox = stack.use(await makeFolders())
    const { work, values } = stack.use(await openOpencode(sandbox, script))
    return { cwd: work, env: values, ...dispose }
  }
  const { sandbox, values } = stack.use(await (agent === "gemini" ? openGemini(script) : openCodex(script)))
  return { cwd: sandbox.work, env: values, ...dispose }
}

it.each(["gemini", "codex", "opencode"] as const)("answers what %s asks", async (agent) => {
  await using real = await open(agent)
  const allow = { type: "decide", decision: "allow" }
  const { code, stderr, events } = await chat(agent, real.cwd, real.env, [allow])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '{"line":1,"ok":true}\n' })
  expect(ofType(events, "permission_decision")).toMatchObject([{ decision: "allow", by: "caller" }])
  expect(existsSync(join(real.cwd, "made"))).toBe(true)
})
