/** Features that only Pi's live sessions have, and those that it has in its own way: a turn is over when Pi is at rest. */
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { QuestionEvent } from "../../src/promise.ts"
import { call, cut, drip, fail, say, tool } from "../../src/testing/servers/Answer.ts"
import * as samples from "../kit/attachments.ts"
import { processesWith } from "../kit/processes.ts"
import { ofType } from "./rig/agent.ts"
import { expectNoneSurvives, hidingCommand } from "./rig/hiding.ts"
import { command, take } from "./rig/live.ts"
import { openPiSession } from "./rig/pi.ts"

describe("turns", () => {
  it("follow each other in one conversation, with a usage of their own and all that the session was told", async () => {
    const params = { model: "anthropic/claude-opus-4-5", effort: "high", appendSystemPrompt: "And be kind." } as const
    await using live = await openPiSession([say(["Hel", "lo"]), say("again")], params)
    const first = await take(live.session, "/hey there")
    expect(first.result).toMatchObject({ outcome: "completed", text: "Hello", numTurns: 1 })
    expect(first.result.usage).toMatchObject({ inputTokens: 100, outputTokens: 10 })
    const second = await take(live.session, "two")
    expect(second.result).toMatchObject({ outcome: "completed", text: "again", sessionId: live.session.sessionId })
    expect(second.result.usage).toEqual(first.result.usage)
    const request = await live.api.arrival(2)
    expect(request.prompts.map((words) => words.trim())).toEqual(["\u200B/hey there", "two"])
    expect(request.model).toBe("claude-opus-4-5")
    expect(request.body["thinking"]).toMatchObject({ type: "enabled" })
    expect(request.systemPrompt).toContain("And be kind.")
    expect([live.api.requests.length, live.api.others]).toEqual([2, []])
  })

  it("take images and texts along", async () => {
    await using live = await openPiSession([say("seen")])
    const red = samples.png(16, 16, [200, 0, 0])
    const attachments = [
      { data: red, mediaType: "image/png", name: "red.png" },
      { data: new TextEncoder().encode("/help is @secret.txt"), mediaType: "text/plain", name: "@secret.txt" }
    ]
    const events = await Array.fromAsync(live.session.turn("what is this", { attachments }))
    expect(events.at(-1)).toMatchObject({ result: { outcome: "completed", text: "seen" } })
    const body = JSON.stringify((await live.api.arrival(1)).body)
    expect(body).toContain(Buffer.from(red).toString("base64"))
    expect(body).toContain("/help is @secret.txt")
  })
})

describe("steering", () => {
  it("gives the model a text before its next answer, in the same turn", async () => {
    const waiting = command.pi("until [ -e sent ]; do sleep 0.1; done")
    await using live = await openPiSession([call(waiting), say("Briefly.")])
    const { events, result } = await take(live.session, "go", async (event) => {
      if (event.type !== "tool_use") return
      expect(await live.session.send("And be brief.")).toBe("steered")
      writeFileSync(join(live.work, "sent"), "")
    })
    expect((await live.api.arrival(2)).prompts).toEqual(["go", "And be brief."])
    expect(ofType(events, "turn_done")).toHaveLength(1)
    expect(result).toMatchObject({ outcome: "completed", text: "Briefly.", numTurns: 2 })
    expect(live.api.requests).toHaveLength(2)
  })

  it("in the middle of the last answer is answered, too, in this turn or in one of its own", async () => {
    await using live = await openPiSession(({ prompts }) => say(prompts.length === 1 ? "One." : "More."))
    let sent: Promise<string> | undefined
    const { result } = await take(live.session, "go", (event) => {
      if (event.type === "text") sent ??= live.session.send("And more.")
    })
    await live.session.idle()
    const kind = await sent
    expect(result).toMatchObject({ outcome: "completed", text: kind === "steered" ? "One.\n\nMore." : "One." })
    expect(live.api.requests.map(({ prompts }) => prompts)).toEqual([["go"], ["go", "And more."]])
  })

  it("that an interrupt overtakes is not lost: the next turn has it", async () => {
    await using live = await openPiSession([drip(), say("after")])
    let sent: Promise<unknown> | undefined
    const first = await take(live.session, "one", (event) => {
      if (event.type === "text") sent ??= live.session.send("And more.").then(() => live.session.interrupt())
    })
    await sent
    expect(first.result).toMatchObject({ outcome: "aborted", aborted: true })
    expect(ofType(first.events, "notice").map(({ kind }) => kind)).toEqual(["queued"])
    expect((await take(live.session, "two")).result).toMatchObject({ outcome: "completed", text: "after" })
    expect((await live.api.arrival(2)).prompts).toEqual(["one", "two", "And more."])
  })
})

