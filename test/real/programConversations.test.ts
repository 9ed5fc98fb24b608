/** Conversations of the built program with each of the five real CLIs: each command line is a process of its own. */
import { spawn } from "node:child_process"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { makeFolders } from "../../src/testing/sandbox/sandbox.ts"
import { say } from "../../src/testing/servers/Answer.ts"
import { openAgent } from "./rig/agent.ts"
import { openCodex } from "./rig/codex.ts"
import { openGemini } from "./rig/gemini.ts"
import { openOpencode } from "./rig/opencode.ts"
import { openPi } from "./rig/pi.ts"

const reins = fileURLToPath(new URL("../../dist/program.js", import.meta.url))

interface Place {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

const run = ({ cwd, env }: Place, ...args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>((resolve) => {
    const child = spawn(process.execPath, [reins, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
    let [stdout, stderr] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text))
    child.once("close", (code) => resolve({ code, stdout, stderr }))
  })

const answers = [say("The first answer."), say("The second answer."), say("The third answer.")]

const open = async (agent: string) => {
  const stack = new AsyncDisposableStack()
  const dispose = { [Symbol.asyncDispose]: () => stack.disposeAsync() }
  const bodiesOf = (api: { of: (kind: "main") => ReadonlyArray<{ readonly body: unknown }> }) => () =>
    api.of("main").map(({ body }) => JSON.stringify(body))
  if (agent === "opencode") {
    const sandbox = stack.use(await makeFolders())
    const { work, values, api } = stack.use(await openOpencode(sandbox, answers))
    return { cwd: work, env: values, bodies: bodiesOf(api), ...dispose }
  }
  if (agent === "pi") {
    const { work, values, api } = stack.use(await openPi(answers))
    return { cwd: work, env: values, bodies: bodiesOf(api), ...dispose }
  }
  const openOne = agent === "claude" ? openAgent : agent === "gemini" ? openGemini : openCodex
  const { sandbox, values, api } = stack.use(await openOne(answers))
  return { cwd: sandbox.work, env: values, bodies: bodiesOf(api), ...dispose }
}

const linesOf = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

describe.each(["claude", "gemini", "codex", "opencode", "pi"])("%s", (agent) => {
  it("goes on with a conversation by its name, which is listed and exported", async () => {
    await using real = await open(agent)
    const first = await run(real, "run", "--agent", agent, "--conversation", "a", "the first question")
    expect([first.code, first.stderr]).toEqual([0, ""])
    const second = await run(real, "run", "--agent", agent, "--conversation", "a", "the second question")
    expect([second.code, second.stderr]).toEqual([0, ""])
    expect(second.stdout).toContain("The second answer.")
    const last = real.bodies().at(-1) ?? ""
    const order = ["the first question", "The first answer.", "the second question"].map((text) => last.indexOf(text))
    expect(order.every((at) => at >= 0)).toBe(true)
    expect(order).toEqual(order.toSorted((a, b) => a - b))

    const listed = await run(real, "sessions", "--json")
    process.stdout.write(listed.stdout)
    expect([listed.code, listed.stderr]).toEqual([0, ""])
    expect(linesOf(listed.stdout)).toMatchObject([
      { cli: agent, conversation: ["a"], turns: 2, title: "the first question", state: "live", origin: "reins" }
    ])
    // The CLI's own list of it is not a second one.
    expect(linesOf((await run(real, "sessions", "--json", "--outside")).stdout)).toHaveLength(1)

    const markdown = await run(real, "export", "a")
    expect([markdown.code, markdown.stderr]).toEqual([0, ""])
    const parts = ["> the first question", "> The first answer.", "> the second question", "> The second answer."]
    expect(parts.map((text) => markdown.stdout.split(text).length - 1)).toEqual([1, 1, 1, 1])
    const file = join(real.cwd, "a.ndjson")
    expect(await run(real, "export", "a", "--format", "json", "--out", file)).toMatchObject({ code: 0 })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const [head, ...events] = linesOf(readFileSync(file, "utf8"))
    expect(head.session).toMatchObject({ cli: agent, resumeLine: expect.stringContaining(agent) })
    expect(events.filter(({ event }) => event.type === "prompt")).toHaveLength(2)
    expect(events.filter(({ event }) => event.type === "done")).toHaveLength(2)
  })

  it("goes on with one that was begun in the CLI itself", async () => {
    await using real = await open(agent)
    // Without a conversation, Reins keeps nothing: the session is the CLI's own.
    await run(real, "run", "--agent", agent, "the first question")
    const [outside] = linesOf((await run(real, "sessions", "--json", "--outside")).stdout)
    expect(outside).toMatchObject({ cli: agent, origin: "outside" })
    const exported = await run(real, "export", outside.sessionId)
    expect([exported.code, exported.stderr]).toEqual([0, ""])
    expect(exported.stdout).toContain("> the first question")
    expect(exported.stdout).toContain("> The first answer.")
    const adopted = await run(real, "sessions", "adopt", outside.sessionId, "--conversation", "b")
    expect(adopted).toMatchObject({ code: 0, stderr: "" })
    const next = await run(real, "run", "--agent", agent, "--conversation", "b", "the second question")
    expect([next.code, next.stderr]).toEqual([0, ""])
    expect(real.bodies().at(-1)).toContain("The first answer.")
    expect(linesOf((await run(real, "sessions", "--json")).stdout)).toMatchObject([
      { conversation: ["b"], origin: "adopted" }
    ])
  })
})

// Gemini CLI copies no sessions.
it.each(["claude", "codex", "opencode", "pi"])(
  "%s goes on in a fork, and the conversation is as it was",
  async (agent) => {
    await using real = await open(agent)
    await run(real, "run", "--agent", agent, "--conversation", "a", "the first question")
    const forked = await run(real, "sessions", "fork", "a", "--conversation", "b")
    expect([forked.code, forked.stderr]).toEqual([0, ""])
    const beside = await run(real, "run", "--agent", agent, "--conversation", "b", "the question beside")
    expect([beside.code, beside.stderr]).toEqual([0, ""])
    expect(real.bodies().at(-1)).toContain("The first answer.")
    const next = await run(real, "run", "--agent", agent, "--conversation", "a", "the next question")
    expect([next.code, next.stderr]).toEqual([0, ""])
    expect(real.bodies().at(-1)).toContain("The first answer.")
    expect(real.bodies().at(-1)).not.toContain("the question beside")
    const [one, other] = linesOf((await run(real, "sessions", "--json")).stdout)
    expect(one).toMatchObject({ conversation: ["a"], turns: 2 })
    expect(other).toMatchObject({ conversation: ["b"], parent: one.id })
  }
)
