/** Attachments of a prompt reach the model of each real CLI, in a run and in a live turn. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type CliId, clis } from "../../src/cli/clis.ts"
import { type Attachment, createAgent } from "../../src/promise.ts"
import { forCli } from "../../src/testing/ModelServer.ts"
import { makeSandbox } from "../../src/testing/sandbox/sandbox.ts"
import { say } from "../../src/testing/servers/Answer.ts"
import * as files from "../kit/attachments.ts"
import { pathOf } from "./rig/environment.ts"
import { commandFor } from "./rig/layered.ts"

const openAgent = async (cli: CliId) => {
  const stack = new AsyncDisposableStack()
  const api = stack.use(await forCli(cli, () => say("seen")))
  const command = commandFor(cli)
  const sandbox = stack.use(await makeSandbox(cli, api, { path: pathOf([command]) }))
  const agent = stack.use(createAgent(cli, { command, env: sandbox.env }))
  return { api, sandbox, agent, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

const ways = ["run", "turn"] as const

const ask = async (
  { agent, sandbox }: Awaited<ReturnType<typeof openAgent>>,
  way: (typeof ways)[number],
  attachments: ReadonlyArray<Attachment>
) => {
  const prompt = "what is this"
  if (way === "run") return Array.fromAsync(agent.execute({ prompt, attachments, workingDirectory: sandbox.work }))
  await using session = await agent.open({ workingDirectory: sandbox.work })
  return await Array.fromAsync(session.turn(prompt, { attachments }))
}

/** One of each kind; the first has everything in its name that a shell, a list or a CLI could stumble over. */
const hostileName = `-a, b@"c" 'd' $e \n{f}.png`
const red = files.png(16, 16, [200, 0, 0])
const green = files.png(16, 16, [0, 200, 0])
const others: ReadonlyArray<Attachment & { readonly data: Uint8Array }> = [
  { data: files.pdf, mediaType: "application/pdf", name: "doc.pdf" },
  // Neither is the name for the CLI to look up, nor the content for it to expand.
  { data: new TextEncoder().encode("/help is @secret.txt"), mediaType: "text/plain", name: "@secret.txt" },
  { data: files.wav, mediaType: "audio/wav" },
  { data: new TextEncoder().encode("no film"), mediaType: "text/plain", name: "film.mp4" }
]

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64")

describe.each(["claude", "codex", "gemini", "opencode", "pi"] as const)("%s", (cli) => {
  const taken = clis[cli].attachments ?? new Set()

  it.each(ways)("%s: the model gets all kinds that it takes, the images in their order", async (way) => {
    await using real = await openAgent(cli)
    const outside = join(real.sandbox.home, "out side.png")
    writeFileSync(join(real.sandbox.work, hostileName), red)
    writeFileSync(outside, green)
    writeFileSync(join(real.sandbox.work, "secret.txt"), "TOPSECRET")
    const kinds = ["pdf", "text", "audio", "text"] as const
    const events = await ask(real, way, [
      { path: hostileName },
      { path: outside },
      { data: files.jpeg, mediaType: "image/jpeg" },
      { data: files.gif, mediaType: "image/gif" },
      { data: files.webp, mediaType: "image/webp" },
      ...others.filter((_, index) => taken.has(kinds[index] ?? "image"))
    ])
    expect(events.at(-1)).toMatchObject({ result: { outcome: "completed", text: "seen" } })
    const [request] = real.api.of("main")
    const body = JSON.stringify(request?.body)
    const places = [red, green, files.jpeg, files.webp].map((bytes) => body.indexOf(base64(bytes)))
    expect(places.every((place) => place > 0)).toBe(true)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    // Codex makes a PNG of it.
    expect(body.includes(base64(files.gif))).toBe(cli !== "codex")
    expect(body.includes(base64(files.pdf))).toBe(taken.has("pdf"))
    expect(body.includes(base64(files.wav))).toBe(taken.has("audio"))
    expect(body.includes("/help is @secret.txt") && body.includes("no film")).toBe(taken.has("text"))
    expect(body).toContain("what is this")
    expect(body).not.toContain("TOPSECRET")
  })
})

describe("further turns", () => {
  it("a text that is sent into a running turn takes its image along", async () => {
    await using real = await openAgent("claude")
    await using session = await real.agent.open({ workingDirectory: real.sandbox.work })
    const first = await session.send("wait for the image")
    await session.send("here it is", { attachments: [{ data: red, mediaType: "image/png", name: "red.png" }] })
    await session.idle()
    const bodies = real.api.of("main").map(({ body }) => JSON.stringify(body))
    expect(first).toBe("started")
    expect(bodies.at(-1)).toContain(base64(red))
  })

  it("a resumed and a forked run of Codex get theirs", async () => {
    await using real = await openAgent("codex")
    const { sessionId = "" } = await real.agent.run({ prompt: "hello", workingDirectory: real.sandbox.work })
    for (const forkSession of [false, true]) {
      const attachments = [{ data: forkSession ? red : green, mediaType: "image/png" }]
      const workingDirectory = real.sandbox.work
      await real.agent.run({ prompt: "and this", sessionId, forkSession, attachments, workingDirectory })
    }
    const bodies = real.api.of("main").map(({ body }) => JSON.stringify(body))
    expect(bodies[1]).toContain(base64(green))
    expect(bodies[2]).toContain(base64(red))
  })
})