describe("an interrupt", () => {
  it("in the middle of a text ends the turn, and the next one has all before it", async () => {
    await using live = await openPiSession([drip(), say("after")])
    let interrupted: Promise<boolean> | undefined
    const first = await take(live.session, "one", (event) => {
      if (event.type === "text") interrupted ??= live.session.interrupt()
    })
    expect(await interrupted).toBe(true)
    expect(first.result).toMatchObject({ outcome: "aborted", aborted: true, text: expect.stringContaining("tick") })
    expect(await live.session.interrupt()).toBe(false)
    expect((await take(live.session, "two")).result).toMatchObject({ outcome: "completed", text: "after" })
    expect((await live.api.arrival(2)).prompts).toEqual(["one", "two"])
  })

  it("in the middle of a tool ends the tool", async () => {
    const forever = `: > started; exec ${process.execPath} -e 'setTimeout(() => {}, 600000)'`
    await using live = await openPiSession([call(command.pi(forever)), say("after")])
    const turn = take(live.session, "one")
    await expect.poll(() => existsSync(join(live.work, "started")), { timeout: 20_000 }).toBe(true)
    const count = processesWith(live.home).length
    expect(await live.session.interrupt()).toBe(true)
    const { events, result } = await turn
    expect(result).toMatchObject({ outcome: "aborted", aborted: true })
    expect(ofType(events, "tool_result")).toMatchObject([{ isError: true }])
    expect(processesWith(live.home).length).toBeLessThan(count)
    expect((await take(live.session, "two")).result).toMatchObject({ outcome: "completed", text: "after" })
  })

  it("while an attempt is about to be repeated ends the turn", async () => {
    const settings = { retry: { enabled: true, maxRetries: 3, baseDelayMs: 600_000 } }
    const files = { ".pi/settings.json": JSON.stringify(settings) }
    await using live = await openPiSession([fail(529), say("after")], {}, { retries: 3, files })
    const { events, result } = await take(live.session, "one", (event) => {
      if (event.type === "notice" && event.kind === "retry") return live.session.interrupt()
    })
    expect(ofType(events, "notice").map(({ kind }) => kind)).toContain("retry")
    expect(result).toMatchObject({ outcome: "aborted", aborted: true })
    expect((await take(live.session, "two")).result).toMatchObject({ outcome: "completed", text: "after" })
  })
})

/** Asks before every command of a shell, and once by each kind of dialog. */
const extension = `export default (pi) => {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash") return
    const ok = await ctx.ui.confirm("Careful", "Run " + event.input.command + "?")
    const colour = await ctx.ui.select("Which colour?", ["Red", "Green"])
    const name = await ctx.ui.input("Which name?", "a name")
    ctx.ui.notify("asked: " + [ok, colour, name].join(" "), "info")
    if (!ok) return { block: true, reason: "Not allowed by a person" }
  })
}`

describe("dialogs of an extension", () => {
  const home = { ".pi/agent/extensions/careful.ts": extension }

  it("are questions, and the answers decide", async () => {
    const questions: Array<QuestionEvent> = []
    const replies: Record<string, string> = { "Which colour?": "Green", "Which name?": "Ann" }
    await using live = await openPiSession(
      [call(command.pi("touch made")), say("done")],
      {
        onQuestion: async (question) => {
          questions.push(question)
          const { question: text = "" } = question.questions[0] ?? {}
          return { [text]: [replies[text] ?? "Yes"] }
        }
      },
      { home }
    )
    const { events, result } = await take(live.session, "go")
    expect(questions.map((each) => each.questions)).toMatchObject([
      [{ question: "Careful\nRun touch made?", options: [{ label: "Yes" }, { label: "No" }], freeText: false }],
      [{ question: "Which colour?", options: [{ label: "Red" }, { label: "Green" }], freeText: false }],
      [{ question: "Which name?", options: [], freeText: true }]
    ])
    expect(ofType(events, "notice").map(({ message }) => message)).toEqual(["asked: true Green Ann"])
    expect(existsSync(join(live.work, "made"))).toBe(true)
    expect(result).toMatchObject({ outcome: "completed", text: "done" })
  })

  it("without a handler are cancelled, and nothing is done", async () => {
    await using live = await openPiSession([call(command.pi("touch made")), say("done")], {}, { home })
    const { events, result } = await take(live.session, "go")
    expect(existsSync(join(live.work, "made"))).toBe(false)
    expect(ofType(events, "tool_result")).toMatchObject([{ isError: true }])
    expect(result).toMatchObject({ outcome: "completed", text: "done" })
  })

  it("end with the turn that is interrupted", async () => {
    await using live = await openPiSession(
      [call(command.pi("touch made")), say("after")],
      { onQuestion: () => new Promise(() => undefined) },
      { home }
    )
    const { result } = await take(live.session, "go", (event) => {
      if (event.type === "question") return live.session.interrupt()
    })
    expect(result).toMatchObject({ outcome: "aborted", aborted: true })
    expect(existsSync(join(live.work, "made"))).toBe(false)
    expect((await take(live.session, "two")).result).toMatchObject({ outcome: "completed", text: "after" })
  })
})

