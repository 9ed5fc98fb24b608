/** `reins chat --json` as another program sees it. Real processes: the program, and a scripted CLI behind it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { bundled } from "../../kit/bundled.ts"
import { eventsOf, resultOf } from "../printedEvents.ts"
import { runProgram } from "../programProcess.ts"

const program = await bundled(fileURLToPath(new URL("scriptedChat.ts", import.meta.url)))

const start = (args: ReadonlyArray<string> = []) => {
  const child = spawn(process.execPath, [program, "--json", ...args], { stdio: ["pipe", "pipe", "pipe"] })
  let stdout = ""
  let stderr = ""
  const waiting = new Set<() => void>()
  createInterface({ input: child.stdout }).on("line", (line) => {
    stdout += `${line}\n`
    for (const look of waiting) look()
  })
  child.stderr.on("data", (chunk) => {
    stderr += String(chunk)
  })
  const known = (type: AgentEvent["type"]) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (stdout !== "" && eventsOf(stdout).some((event) => event.type === type)) resolve()
      }
      waiting.add(look)
      look()
    })
  const ended = once(child, "close").then(([code]: ReadonlyArray<unknown>) => {
    const replies = stderr.split("\n").flatMap((line): Array<unknown> => (line === "" ? [] : [JSON.parse(line)]))
    return { code, stdout, replies, events: eventsOf(stdout), types: eventsOf(stdout).map(({ type }) => type) }
  })
  const say = (...commands: ReadonlyArray<object>) => {
    for (const command of commands) child.stdin.write(`${JSON.stringify(command)}\n`)
  }
  return { child, say, seen: known, ended, finish: () => child.stdin.end() }
}

/** All commands at once, and the end. */
const chat = (commands: ReadonlyArray<object | string>, args?: ReadonlyArray<string>) => {
  const { child, ended } = start(args)
  child.stdin.end(
    commands.map((command) => `${typeof command === "string" ? command : JSON.stringify(command)}\n`).join("")
  )
  return ended
}

const turn = (prompt: string) => ({ type: "turn", prompt })
const textOf = (events: ReadonlyArray<AgentEvent>) =>
  events.map((event) => (event.type === "text" ? event.text : "")).join("|")

describe("commands that come all at once", () => {
  it("are done one after the other; the end of stdin waits for them", async () => {
    const { code, stdout, replies, types } = await chat([turn("a"), "", turn("b")])
    expect({ code, replies, types }).toEqual({
      code: 0,
      replies: [],
      types: ["session", "text", "turn_done", "text", "turn_done", "done"]
    })
    expect(resultOf(stdout)).toMatchObject({ outcome: "completed", text: "", numTurns: 2 })
  })

  it("begin with the prompt of the command line", async () => {
    const { events } = await chat([turn("b")], ["a"])
    expect(textOf(events)).toBe("|you said a||you said b||")
  })

  it("decide before anything is asked", async () => {
    const { code, replies, events } = await chat([
      { type: "decide", decision: "deny", message: "not today" },
      { type: "answer", answers: { "Which colour?": ["blue"] } },
      turn("ask rm x"),
      turn("question"),
      turn("ask ls"),
      { type: "decide", decision: "allow", input: { command: "ls -a" } }
    ])
    expect(code).toBe(0)
    expect(replies).toEqual([
      { line: 1, ok: true },
      { line: 2, ok: true },
      { line: 6, ok: true }
    ])
    expect(events.flatMap((event) => (event.type === "permission_decision" ? [event] : []))).toMatchObject([
      { decision: "deny", by: "caller", message: "not today" },
      { decision: "allow", by: "caller", input: { command: "ls -a" } }
    ])
    expect(events.find(({ type }) => type === "question_answer")).toMatchObject({
      answers: { "Which colour?": ["blue"] }
    })
  })

  it("deny open requests, and leave open questions without an answer", async () => {
    const { code, replies, events } = await chat([turn("ask rm x"), turn("question")])
    expect({ code, replies }).toEqual({ code: 0, replies: [] })
    expect(events.find(({ type }) => type === "permission_decision")).toMatchObject({
      decision: "deny",
      message: "No person can be asked."
    })
    expect(events.find(({ type }) => type === "question_answer")).toEqual({
      type: "question_answer",
      requestId: "r2",
      by: "caller"
    })
  })

  it("invalid ones are named by their line; the others are done; exit 2", async () => {
    const { code, replies, events } = await chat(["", "nonsense", turn("a"), { type: "turn" }])
    expect(code).toBe(2)
    expect(replies).toMatchObject([
      { line: 2, ok: false, problem: expect.stringContaining("is not JSON") },
      { line: 4, ok: false, problem: expect.stringContaining("prompt") }
    ])
    expect(textOf(events)).toContain("you said a")
  })

  it.each([
    ["a scope that is invalid", '{"type":"decide","decision":"allow","remember":{"paths":["~/x"]}}', "remember"],
    [
      "a scope that the request has not",
      '{"type":"decide","requestId":"r1","decision":"allow","remember":"wider-9"}',
      "remember"
    ],
    [
      "an input nested 9,000 deep",
      `{"type":"decide","decision":"allow","input":${"[".repeat(9_000)}${"]".repeat(9_000)}}`,
      "nested deeper"
    ]
  ])("with %s are refused by their number, and what was asked waits on", async (_, line, problem) => {
    const { say, seen: known, ended, finish, child } = start()
    say(turn("ask rm x"))
    await known("permission_request")
    child.stdin.write(`${line}\n`)
    say({ type: "decide", decision: "deny", message: "no" }, turn("a"))
    finish()
    const { code, replies, events } = await ended
    expect(replies).toEqual([
      { line: 2, ok: false, problem: expect.stringContaining(problem) },
      { line: 3, ok: true }
    ])
    expect(events.find(({ type }) => type === "permission_decision")).toMatchObject({ decision: "deny", message: "no" })
    expect(textOf(events)).toContain("you said a")
    expect(code).toBe(2)
  })

  it("tell which answers and names were for nothing", async () => {
    const { code, replies } = await chat([
      { type: "decide", requestId: "r9", decision: "allow" },
      { type: "decide", decision: "allow" },
      { type: "interrupt" },
      turn("a")
    ])
    const problem = "no open request was left for this answer"
    expect(code).toBe(2)
    expect(replies).toEqual([
      { line: 1, ok: false, problem: "requestId: is of no request or question of this session" },
      { line: 3, ok: false, problem: "no turn was running" },
      { line: 2, ok: false, problem }
    ])
  })

  it("wait for a text that was queued", async () => {
    const { replies, events } = await chat([turn("a"), { type: "send", text: "later b" }])
    expect(replies).toEqual([{ line: 2, ok: true, delivery: "queued" }])
    expect(textOf(events)).toContain("you said later b")
  })

  it("wait for a text that came too late to be taken up", async () => {
    const { replies, events } = await chat([turn("long"), { type: "send", text: "too late" }])
    expect(replies).toEqual([{ line: 2, ok: true, delivery: "steered" }])
    expect(textOf(events)).toContain("you said too late")
    expect(events.at(-1)).toMatchObject({ result: { outcome: "completed" } })
  })
})

