/** The scripted model servers, asked by a plain HTTP client; what the real CLIs make of them is in `test/real`. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Answer, ModelServer } from "../../src/testing.ts"
import { scoped } from "../../src/testingEffect.ts"

const clis = ["claude", "gemini", "codex", "opencode"] as const
type Id = (typeof clis)[number]

const calls = {
  claude: { path: "/v1/messages", body: { model: "m", max_tokens: 9, messages: [{ role: "user", content: "hi" }] } },
  gemini: { path: "/v1beta/models/m:", body: { contents: [{ role: "user", parts: [{ text: "hi" }] }] } },
  codex: { path: "/v1/responses", body: { model: "m", input: "hi" } },
  opencode: { path: "/v1/chat/completions", body: { model: "m", messages: [{ role: "user", content: "hi" }] } }
} as const

const ask = (cli: Id, url: string, stream = false) => {
  const { path, body } = calls[cli]
  const action = cli === "gemini" ? (stream ? "streamGenerateContent?alt=sse" : "generateContent") : ""
  return fetch(`${url}${path}${action}`, { method: "POST", body: JSON.stringify({ ...body, stream }) })
}

/** The text of an answer, whatever the protocol: what its JSON calls so, in order. */
const textOf = (body: string) => {
  const found: Array<string> = []
  const look = (value: unknown, key = "") => {
    if (typeof value === "string" && (key === "text" || key === "content" || key === "delta")) found.push(value)
    if (typeof value === "object" && value !== null)
      for (const [name, inner] of Object.entries(value)) look(inner, name)
  }
  const lines = body.startsWith("{")
    ? [body]
    : body.split("\n").flatMap((line) => /^data: (\{.*)/.exec(line)?.[1] ?? [])
  for (const line of lines.filter((line) => !line.includes("output_item.done"))) look(JSON.parse(line))
  return found.join("")
}

describe.each(clis)("a server for %s", (cli) => {
  it("answers in order, streamed or as one body, and the last answer again", async () => {
    await using server = await ModelServer.forCli(cli, [Answer.say("One."), Answer.say(["Tw", "o."])])
    expect(textOf(await (await ask(cli, server.url)).text())).toBe("One.")
    const streamed = await ask(cli, server.url, true)
    expect(streamed.headers.get("content-type")).toBe("text/event-stream")
    expect(textOf(await streamed.text())).toBe("Two.")
    expect(textOf(await (await ask(cli, server.url)).text())).toBe("Two.")
    expect(server.requests.map(({ nth, prompt, model, stream }) => [nth, prompt, model, stream])).toEqual([
      [1, "hi", "m", false],
      [2, "hi", "m", true],
      [3, "hi", "m", false]
    ])
  })

  it("answers by what it is asked", async () => {
    await using server = await ModelServer.forCli(cli, ({ prompt, nth }) => Answer.say(`${nth}: ${prompt}`))
    expect(textOf(await (await ask(cli, server.url)).text())).toBe("1: hi")
  })

  it("refuses with a status, in the protocol's own shape", async () => {
    await using server = await ModelServer.forCli(cli, [
      Answer.fail(429, { message: "Slow down.", code: "slow_down", headers: { "retry-after": "7" } })
    ])
    const response = await ask(cli, server.url)
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "7"])
    const { error } = JSON.parse(await response.text())
    expect(error.message).toBe("Slow down.")
    expect(JSON.stringify(error)).toContain("slow_down")
  })

  it("has no answer behind an unplanned tool call", async () => {
    await using server = await ModelServer.forCli(cli, [Answer.call(Answer.tool("look", { at: "x" }))])
    expect(await (await ask(cli, server.url)).text()).toContain("look")
    const second = await ask(cli, server.url)
    expect(second.status).toBe(400)
    expect(await second.text()).toContain("no further answer")
  })

  it("tells that the script threw, instead of leaving the client without an answer", async () => {
    await using server = await ModelServer.forCli(cli, () => {
      throw new Error("my mistake")
    })
    const response = await ask(cli, server.url)
    expect([response.status, (await response.text()).includes("my mistake")]).toEqual([400, true])
  })

  const wrong: ReadonlyArray<readonly [string, unknown, string]> = [
    ["nothing", undefined, "the script gave undefined, which is not an Answer"],
    ["a text", "Hello", 'the script gave \\"Hello\\", which is not an Answer'],
    ["a promise", Promise.resolve(Answer.say("late")), "the script gave a promise, which is not an Answer"],
    ["a message of nothing", { type: "message", ending: "whole" }, "the script gave what cannot be sent"],
    ["a header of two lines", Answer.fail(429, { headers: { a: "b\nc" } }), "the script gave what cannot be sent"]
  ]
  it.each(wrong)("reports that the script returned an invalid answer: %s", async (_, input, reported) => {
    // as a script in JavaScript would give it
    await using server = await ModelServer.forCli(cli, () => input as never)
    for (const stream of [false, true]) {
      const response = await ask(cli, server.url, stream)
      const body = await response.text()
      expect([response.status, body]).toEqual([400, expect.stringContaining(reported)])
    }
    await Promise.all(server.requests.map(({ sent }) => sent))
  })

  it("drops the connection behind the words", async () => {
    await using server = await ModelServer.forCli(cli, [Answer.cut("some words")])
    const response = await ask(cli, server.url, true)
    await expect(response.text()).rejects.toThrow()
  })

  it("falls silent, until it is told to drop the connection", async () => {
    await using server = await ModelServer.forCli(cli, [Answer.stall("some words")])
    const response = await ask(cli, server.url, true)
    const body = response.text()
    const request = await server.arrival(1)
    await request.sent
    request.drop()
    await expect(body).rejects.toThrow()
    await request.closed
  })

  it("sends words as long as the client listens", async () => {
    await using server = await ModelServer.forCli(cli, [Answer.drip("tick ", 1)])
    const response = await ask(cli, server.url, true)
    let received = ""
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      received += chunk
      if (received.split("tick ").length > 4) break
    }
    await (await server.arrival(1)).closed
    expect(received).toContain("tick ")
  })

  it("sends nothing at all when it is to be silent", async () => {
    await using server = await ModelServer.forCli(cli, [Answer.silence()])
    const response = ask(cli, server.url, true)
    const request = await server.arrival(1)
    await request.sent
    request.drop()
    await expect(response).rejects.toThrow()
  })

  it("takes what it cannot read, and what it does not know, for no request of a model", async () => {
    await using server = await ModelServer.forCli(cli, [Answer.say("never")])
    const path = cli === "gemini" ? `${calls.gemini.path}generateContent` : calls[cli].path
    const unreadable = await fetch(`${server.url}${path}`, { method: "POST", body: "{" })
    const unknown = await fetch(`${server.url}/nowhere`)
    expect([unreadable.status, unknown.status]).toEqual([400, 404])
    expect([server.requests, server.others]).toEqual([[], [`POST ${path}`, "GET /nowhere"]])
  })

  it("drops what is still open when it is closed, and cannot be reached any more", async () => {
    const server = await ModelServer.forCli(cli, [Answer.stall("some words")])
    const response = await ask(cli, server.url, true)
    await (await server.arrival(1)).sent
    await server[Symbol.asyncDispose]()
    await expect(response.text()).rejects.toThrow()
    await expect(fetch(server.url)).rejects.toThrow()
  })
})

