/** `reins acp` of the build, driven by the client of the protocol's own SDK: real processes, whose CLIs are fakes. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { methods, RequestError } from "@agentclientprotocol/sdk"
import { afterAll, assert, describe, it } from "vitest"
import { FakeCli, LiveStep } from "../../src/testing.ts"
import { choose, type Editor, openEditor } from "../kit/editor.ts"
import { isAlive, processesWith } from "../kit/processes.ts"
import { runProgram, standIn } from "./programProcess.ts"

const folder = realpathSync(mkdtempSync(join(tmpdir(), "acp-")))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A store of the test. */
const config = join(folder, "reins.toml")
writeFileSync(config, `[store]\ndirectory = ${JSON.stringify(join(folder, "store"))}\n`, { mode: 0o600 })

type Turns = Parameters<typeof FakeCli.live>[1]

const start = async (
  id: "claude" | "gemini" | "codex" | "opencode",
  turns: Turns,
  options: Omit<Parameters<typeof openEditor>[0], "args"> & { readonly args?: ReadonlyArray<string> } = {}
) => {
  const stack = new AsyncDisposableStack()
  const fake = stack.use(await FakeCli.install(FakeCli.live(id, turns)))
  const args = ["--agent", id, "--command", fake.command, "--config", config, ...(options.args ?? [])]
  const editor = stack.use(await openEditor({ ...options, args }))
  const pids = () => fake.calls().map(({ pid }) => pid)
  return { fake, editor, pids, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

const asking = LiveStep.command({ command: "rm -r build", output: "gone", ask: true })

const failing = async (work: Promise<unknown>): Promise<RequestError> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown
  )
  return error instanceof RequestError ? error : assert.fail(`not a RequestError: ${error}`)
}

const statuses = ({ updates }: Editor) =>
  updates.flatMap((update) =>
    update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update" ? [update.status] : []
  )

