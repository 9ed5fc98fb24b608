import {
  InvalidParams,
  parseResumeLine,
  type Route,
  type RouteQuestion,
  type RouteReason,
  resumeLine,
  route
} from "reins"
import { describe, expect, it } from "vitest"
import { tern } from "../package/fifthCli/tern.ts"

/** From the last to be asked: each wins over those before it. */
const ways: ReadonlyArray<readonly [RouteReason, Partial<RouteQuestion>, Omit<Route, "because">]> = [
  ["global", { defaults: { global: "opencode" } }, { cli: "opencode" }],
  ["project", { defaults: { global: "opencode", project: "gemini" } }, { cli: "gemini" }],
  ["chat", { conversation: { chat: "codex" } }, { cli: "codex" }],
  ["topic", { conversation: { chat: "codex", topic: "claude" } }, { cli: "claude" }],
  ["directive", { directive: "gemini" }, { cli: "gemini" }],
  ["reply", { reply: { text: "Done.\n`codex resume r-1`", isOurs: true } }, { cli: "codex", sessionId: "r-1" }],
  ["text", { text: "claude -r t-1\nand now?" }, { cli: "claude", sessionId: "t-1" }]
]

describe("decides", () => {
  for (const [at, [because, , expected]] of ways.entries()) {
    it(`by ${because} before all that come later`, () => {
      const question = Object.assign({ text: "and now?" }, ...ways.slice(0, at + 1).map(([, input]) => input))
      expect(route(question)).toEqual({ ...expected, because })
    })
  }
})

const defaults = { global: "claude" }

it("follows another person's message to no session", () => {
  const reply = { text: "`codex resume r-1`", isOurs: false }
  expect(route({ text: "look", reply, defaults })).toEqual({ cli: "claude", because: "global" })
  expect(route({ text: "> codex resume r-1\nlook", defaults })).toEqual({ cli: "claude", because: "global" })
})

it("finds the line in a message of ours that is quoted with marks", () => {
  const reply = { text: "> ↩️ `codex resume r-1`", isOurs: true }
  expect(route({ text: "go on", reply, defaults })).toEqual({ cli: "codex", sessionId: "r-1", because: "reply" })
})

it.each([
  ["directive", { text: "x", directive: "aider", defaults }],
  ["conversation.topic", { text: "x", conversation: { topic: "aider" }, defaults }],
  ["conversation.chat", { text: "x", conversation: { chat: "aider" }, defaults }],
  ["defaults.project", { text: "x", defaults: { project: "aider", global: "claude" } }],
  ["defaults.global", { text: "x", defaults: { global: "aider" } }],
  ["defaults.global", { text: "x" }]
])("names %s if it is not a CLI, and lists the four", (option, question) => {
  expect(() => route(question)).toThrow(InvalidParams)
  expect(() => route(question)).toThrow(new RegExp(`^${option}: .*claude, gemini, codex, opencode, pi`))
})

it("does not fail for a choice that does not decide", () => {
  expect(route({ text: "x", directive: "codex", defaults: { global: "aider" } })).toEqual({
    cli: "codex",
    because: "directive"
  })
})

describe("a CLI of one's own", () => {
  const own = { ...tern, resumeCommands: ["tern --resume", "tern -r"] }
  const clis = [own]

  it("is named and resumed as the four are", () => {
    expect(route({ text: "x", directive: "tern", defaults, clis })).toEqual({ cli: "tern", because: "directive" })
    expect(route({ text: "tern -r t-1", defaults, clis })).toEqual({ cli: "tern", sessionId: "t-1", because: "text" })
    expect(route({ text: "claude -r t-1", clis })).toEqual({ cli: "claude", sessionId: "t-1", because: "text" })
    expect(route({ text: "tern -r t-1", defaults })).toEqual({ cli: "claude", because: "global" })
    const line = resumeLine({ cli: "tern", sessionId: "t-1" }, clis)
    expect(line).toBe("`tern --resume t-1`")
    expect(parseResumeLine(`Done.\n${line}`, clis)).toEqual({ cli: "tern", sessionId: "t-1" })
  })

  it("is in the message of what is refused", () => {
    expect(() => route({ text: "x", directive: "aider", clis })).toThrow(/^directive: .*opencode, pi, tern/)
    expect(() => route({ text: "x", clis: [{ ...tern, id: "codex" }] })).toThrow(/^clis: has codex, which Reins knows/)
    expect(() => resumeLine({ cli: "tern", sessionId: "t-1" }, [tern])).toThrow(/^cli: tern has no resumeCommands/)
  })
})