describe("failures", () => {
  it("of the API end the turn, and not the session", async () => {
    await using live = await openPiSession([fail(400, { message: "no such thing" }), say("after")])
    const { events, result } = await take(live.session, "one")
    expect(ofType(events, "error")).toMatchObject([{ message: expect.stringContaining("no such thing") }])
    expect(result).toMatchObject({ outcome: "failed", reason: "agent_failed" })
    expect((await take(live.session, "two")).result).toMatchObject({ outcome: "completed", text: "after" })
  })

  it("that pass are repeated inside the turn, and the text of a broken attempt is withdrawn", async () => {
    await using live = await openPiSession([fail(429), cut("lost"), say("kept"), say("after")], {}, { retries: 3 })
    const { events, result } = await take(live.session, "one")
    const kinds = ofType(events, "notice").map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === "retry")).toHaveLength(2)
    expect(kinds.filter((kind) => kind === "text_voided")).toHaveLength(1)
    expect(result).toMatchObject({ outcome: "completed", text: "kept" })
    expect((await take(live.session, "two")).result).toMatchObject({ outcome: "completed", text: "after" })
  })
})

describe("conversations", () => {
  it("are resumed with what was said, and forked into another", async () => {
    await using live = await openPiSession([say("First."), say("Second."), say("Third.")])
    const { sessionId = "" } = (await take(live.session, "one")).result
    await live.session.close()
    await using second = await live.open({ sessionId })
    expect((await take(second, "two")).result).toMatchObject({ outcome: "completed", text: "Second.", sessionId })
    await second.close()
    await using forked = await live.open({ sessionId, forkSession: true })
    const { result } = await take(forked, "three")
    expect(result).toMatchObject({ outcome: "completed", text: "Third." })
    expect(result.sessionId).not.toBe(sessionId)
    const request = await live.api.arrival(3)
    expect(request.prompts).toEqual(["one", "two", "three"])
    expect(JSON.stringify(request.body)).toContain("First.")
  })

  it("that are not there cannot be resumed", async () => {
    await using live = await openPiSession([])
    const opening = live.open({ sessionId: "00000000-0000-7000-8000-000000000000" })
    await expect(opening).rejects.toMatchObject({ reason: { category: "session_not_found" } })
  })

  it("that are ephemeral leave no file", async () => {
    await using live = await openPiSession([say("ok")], { ephemeral: true })
    expect((await take(live.session, "one")).result.outcome).toBe("completed")
    await live.session.close()
    const sessions = join(live.home, ".pi/agent/sessions")
    const files = existsSync(sessions) ? readdirSync(sessions, { recursive: true, encoding: "utf8" }) : []
    expect(files.filter((name) => name.endsWith(".jsonl"))).toEqual([])
  })
})

describe("a plan", () => {
  it("has only tools that read, in every turn", async () => {
    await using live = await openPiSession([call(tool("write", { path: "m", content: "" })), say("planned")], {
      permissionMode: "plan"
    })
    expect((await take(live.session, "one")).result).toMatchObject({ outcome: "completed", text: "planned" })
    expect((await live.api.arrival(1)).toolNames.toSorted()).toEqual(["find", "grep", "ls", "read"])
    expect(existsSync(join(live.work, "m"))).toBe(false)
  })
})

describe("the end", () => {
  it("of an idle session leaves no process", async () => {
    await using live = await openPiSession([say("ok")])
    await take(live.session, "one")
    await live.session.close()
    expect(processesWith(live.home)).toEqual([])
  })

  it("comes to commands that hide in a session of their own, too", async () => {
    await using live = await openPiSession([call(command.pi(hidingCommand))])
    await expectNoneSurvives(live.session, live)
  })
})
