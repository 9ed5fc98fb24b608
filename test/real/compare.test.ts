/** `reins compare` of the built program with two real CLIs at the same time, in a git repository. */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { messages } from "../../src/testing/ModelServer.ts"
import { type Answer, call, say } from "../../src/testing/servers/Answer.ts"
import { gitIn, leftIn, makeRepository, textOf } from "../kit/repository.ts"
import { claudeEnv } from "./rig/claude.ts"
import { openCodex } from "./rig/codex.ts"
import { command } from "./rig/live.ts"

const reins = fileURLToPath(new URL("../../dist/program.js", import.meta.url))

/** Both CLIs find their own server in the same environment. */
const open = async (answersOf: (agent: "claude" | "codex") => ReadonlyArray<Answer>) => {
  const stack = new AsyncDisposableStack()
  const codex = stack.use(await openCodex(answersOf("codex")))
  const api = stack.use(await messages(answersOf("claude")))
  const env = { ...codex.values, ...claudeEnv(codex.sandbox, api.url) }
  const compare = (cwd: string, ...args: ReadonlyArray<string>) =>
    new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>((resolve) => {
      const child = spawn(process.execPath, [reins, "compare", "--cwd", cwd, ...args], { env, stdio: "pipe" })
      child.stdin.end()
      let [stdout, stderr] = ["", ""]
      child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text))
      child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text))
      child.once("close", (code) => resolve({ code, stdout, stderr }))
    })
  return { compare, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

const inRepository = (test: (repository: string) => Promise<void>) =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(makeRepository, (repository) => Effect.promise(() => test(repository))))
  )

it("shows each answer, and allows no unasked writes", () =>
  inRepository(async (repository) => {
    await using real = await open((agent) => [say(`I am ${agent}.`)])
    const { code, stdout, stderr } = await real.compare(repository, "who are you?", "--agents", "claude,codex")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    process.stdout.write(stdout)
    expect(stdout).toContain("I am claude.")
    expect(stdout).toContain("I am codex.")
    expect(stdout).toMatch(/\nclaude .*✓ completed\ncodex .*✓ completed\n$/)
    expect(gitIn(repository, "status", "--porcelain")).toBe("")
  }))

it("gives each a worktree where they may write, and takes over the changes of one", () =>
  inRepository(async (repository) => {
    await using real = await open((agent) => [call(command[agent](`touch ${agent}.txt`)), say(`I am ${agent}.`)])
    const mode = ["--permission-mode", "accept-edits"]
    const { code, stdout, stderr } = await real.compare(repository, "write", "--agents", "claude,codex", ...mode)
    process.stdout.write(stdout)
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(gitIn(repository, "status", "--porcelain")).toBe("")
    const applied = await real.compare(repository, "--apply", "codex")
    expect(applied).toMatchObject({ code: 0, stdout: "✓ applied the changes of codex: 1 file\n  codex.txt\n" })
    expect(textOf(repository, "codex.txt")).toBe("")
    expect(leftIn(repository)).toEqual([])
    expect((await real.compare(join(repository, "sub"), "--apply", "claude")).code).toBe(0)
    expect(textOf(repository, "claude.txt")).toBe("")
  }))
