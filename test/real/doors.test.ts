/** The other two doors on the real Claude Code: the Effect service, and the built program as a user would start it. */
import { spawn } from "node:child_process"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, it } from "@effect/vitest"
import { Effect, Exit, Schema, Stream } from "effect"
import { AgentEvent, AgentRuntime, Claude } from "../../src/index.ts"
import { type MessagesScript, messages } from "../../src/testing/ModelServer.ts"
import { makeFolders } from "../../src/testing/sandbox/sandbox.ts"
import { fail, say, stall } from "../../src/testing/servers/Answer.ts"
import { scoped } from "../../src/testingEffect.ts"
import { processesWith } from "../kit/processes.ts"
import { summarize } from "./rig/agent.ts"
import { claudeCommand, claudeEnv } from "./rig/claude.ts"
import { isTested, versionOf } from "./rig/install.ts"

const reins = fileURLToPath(new URL("../../dist/program.js", import.meta.url))

const open = async (script: MessagesScript) => {
  const stack = new AsyncDisposableStack()
  const api = stack.use(await messages(script))
  const sandbox = stack.use(await makeFolders())
  const values = claudeEnv(sandbox, api.url, { CLAUDE_CODE_MAX_RETRIES: "0" })
  return { api, sandbox, values, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

const provided = <A, E>(real: Awaited<ReturnType<typeof open>>, effect: Effect.Effect<A, E, AgentRuntime>) =>
  effect.pipe(
    Effect.provide(Claude.layer({ command: claudeCommand, env: { values: real.values } })),
    Effect.provide(NodeServices.layer)
  )

it.live("runs as a layer", () =>
  Effect.gen(function* () {
    const real = yield* scoped(() => open([say(["Hel", "lo"])]))
    const params = { prompt: "hi", workingDirectory: real.sandbox.work }
    const program = Effect.gen(function* () {
      const agent = yield* AgentRuntime
      const events = yield* Stream.runCollect(agent.execute(params))
      return [events, yield* agent.run(params)] as const
    })
    const [events, again] = yield* provided(real, program)
    expect(summarize(events).result).toMatchObject({ outcome: "completed", text: "Hello" })
    expect(again).toMatchObject({ outcome: "completed", text: "Hello" })
  })
)

it.live("fails with a typed reason", () =>
  Effect.gen(function* () {
    const real = yield* scoped(() => open([fail(401)]))
    const run = AgentRuntime.use((agent) => agent.run({ prompt: "hi", workingDirectory: real.sandbox.work }))
    const category = run.pipe(
      Effect.as("none"),
      Effect.catchReason("AgentError", "AgentFailed", (reason) => Effect.succeed(reason.category))
    )
    expect(yield* provided(real, category)).toBe("auth")
  })
)

it.live("is gone when its fiber is interrupted", () =>
  Effect.gen(function* () {
    const real = yield* scoped(() => open([stall(["some ", "words"])]))
    const firstText = AgentRuntime.useSync((agent) =>
      agent.execute({ prompt: "hi", workingDirectory: real.sandbox.work })
    ).pipe(
      Stream.unwrap,
      Stream.filter((event) => event.type === "text"),
      Stream.runForEach(() => Effect.interrupt)
    )
    const exit = yield* Effect.exit(provided(real, firstText))
    expect(Exit.hasInterrupts(exit)).toBe(true)
    expect(processesWith(real.sandbox.home)).toEqual([])
  })
)

/** The program, with `claude` on its PATH. */
const start = (real: Awaited<ReturnType<typeof open>>, args: ReadonlyArray<string>) => {
  const env = { ...real.values, PATH: `${dirname(claudeCommand)}:${dirname(process.execPath)}:/usr/bin:/bin` }
  const child = spawn(process.execPath, [reins, ...args], { cwd: real.sandbox.work, env, stdio: "pipe" })
  child.stdin.end()
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text
  })
  const ended = new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>(
    (resolve) => child.once("close", (code) => resolve({ code, stdout, stderr }))
  )
  return { child, ended }
}

const decodeEvent = Schema.decodeUnknownSync(AgentEvent)
const eventsOf = (stdout: string) =>
  stdout
    .trim()
    .split("\n")
    .map((line) => decodeEvent(JSON.parse(line)))

it("prints events as the program", async () => {
  await using real = await open([say(["Hel", "lo"])])
  const { code, stdout, stderr } = await start(real, ["run", "--agent", "claude", "--json", "say hi"]).ended
  expect([code, stderr]).toEqual([0, ""])
  expect(summarize(eventsOf(stdout)).result).toMatchObject({ outcome: "completed", text: "Hello" })
})

it("prints a transcript with the answer in it", async () => {
  await using real = await open([say(["Hel", "lo wörld"])])
  const { code, stdout } = await start(real, ["run", "say hi"]).ended
  expect(code).toBe(0)
  expect(stdout).toContain("Hello wörld")
})

it("exits with 1 when the agent fails", async () => {
  await using real = await open([fail(401)])
  const { code, stdout } = await start(real, ["run", "--json", "say hi"]).ended
  expect(code).toBe(1)
  expect(summarize(eventsOf(stdout)).error).toMatchObject({ category: "auth" })
})

it("ends the agent on Ctrl-C and says so", async () => {
  await using real = await open([stall(["some ", "words"])])
  const { child, ended } = start(real, ["run", "--json", "say hi"])
  const request = await real.api.arrival(1)
  await request.sent
  child.kill("SIGINT")
  const { code, stdout } = await ended
  expect(code).toBe(130)
  expect(summarize(eventsOf(stdout)).result).toMatchObject({ outcome: "aborted", aborted: true })
  expect(processesWith(real.sandbox.home)).toEqual([])
})

it("knows in the doctor which version is there", async () => {
  await using real = await open([])
  const { code, stdout } = await start(real, ["doctor", "--json", "--agent", "claude"]).ended
  if (isTested("claude")) expect(code).toBe(0)
  expect(JSON.parse(stdout).agents).toContainEqual(
    expect.objectContaining({ agent: "claude", version: versionOf("claude") })
  )
})
