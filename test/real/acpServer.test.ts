/**
 * `reins acp` over the four real CLIs, driven by the client of the protocol's own SDK: what the person allows is done and
 * what they reject is not, turns are cancelled, sessions go on in another process, and at the end of stdin nothing is left.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { methods } from "@agentclientprotocol/sdk"
import { describe, expect, it } from "vitest"
import type { CliId } from "../../src/cli/clis.ts"
import { call, say, tool } from "../../src/testing/servers/Answer.ts"
import type { ModelRequest } from "../../src/testing/servers/request.ts"
import * as files from "../kit/attachments.ts"
import { choose } from "../kit/editor.ts"
import { openRealEditor } from "./rig/editor.ts"
import { command } from "./rig/live.ts"

const all = ["claude", "gemini", "codex", "opencode"] satisfies ReadonlyArray<CliId>

/** Runs what the prompt names, once for each prompt; the digit counts the results before its own. */
const runs =
  (cli: CliId, commandOf: (word: string) => string) =>
  ({ prompt, toolResults }: ModelRequest) => {
    const [, word, nth = "1"] = /make ([a-z]+)(\d)?/.exec(prompt) ?? []
    if (word === undefined || toolResults.length >= Number(nth)) return say(`Done: ${prompt.slice(-20).trim()}`)
    return call(command[cli](commandOf(word)))
  }

/** Processes by their arguments. */
const countOf = (argument: string) =>
  readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(argument)
    } catch {
      return false
    }
  }).length

const mcpToolOf: { readonly [Id in (typeof all)[number]]: (server: string, name: string) => string } = {
  claude: (server, name) => `mcp__${server}__${name}`,
  gemini: (server, name) => `mcp_${server}_${name}`,
  codex: (server, name) => `mcp__${server}.${name}`,
  opencode: (server, name) => `${server}_${name}`
}

/** Models that a CLI lists, and that it asks of the scripted server. */
const isServed: { readonly [Id in (typeof all)[number]]: RegExp } = {
  claude: /haiku/,
  gemini: /^gemini-2\.5-pro$/,
  codex: /^gpt-/,
  opencode: /^fake\//
}