describe("a conversation", () => {
  it("is steered, interrupted and changed while it goes on", async () => {
    const { say, seen: known, ended, finish } = start()
    say(turn("long"))
    await known("text")
    say({ type: "send", text: "with care" })
    await known("turn_done")
    say(turn("long"), { type: "interrupt" })
    say({ type: "set_model", model: "none" }, { type: "set_permission_mode", permissionMode: "plan" }, turn("bye"))
    finish()
    const { code, replies, events } = await ended
    const outcomes = events.flatMap((event) => (event.type === "turn_done" ? [event.result.outcome] : []))
    expect({ code, outcomes }).toEqual({ code: 0, outcomes: ["completed", "aborted", "completed"] })
    expect(replies).toHaveLength(4)
    expect(replies).toEqual(
      expect.arrayContaining([
        { line: 2, ok: true, delivery: "steered" },
        { line: 4, ok: true },
        { line: 5, ok: false, problem: expect.stringContaining("unknown model") },
        { line: 6, ok: true }
      ])
    )
  })

  it("is over at once when it is closed", async () => {
    const { say, seen: known, ended } = start()
    say(turn("long"))
    await known("text")
    say({ type: "close" })
    const { code, types, stdout } = await ended
    expect({ code, types: types.slice(-3) }).toEqual({ code: 130, types: ["error", "turn_done", "done"] })
    expect(resultOf(stdout).outcome).toBe("aborted")
  })

  it("is aborted by a signal, and still says how it ended", async () => {
    const { child, say, seen: known, ended } = start()
    say(turn("long"))
    await known("text")
    child.kill("SIGTERM")
    const { code, stdout } = await ended
    expect({ code, outcome: resultOf(stdout).outcome }).toEqual({ code: 130, outcome: "aborted" })
  })
})

describe("the exit code", () => {
  it.each([
    ["is that of the last turn", [turn("a"), turn("fail")], 1],
    ["forgets a turn that failed before it", [turn("fail"), turn("a")], 0],
    ["is that of a session that broke", [turn("die"), turn("a")], 1],
    ["takes a turn that was interrupted for no failure", [turn("long"), { type: "interrupt" }], 0]
  ])("%s", async (_, commands, expected) => {
    expect((await chat(commands)).code).toBe(expected)
  })

  it("is 1 for a session that could not be opened", async () => {
    const { code, stdout } = await runProgram(["chat", "--json", "--command", "no-such-claude"])
    expect({ code, reason: resultOf(stdout).reason }).toEqual({ code: 1, reason: "not_installed" })
  })
})
