/** `appendSystemPrompt` reaches the model of the real Gemini CLI, beside every context file of the user. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterEach, describe, expect, it, vi } from "vitest"
import { createAgent, type ParamsOf } from "../../src/promise.ts"
import { gemini } from "../../src/testing/ModelServer.ts"
import { makeSandbox } from "../../src/testing/sandbox/sandbox.ts"
import { say } from "../../src/testing/servers/Answer.ts"
import { png } from "../kit/attachments.ts"
import { pathOf } from "./rig/environment.ts"
import { commandFor } from "./rig/layered.ts"

const open = async () => {
  const stack = new AsyncDisposableStack()
  const api = stack.use(await gemini(() => say("seen")))
  const command = commandFor("gemini")
  const sandbox = stack.use(await makeSandbox("gemini", api, { path: pathOf([command]) }))
  vi.stubEnv("TMPDIR", sandbox.tmp)
  const agent = stack.use(createAgent("gemini", { command, env: sandbox.env }))
  const write = (path: string, content: string) => {
    const file = join(dirname(sandbox.home), path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    return () => readFileSync(file, "utf8")
  }
  return { api, sandbox, agent, write, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

afterEach(() => void vi.unstubAllEnvs())

type Real = Awaited<ReturnType<typeof open>>
type Params = Pick<
  ParamsOf<"gemini">,
  "systemPrompt" | "appendSystemPrompt" | "trustWorkspace" | "sessionId" | "attachments"
>

/** All that the model's server was sent for one prompt, as text, and the id of the session. */
const sentFor = async ({ api, agent, sandbox }: Real, way: "run" | "turn", params: Params) => {
  const before = api.of("main").length
  const id = await (async () => {
    if (way === "run") {
      const result = await agent.run({ prompt: "hello", workingDirectory: sandbox.work, ...params })
      return result.sessionId
    }
    const { attachments = [], ...rest } = params
    await using session = await agent.open({ workingDirectory: sandbox.work, ...rest })
    const events = await Array.fromAsync(session.turn("hello", { attachments }))
    expect(events.at(-1)).toMatchObject({ result: { outcome: "completed", text: "seen" } })
    return session.sessionId
  })()
  const [request, ...more] = api.of("main").slice(before)
  expect(more).toEqual([])
  return { id, text: [request?.systemPrompt, ...(request?.prompts ?? [])].join("\n") }
}

const count = (text: string, part: string) => text.split(part).length - 1

describe.each(["run", "turn"] as const)("in a %s", (way) => {
  it("it is read beside all context files of the user, which stay as they are", async () => {
    await using real = await open()
    const files = [
      real.write("work/GEMINI.md", "Project says tabs."),
      real.write("work/TEAM.md", "Team says spaces."),
      real.write("home/.gemini/GEMINI.md", "Home says hello."),
      real.write("home/.gemini/TEAM.md", "Home team says hi."),
      real.write("work/.gemini/settings.json", JSON.stringify({ context: { fileName: ["TEAM.md"] } }))
    ]
    const before = files.map((read) => read())
    const { text } = await sentFor(real, way, { appendSystemPrompt: "Answer in rhymes, bob@example.com." })
    for (const part of ["Project says tabs.", "Team says spaces.", "Home says hello.", "Home team says hi."])
      expect(count(text, part), part).toBe(1)
    expect(count(text, "Answer in rhymes, bob@example.com.")).toBe(1)
    expect(files.map((read) => read())).toEqual(before)
    expect(readdirSync(real.sandbox.tmp)).toEqual([])
    expect(readdirSync(real.sandbox.work).sort()).toEqual([".gemini", ".git", "GEMINI.md", "TEAM.md"])
  })

  it("an @ in it reads no file, and a repository around the temporary directory adds nothing", async () => {
    await using real = await open()
    real.write("tmp/.git", "")
    real.write("tmp/GEMINI.md", "Planted by another user.")
    real.write("tmp/planted.md", "Imported.")
    const attachments = [{ data: png(1, 1, [0, 0, 0]), mediaType: "image/png" }]
    const { text } = await sentFor(real, way, {
      attachments,
      appendSystemPrompt: "@../../planted.md\nAsk @alice, @/etc/hosts and @./x."
    })
    expect(text).not.toContain("Planted by another user.")
    expect(text).not.toContain("Imported.")
    expect(text).not.toContain("Import failed")
    expect(text.replaceAll("\u200B", "")).toContain("@../../planted.md\nAsk @alice, @/etc/hosts and @./x.")
  })

  it("belongs to a system prompt in place of the CLI's own", async () => {
    await using real = await open()
    real.write("work/GEMINI.md", "Project says tabs.")
    const params = { systemPrompt: "Be kind.", appendSystemPrompt: "And brief." }
    const { text } = await sentFor(real, way, { ...params, trustWorkspace: false })
    expect(text).toMatch(/^Be kind\.\n\nAnd brief\./)
    expect((await sentFor(real, way, params)).text).toContain("Project says tabs.")
  })

  it("is that of the last start in a resumed session", async () => {
    await using real = await open()
    const { id, text } = await sentFor(real, way, { appendSystemPrompt: "Answer in rhymes." })
    expect(text).toContain("Answer in rhymes.")
    const again = await sentFor(real, way, { sessionId: id ?? "", appendSystemPrompt: "Answer in prose." })
    expect(count(again.text, "Answer in prose.")).toBe(1)
    expect(again.text).not.toContain("Answer in rhymes.")
  })
})