it("a script that is asynchronous by mistake, and fails, does not end the process", async () => {
  await using server = await ModelServer.messages((async () => Promise.reject(new Error("late"))) as never)
  const response = await ask("claude", server.url)
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("a promise")])
})

it("a script can speak to sub-agents and to what the CLI asks for itself", async () => {
  const script = { main: [Answer.say("main")], agents: [Answer.say("agent")], side: [Answer.say("side")] }
  await using server = await ModelServer.messages(script)
  const say = async (headers: Record<string, string>, more: object) => {
    const body = JSON.stringify({ ...calls.claude.body, ...more })
    return textOf(await (await fetch(`${server.url}/v1/messages`, { method: "POST", headers, body })).text())
  }
  expect(await say({}, {})).toBe("main")
  expect(await say({ "x-claude-code-agent-id": "a" }, {})).toBe("agent")
  expect(await say({}, { max_tokens: 1 })).toBe("side")
  expect([server.of("agent").length, server.of("side").length]).toEqual([1, 1])
})

it("has no address but 127.0.0.1, not even another one of loopback", async () => {
  await using server = await ModelServer.messages([Answer.say("ok")])
  const { hostname, port } = new URL(server.url)
  expect(hostname).toBe("127.0.0.1")
  await expect(fetch(`http://127.0.0.2:${port}`)).rejects.toThrow()
})

it.each([0, 99, 200.5, 1000, Number.NaN])(
  "no failure has the status %d: the script hears so where it is made",
  (status) => {
    expect(() => Answer.fail(status)).toThrow(RangeError)
  }
)

it.live("a scope closes what it opened", () =>
  Effect.gen(function* () {
    const { url } = yield* Effect.scoped(scoped(() => ModelServer.gemini([Answer.say("ok")])))
    yield* Effect.promise(() => expect(fetch(url)).rejects.toThrow())
  })
)