describe.each(all)("an editor on %s", (cli) => {
  it("does what the person allows, and nothing that was rejected", async () => {
    await using real = await openRealEditor(
      cli,
      runs(cli, (word) => `touch ${word}.txt`)
    )
    const { sandbox } = real
    const editor = await real.start()
    const session = await editor.open(sandbox.work)
    editor.decide = (request) => {
      expect(existsSync(join(sandbox.work, "first.txt"))).toBe(false)
      return choose("allow_once")(request)
    }
    expect((await editor.prompt(session, "make first1")).stopReason).toBe("end_turn")
    expect(existsSync(join(sandbox.work, "first.txt"))).toBe(true)
    expect(JSON.stringify(editor.requests[0]?.toolCall)).toContain("touch first.txt")
    expect(editor.text(session)).toMatch(/Done: .*first1/)
    const calls = editor.updates.filter(({ sessionUpdate }) => sessionUpdate.startsWith("tool_call"))
    expect(calls[0]).toMatchObject({ sessionUpdate: "tool_call", kind: "execute" })
    expect(calls.at(-1)).toMatchObject({ status: "completed" })

    editor.decide = choose("reject_once")
    await editor.prompt(session, "make second2")
    expect(existsSync(join(sandbox.work, "second.txt"))).toBe(false)
    expect(editor.requests.length).toBe(2)
    process.stdout.write(`${JSON.stringify(calls)}\n`)
  })

  it("is cancelled, with all that it has started, and goes on", async () => {
    await using real = await openRealEditor(
      cli,
      runs(cli, () => "echo on > begun.txt; sleep 602.5; echo woken")
    )
    const { sandbox } = real
    const editor = await real.start()
    const session = await editor.open(sandbox.work)
    editor.decide = choose("allow_once")
    const turn = editor.prompt(session, "make long")
    while (!existsSync(join(sandbox.work, "begun.txt")) || countOf("602.5") === 0) await sleep(20)
    const since = performance.now()
    await editor.notify(methods.agent.session.cancel, { sessionId: session })
    expect((await turn).stopReason).toBe("cancelled")
    while (countOf("602.5") > 0 && performance.now() - since < 30_000) await sleep(20)
    expect(countOf("602.5")).toBe(0)
    expect((await editor.prompt(session, "hello")).stopReason).toBe("end_turn")
    expect(editor.text(session)).toMatch(/Done: .*hello/)
  })

  it("is left in the middle of a command, and nothing of it is left", async () => {
    await using real = await openRealEditor(
      cli,
      runs(cli, () => "echo on > begun.txt; sleep 603.5; echo woken")
    )
    const { sandbox } = real
    const editor = await real.start()
    const session = await editor.open(sandbox.work)
    editor.decide = choose("allow_once")
    const turn = editor.prompt(session, "make long").catch(() => undefined)
    while (!existsSync(join(sandbox.work, "begun.txt")) || countOf("603.5") === 0) await sleep(20)
    expect(await editor.leave()).toBe(0)
    await turn
    expect(countOf("603.5")).toBe(0)
  })

  it("loads a session of another process, with what was said, and the model knows it", async () => {
    await using real = await openRealEditor(cli, ({ prompt }) => say(`Heard: ${prompt.slice(-20).trim()}`))
    const { sandbox, api } = real
    const first = await real.start()
    const session = await first.open(sandbox.work)
    await first.prompt(session, "my name is Ann")
    expect(await first.leave()).toBe(0)

    const editor = await real.start()
    const { sessions } = await editor.request(methods.agent.session.list, { cwd: sandbox.work })
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual([session])
    await editor.request(methods.agent.session.load, { sessionId: session, cwd: sandbox.work, mcpServers: [] })
    expect(editor.updates[0]).toMatchObject({
      sessionUpdate: "user_message_chunk",
      content: { text: "my name is Ann" }
    })
    expect(editor.text(session)).toContain("Heard: my name is Ann")
    await editor.prompt(session, "who am I")
    const last = api.requests.filter(({ kind }) => kind === "main").at(-1)
    expect(JSON.stringify(last?.body)).toContain("my name is Ann")
  })

  it("chooses another model of those that the CLI lists", async () => {
    await using real = await openRealEditor(cli, () => say("hi"))
    const { sandbox, api } = real
    const editor = await real.start("--offer-models")
    const session = await editor.open(sandbox.work)
    const reported = await editor.told(({ sessionUpdate }) => sessionUpdate === "config_option_update")
    const options = reported.sessionUpdate === "config_option_update" ? reported.configOptions : []
    const choice = options.find(({ id }) => id === "model")
    if (choice?.type !== "select") throw new Error("no models")
    const values = choice.options.flatMap((option) => ("value" in option ? [option.value] : []))
    expect(values).toContain(choice.currentValue)
    const other = values.find((value) => value !== choice.currentValue && isServed[cli].test(value)) ?? ""
    const answer = await editor.request(methods.agent.session.setConfigOption, {
      sessionId: session,
      configId: "model",
      value: other
    })
    expect(answer.configOptions.find(({ id }) => id === "model")).toMatchObject({ currentValue: other })
    await editor.prompt(session, "hello")
    const requested = api.requests.filter(({ kind }) => kind === "main").at(-1)?.model
    process.stdout.write(`${values.length} models, ${choice.currentValue} → ${other}: ${requested}\n`)
    expect(requested).toContain(other.replace("fake/", ""))
  })

  it("brings images, texts and servers of its own", async () => {
    const env = mcpToolOf[cli]("tiny", "env")
    await using real = await openRealEditor(cli, ({ toolResults, toolNames }) =>
      toolResults.length === 0 && toolNames.length > 0 ? call(tool(env, { name: "QUINCE" })) : say("seen")
    )
    const { sandbox, api } = real
    const editor = await real.start()
    editor.decide = choose("allow_once")
    const server = join(import.meta.dirname, "../../fixtures/servers/mcpServer.mjs")
    const { sessionId } = await editor.request(methods.agent.session.new, {
      cwd: sandbox.work,
      mcpServers: [
        { name: "tiny", command: process.execPath, args: [server], env: [{ name: "QUINCE", value: "ripe as can be" }] }
      ]
    })
    const png = files.png(16, 16, [200, 0, 0])
    const { stopReason } = await editor.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [
        { type: "text", text: "Look at " },
        { type: "image", mimeType: "image/png", data: Buffer.from(png).toString("base64") },
        { type: "resource", resource: { uri: "file:///shop/notes.txt", text: "the quince is ripe" } }
      ]
    })
    expect(stopReason).toBe("end_turn")
    const bodies = JSON.stringify(api.requests.map(({ body }) => body))
    expect(bodies).toContain(Buffer.from(png).toString("base64").slice(0, 40))
    expect(bodies).toContain("the quince is ripe")
    expect(
      api.requests
        .at(-1)
        ?.toolResults.map(({ text }) => text)
        .join()
    ).toContain("ripe as can be")
  })
})