describe.each(["claude", "gemini", "codex", "opencode"] as const)("%s in an editor", (id) => {
  it("does what the person allows, and nothing that was rejected", async () => {
    await using input = await start(id, [[asking, LiveStep.text("after it")]])
    const { editor } = input
    const session = await editor.open(folder)
    editor.decide = choose("allow_once")
    assert.strictEqual((await editor.prompt(session, "clean up")).stopReason, "end_turn")
    const [request] = editor.requests
    assert.include(JSON.stringify(request?.toolCall.content), "rm -r build")
    assert.strictEqual(request?.toolCall.kind, "execute")
    assert.strictEqual(statuses(editor).at(-1), "completed")
    assert.include(JSON.stringify(editor.updates), "gone")
    assert.include(editor.text(session), "after it")

    editor.decide = choose("reject_once")
    const before = editor.updates.length
    await editor.prompt(session, "again")
    const later = editor.updates.slice(before)
    assert.notInclude(JSON.stringify(later), "gone")
    assert.strictEqual(editor.requests.length, 2)
    assert.notInclude(statuses(editor).slice(-1), "completed")
  })

  it("ends with its stdin, in the middle of a turn, and nothing of it is left", async () => {
    await using input = await start(id, [[LiveStep.text("begun"), LiveStep.hang()]])
    const { editor, pids } = input
    const session = await editor.open(folder)
    const turn = editor.prompt(session, "go").catch(() => undefined)
    await editor.told(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
    assert.isTrue(pids().some(isAlive))
    assert.strictEqual(await editor.leave(), 0)
    await turn
    assert.deepStrictEqual(pids().filter(isAlive), [])
    assert.deepStrictEqual(processesWith(input.fake.command), [])
  })
})

describe("the models of the CLI", () => {
  const listing = standIn(
    "listing",
    `import { createInterface } from "node:readline"
     const models = [{ value: "default", displayName: "Usual" }, { value: "large", displayName: "Large" }]
     createInterface({ input: process.stdin }).on("line", (line) => {
       const { type, request_id } = JSON.parse(line)
       if (type === "control_request") print({ type: "control_response", response: { subtype: "success", request_id, response: { models } } })
     })`
  )

  const opened = async (...more: ReadonlyArray<string>) => {
    const args = ["--agent", "claude", "--command", listing, "--config", config, ...more]
    const editor = await openEditor({ args })
    const { configOptions } = await editor.request(methods.agent.session.new, { cwd: folder, mcpServers: [] })
    return { editor, ids: (configOptions ?? []).map(({ id }) => id) }
  }

  it("are offered with --offer-models, as soon as they are known", async () => {
    const { editor } = await opened("--offer-models")
    await using _ = editor
    const reported = await editor.told(({ sessionUpdate }) => sessionUpdate === "config_option_update")
    assert.include(JSON.stringify(reported), '"Large"')
  })

  it("are not asked for without it", async () => {
    const { editor, ids } = await opened()
    await using _ = editor
    assert.deepStrictEqual(ids, ["mode"])
  })
})

describe("a turn", () => {
  it("is cancelled, with what it asks and what waits behind it", async () => {
    await using input = await start("claude", [[asking, LiveStep.text("not reached")], [LiveStep.text("next")]])
    const { editor } = input
    const session = await editor.open(folder)
    editor.decide = (_, signal) =>
      new Promise((resolve) =>
        signal.addEventListener("abort", () => resolve({ outcome: { outcome: "cancelled" } }), { once: true })
      )
    const turn = editor.prompt(session, "go")
    const waiting = editor.prompt(session, "and this")
    await editor.asked()
    await editor.notify(methods.agent.session.cancel, { sessionId: session })
    assert.deepStrictEqual([(await turn).stopReason, (await waiting).stopReason], ["cancelled", "cancelled"])
    assert.notInclude(editor.text(session), "not reached")
    assert.strictEqual((await editor.prompt(session, "go on")).stopReason, "end_turn")
    assert.include(editor.text(session), "next")
  })

  it("is cancelled though it was only just asked for", async () => {
    await using input = await start("claude", [[LiveStep.hang()], [LiveStep.text("next")]])
    const { editor } = input
    const session = await editor.open(folder)
    const turn = editor.prompt(session, "go")
    await editor.notify(methods.agent.session.cancel, { sessionId: session })
    assert.strictEqual((await turn).stopReason, "cancelled")
  })

  it("that fails is an error with its cause and cure, and the session goes on", async () => {
    await using input = await start("claude", [[LiveStep.fail("the model is gone")], [LiveStep.text("back")]])
    const { editor } = input
    const session = await editor.open(folder)
    const error = await failing(editor.prompt(session, "go"))
    assert.strictEqual(error.code, -32603)
    assert.match(error.message, /the model is gone\. Wait a little, then run it again/)
    assert.strictEqual((await editor.prompt(session, "go")).stopReason, "end_turn")
    assert.include(editor.text(session), "back")
  })

  it("goes on in a new process when the last one has died", async () => {
    await using input = await start("claude", [[LiveStep.text("one"), LiveStep.exit(3)], [LiveStep.text("two")]])
    const { editor, fake } = input
    const session = await editor.open(folder)
    await failing(editor.prompt(session, "go"))
    await editor.prompt(session, "go").catch(() => undefined)
    assert.strictEqual(fake.calls().length, 2)
  })

  it("asks again for nothing that was always allowed", async () => {
    await using input = await start("claude", [[asking, LiveStep.text("done")]])
    const { editor } = input
    const session = await editor.open(folder)
    editor.decide = choose("allow_always")
    await editor.prompt(session, "go")
    await editor.prompt(session, "go")
    assert.strictEqual(editor.requests.length, 1)
    assert.deepStrictEqual(statuses(editor).slice(-1), ["completed"])
  })

  it.each([
    ["an option that was not offered", { outcome: "selected", optionId: "always:everything" }],
    ["the cancelling of a request", { outcome: "cancelled" }]
  ] as const)("takes %s for a denial", async (_, outcome) => {
    await using input = await start("claude", [[asking, LiveStep.text("done")]])
    const { editor } = input
    const session = await editor.open(folder)
    editor.decide = async () => ({ outcome })
    await editor.prompt(session, "go")
    assert.notInclude(JSON.stringify(editor.updates), "gone")
    assert.include(statuses(editor), "failed")
  })
})

describe("sessions", () => {
  it("go on beside each other, and each is told of its own", async () => {
    await using input = await start("claude", [[asking, LiveStep.text("done")]])
    const { editor } = input
    const [one, two] = await Promise.all([editor.open(folder), editor.open(folder)])
    editor.decide = choose("allow_once")
    const ends = await Promise.all([editor.prompt(one, "go"), editor.prompt(two, "go")])
    assert.deepStrictEqual(
      ends.map(({ stopReason }) => stopReason),
      ["end_turn", "end_turn"]
    )
    assert.deepStrictEqual(editor.requests.map(({ sessionId }) => sessionId).sort(), [one, two].sort())
    assert.include(editor.text(one), "done")
    assert.include(editor.text(two), "done")
  })

  it("are listed, and loaded by another process with all that was said", async () => {
    const turns: Turns = [[LiveStep.command({ command: "ls" }), LiveStep.text("first answer")]]
    let session = ""
    {
      await using input = await start("claude", turns)
      session = await input.editor.open(folder)
      await input.editor.prompt(session, "my question")
      await input.editor.leave()
    }
    await using input = await start("claude", [[LiveStep.text("second answer")]])
    const { editor, fake } = input
    const { sessions } = await editor.request(methods.agent.session.list, { cwd: folder })
    assert.isTrue(sessions.some(({ sessionId, title }) => sessionId === session && title === "my question"))
    await editor.request(methods.agent.session.load, { sessionId: session, cwd: folder, mcpServers: [] })
    assert.deepStrictEqual(
      [...new Set(editor.updates.map(({ sessionUpdate }) => sessionUpdate))],
      ["user_message_chunk", "tool_call", "tool_call_update", "agent_message_chunk"]
    )
    assert.include(JSON.stringify(editor.updates[0]), "my question")
    assert.include(editor.text(session), "first answer")
    await editor.prompt(session, "go on")
    assert.include(editor.text(session), "second answer")
    assert.include(fake.calls()[0]?.arguments.join(" "), "--resume")
  })

  it("that are not known cannot be loaded, prompted or closed", async () => {
    await using input = await start("claude", [[LiveStep.text("hi")]])
    const { editor } = input
    const loading = editor.request(methods.agent.session.load, { sessionId: "none", cwd: folder, mcpServers: [] })
    const errors = [await failing(loading), await failing(editor.prompt("none", "hi"))]
    assert.deepStrictEqual(
      errors.map(({ code }) => code),
      [-32002, -32002]
    )
  })

  it("have the modes of the command line, and bypass only where they begin with it", async () => {
    await using input = await start("claude", [[LiveStep.text("hi")]], { args: ["--permission-mode", "plan"] })
    const { editor, fake } = input
    const opened = await editor.request(methods.agent.session.new, { cwd: folder, mcpServers: [] })
    const { sessionId, modes } = opened
    assert.strictEqual(modes?.currentModeId, "plan")
    assert.deepStrictEqual(
      modes?.availableModes.map(({ id }) => id),
      ["default", "plan", "accept-edits"]
    )
    assert.include(fake.calls()[0]?.arguments.join(" "), "--permission-mode=plan")
    const refused = await failing(editor.request(methods.agent.session.setMode, { sessionId, modeId: "bypass" }))
    assert.strictEqual(refused.code, -32602)
    assert.include(refused.message, "modeId: is not one of default, plan, accept-edits")
    await editor.request(methods.agent.session.setMode, { sessionId, modeId: "accept-edits" })
    await editor.told(({ sessionUpdate }) => sessionUpdate === "config_option_update")
  })

  it("are refused where they cannot be, by what is at fault", async () => {
    await using input = await start("claude", [[LiveStep.text("hi")]])
    const { editor } = input
    const opening = (cwd: string, mcpServers: ReadonlyArray<unknown> = []) =>
      failing(editor.request("session/new", { cwd, mcpServers }))
    const messages = [
      await opening("here"),
      await opening(join(folder, "nowhere")),
      await opening(config),
      await opening(folder, [{ name: "far", type: "sse", url: "http://127.0.0.1:1/", headers: [] }])
    ].map(({ code, message }) => `${code} ${message}`)
    assert.match(messages[0] ?? "", /^-32602 cwd: Expected an absolute path\. Correct `cwd`/)
    assert.match(messages[1] ?? "", /^-32602 cwd: is a directory that is not there/)
    assert.match(messages[2] ?? "", /^-32602 cwd: is not a directory/)
    assert.match(messages[3] ?? "", /^-32602 mcpServers\.0: is of type sse/)
  })

  it("are at most sixteen", async () => {
    await using input = await start("claude", [[LiveStep.text("hi")]])
    const { editor } = input
    const opened: Array<string> = []
    for (let count = 0; count < 16; count += 1) opened.push(await editor.open(folder))
    const refused = await failing(editor.open(folder))
    assert.match(refused.message, /16 sessions are open/)
    await editor.request(methods.agent.session.close, { sessionId: opened[0] ?? "" })
    await editor.open(folder)
  })
})

describe("lines", () => {
  it("that are not messages are answered as such, and the next one is read", async () => {
    const lines = [
      "{",
      "[]",
      '{"jsonrpc":"2.0","id":9,"result":{}}',
      '{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}',
      '{"jsonrpc":"2.0","id":2,"method":"session/fly"}',
      '{"jsonrpc":"2.0","id":3,"method":"authenticate","params":{}}',
      '{"jsonrpc":"2.0","method":"session/cancel","params":7}',
      '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":77}}',
      `{"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":1,"x":"${"y".repeat(1_000_000)}"}}`
    ]
    const args = ["acp", "--agent", "claude", "--config", config]
    const { code, stdout, stderr } = await runProgram(args, { input: `${lines.join("\n")}\n` })
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    assert.deepStrictEqual(
      answers.map(({ id, error }) => [id, error?.code]),
      [
        [null, -32700],
        [null, -32600],
        [1, -32600],
        [2, -32601],
        [3, -32600],
        [4, undefined]
      ]
    )
    assert.deepStrictEqual([code, stderr], [0, ""])
  })

  it.each([
    ["--permission-mode", "everything"],
    ["--mcp-config", join(folder, "nowhere.json")],
    ["--cwd", folder]
  ])("are not printed for a wrong command line: %s %s", async (...wrong) => {
    const { code, stdout } = await runProgram(["acp", "--agent", "claude", "--config", config, ...wrong])
    assert.deepStrictEqual([code, stdout.includes("jsonrpc")], [2, false])
  })
})

describe("requests", () => {
  it("that are withdrawn end, with what they have begun", async () => {
    await using input = await start("claude", [[LiveStep.text("begun"), LiveStep.hang()], [LiveStep.text("next")]])
    const { editor } = input
    const session = await editor.open(folder)
    const stop = new AbortController()
    const prompt = { sessionId: session, prompt: [{ type: "text", text: "go" } as const] }
    const turn = editor.request(methods.agent.session.prompt, prompt, { cancellationSignal: stop.signal })
    await editor.told(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
    stop.abort()
    assert.strictEqual((await failing(turn)).code, -32800)
    assert.strictEqual((await editor.prompt(session, "go on")).stopReason, "end_turn")
    assert.include(editor.text(session), "next")
  })

  it("of one session wait for each other, and sixteen are enough", async () => {
    await using input = await start("claude", [[LiveStep.text("begun"), LiveStep.hang()]])
    const { editor } = input
    const session = await editor.open(folder)
    const turns = Array.from({ length: 16 }, () => editor.prompt(session, "go"))
    await editor.told(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
    assert.match((await failing(editor.prompt(session, "go"))).message, /16 prompts of this session wait/)
    await editor.notify(methods.agent.session.cancel, { sessionId: session })
    const ends = await Promise.all(turns)
    assert.deepStrictEqual([...new Set(ends.map(({ stopReason }) => stopReason))], ["cancelled"])
  })

  it("for bypass are there for who started with it", async () => {
    const args = ["--permission-mode", "bypass"]
    await using input = await start("claude", [[LiveStep.text("hi")]], { args })
    const { editor } = input
    const { modes } = await editor.request(methods.agent.session.new, { cwd: folder, mcpServers: [] })
    assert.include(JSON.stringify(modes), "bypass")
    assert.strictEqual(modes?.currentModeId, "bypass")
  })
})

it("an editor that dies takes all with it", async () => {
  await using input = await start("claude", [[LiveStep.text("begun"), LiveStep.hang()]])
  const { editor, pids } = input
  const session = await editor.open(folder)
  const turn = editor.prompt(session, "go").catch(() => undefined)
  await editor.told(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
  editor.child.stdout?.destroy()
  editor.child.stdin?.destroy()
  await editor.ended
  await turn
  assert.deepStrictEqual(pids().filter(isAlive), [])
})

it("a CLI that is not there is an error with its cure when the session is opened", async () => {
  await using editor = await openEditor({
    args: ["--agent", "claude", "--command", "/nowhere/claude", "--config", config]
  })
  const error = await failing(editor.open(folder))
  assert.match(error.message, /\/nowhere\/claude.*reins doctor|Install/)
})

it("questions are forms of an editor that has them", async () => {
  const question = LiveStep.question({ question: "Which colour?", options: ["Red", "Green"] })
  await using input = await start("claude", [[question, LiveStep.text("thanks")]], {
    fill: () => ({ action: "accept", content: { question1: "Green" } })
  })
  const { editor } = input
  const session = await editor.open(folder)
  await editor.prompt(session, "go")
  assert.include(JSON.stringify(editor.updates), "Green")
})

it("SIGTERM ends all of it, too", async () => {
  await using input = await start("claude", [[LiveStep.text("begun"), LiveStep.hang()]])
  const { editor, pids } = input
  const session = await editor.open(folder)
  const turn = editor.prompt(session, "go").catch(() => undefined)
  await editor.told(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
  editor.child.kill("SIGTERM")
  assert.strictEqual(await editor.ended, 130)
  await turn
  assert.deepStrictEqual(pids().filter(isAlive), [])
})
