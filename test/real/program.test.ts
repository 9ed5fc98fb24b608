/** The built program with each of the five real CLIs on its PATH, as a user would start it. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import { afterAll, expect, it } from "vitest"
import { AgentEvent } from "../../src/index.ts"
import { makeFolders } from "../../src/testing/sandbox/sandbox.ts"
import { say } from "../../src/testing/servers/Answer.ts"
import { openAgent, summarize } from "./rig/agent.ts"
import { openCodex } from "./rig/codex.ts"
import { openGemini } from "./rig/gemini.ts"
import { commandOf, isTested, pinnedClis, versionOf } from "./rig/install.ts"
import { openOpencode } from "./rig/opencode.ts"
import { openPi } from "./rig/pi.ts"

const reins = fileURLToPath(new URL("../../dist/program.js", import.meta.url))
const decodeEvent = Schema.decodeUnknownSync(AgentEvent)

const run = (args: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string | undefined>>) =>
  new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>((resolve) => {
    const child = spawn(process.execPath, [reins, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
    const [stdout, stderr]: [Array<string>, Array<string>] = [[], []]
    child.stdout.setEncoding("utf8").on("data", (text) => stdout.push(text))
    child.stderr.setEncoding("utf8").on("data", (text) => stderr.push(text))
    child.once("close", (code) => resolve({ code, stdout: stdout.join(""), stderr: stderr.join("") }))
  })

const words = "Hello from the scripted model."

/** A sandbox in which the CLI leads to a scripted server that says `words`. */
const open = async (agent: string) => {
  const stack = new AsyncDisposableStack()
  const dispose = { [Symbol.asyncDispose]: () => stack.disposeAsync() }
  if (agent === "claude") {
    const { sandbox, values } = stack.use(await openAgent([say(words)]))
    return { cwd: sandbox.work, env: values, ...dispose }
  }
  if (agent === "gemini") {
    const { sandbox, values } = stack.use(await openGemini([say(words)]))
    return { cwd: sandbox.work, env: values, ...dispose }
  }
  if (agent === "codex") {
    const { sandbox, values } = stack.use(await openCodex([say(words)]))
    return { cwd: sandbox.work, env: values, ...dispose }
  }
  if (agent === "pi") {
    const { work, values } = stack.use(await openPi([say(words)]))
    return { cwd: work, env: values, ...dispose }
  }
  const sandbox = stack.use(await makeFolders())
  const { work, values } = stack.use(await openOpencode(sandbox, [say(words)]))
  return { cwd: work, env: values, ...dispose }
}

const state = mkdtempSync(join(tmpdir(), "store-"))
afterAll(() => rmSync(state, { recursive: true, force: true }))
const config = join(state, "reins.toml")
writeFileSync(config, `[store]\ndirectory = ${JSON.stringify(join(state, "store"))}\n`, { mode: 0o600 })

/** As their results have it. */
const used: Record<string, number> = {}

it.each(["claude", "gemini", "codex", "opencode", "pi"])("reins run --agent %s --json", async (agent) => {
  await using real = await open(agent)
  const args = ["run", "--agent", agent, "--json", "--config", config, "say hi"]
  const { code, stdout, stderr } = await run(args, real.cwd, real.env)
  expect([code, stderr]).toEqual([0, ""])
  const { result } = summarize(
    stdout
      .trim()
      .split("\n")
      .map((line) => decodeEvent(JSON.parse(line)))
  )
  expect(result).toMatchObject({ outcome: "completed", reason: "completed", text: words })
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = result.usage ?? {}
  used[agent] = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens
  process.stdout.write(`${stdout.trim().split("\n").at(-1)}\n`)
})

it("reins usage has the runs of all", async () => {
  const usage = (...args: ReadonlyArray<string>) => run(["usage", "--config", config, ...args], state, process.env)
  const { code, stdout } = await usage("--by", "cli", "--json")
  expect(code).toBe(0)
  const rows: ReadonlyArray<Record<string, unknown> & { readonly tokens?: { readonly total: number } }> = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  const found = rows.filter(({ type }) => type === "row").map(({ key, runs, tokens }) => [key, runs, tokens?.total])
  expect(found.sort()).toEqual(
    Object.entries(used)
      .map(([cli, total]) => [cli, 1, total])
      .sort()
  )
  for (const by of ["day", "model"]) process.stdout.write((await usage("--by", by)).stdout)
})

it("reins doctor finds all, and knows the tested versions", async () => {
  await using real = await open("claude")
  const folders = pinnedClis.map((cli) => dirname(commandOf(cli)))
  const PATH = [...folders, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter)
  const { code, stdout } = await run(["doctor", "--json"], real.cwd, { ...real.env, PATH })
  const { agents } = JSON.parse(stdout)
  expect(code).toBe(0)
  const found = agents.map(({ agent, version, status }: Record<string, string>) => [
    agent,
    version,
    status === "tested"
  ])
  expect(found).toEqual(
    (["claude", "gemini", "codex", "opencode", "pi"] as const).map((id) => [id, versionOf(id), isTested(id)])
  )
})
