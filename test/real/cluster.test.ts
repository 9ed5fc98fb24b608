/** The real Claude Code in a home of a cluster: its conversation goes on after its runner was killed and came back. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Redacted } from "effect"
import { afterAll, expect, it } from "vitest"
import { messages } from "../../src/testing/ModelServer.ts"
import { makeSandbox } from "../../src/testing/sandbox/sandbox.ts"
import { say } from "../../src/testing/servers/Answer.ts"
import { hasPostgres, makeDatabase, postgres } from "../kit/postgres.ts"
import { pathOf } from "./rig/environment.ts"
import { commandFor } from "./rig/layered.ts"

const reins = fileURLToPath(new URL("../../dist/program.js", import.meta.url))
const database = ["--database", "env:REINS_DATABASE"]

afterAll(() =>
  hasPostgres ? Effect.runPromise(Effect.flatMap(postgres, ({ end }) => Effect.promise(end))) : undefined
)

it.skipIf(!hasPostgres)("goes on after its runner was killed", { timeout: 120_000 }, async () => {
  await using stack = new AsyncDisposableStack()
  const api = stack.use(await messages(["The first.", "The second.", "spare"].map((text) => say(text))))
  const sandbox = stack.use(await makeSandbox("claude", api, { path: pathOf([commandFor("claude")]) }))
  const { url } = await Effect.runPromise(makeDatabase)
  const start = (state: string, args: ReadonlyArray<string>) => {
    const stateHome = join(sandbox.home, state)
    mkdirSync(stateHome, { recursive: true })
    const env = { ...sandbox.values, REINS_DATABASE: Redacted.value(url), XDG_STATE_HOME: stateHome }
    return spawn(process.execPath, [reins, ...args], { cwd: sandbox.work, env, stdio: ["ignore", "pipe", "pipe"] })
  }
  const ended = (child: ChildProcess) =>
    new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>((resolve) => {
      let [stdout, stderr] = ["", ""]
      child.stdout?.setEncoding("utf8").on("data", (text) => (stdout += text))
      child.stderr?.setEncoding("utf8").on("data", (text) => (stderr += text))
      child.once("close", (code) => resolve({ code, stdout, stderr }))
    })
  const serve = async () => {
    const child = start("runner", ["serve", "--web=0", "--home", "one", ...database])
    stack.defer(() => void child.kill("SIGKILL"))
    await new Promise<void>((resolve, reject) => {
      let log = ""
      const hear = (text: string) => {
        log += text
        if (log.includes("The home one serves the cluster")) resolve()
      }
      child.stdout.setEncoding("utf8").on("data", hear)
      child.stderr.setEncoding("utf8").on("data", hear)
      child.once("close", () => reject(new Error(`it ended: ${log}`)))
    })
    return child
  }
  const ask = (prompt: string) =>
    ended(start("caller", ["run", "--agent", "claude", "--output", "text", "--conversation", "c", ...database, prompt]))
  const first = await serve()
  expect(await ask("the first prompt")).toMatchObject({ code: 0, stdout: "The first.\n" })
  const gone = ended(first)
  first.kill("SIGKILL")
  await gone
  const waiting = ask("the second prompt")
  await serve()
  expect(await waiting).toMatchObject({ code: 0, stdout: "The second.\n" })
  const bodies = api.of("main").map(({ body }) => JSON.stringify(body))
  const reported = bodies.findLast((body) => body.includes("the second prompt")) ?? ""
  expect(reported).toContain("the first prompt")
  expect(reported).toContain("The first.")
})
