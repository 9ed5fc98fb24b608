/** Parsing of commands and stop words, their roles, and hints for wrong ones. */
import { it as effectIt } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { assert, describe, it } from "vitest"
import { isAtLeast, type Role, roles } from "../../../src/bridge/access/AccessOptions.ts"
import { type Command, commandsFor, commandTable, helpText } from "../../../src/bridge/commands/command.ts"
import { type CommandContext, isStopWord, type Parsed, parseCommand } from "../../../src/bridge/commands/parse.ts"
import type { ChannelMessage } from "../../../src/bridge/messages/ChannelMessage.ts"
import { content, person } from "../incomingUpdates.ts"

const context = (role: Role, more: Partial<CommandContext> = {}): CommandContext => ({
  role,
  accounts: ["ReinsBot", "bot"],
  agents: ["claude", "Codex", "stop"],
  directories: ["shop", "Blog"],
  efforts: ["low", "high"],
  ...more
})

const parse = (text: string, role: Role = "owner", more: Partial<ChannelMessage> = {}): Parsed =>
  parseCommand(content(text, person("1"), more), context(role))

const visible = (parsed: Parsed): Command | string => (parsed._tag === "Given" ? parsed.command : parsed._tag)

const stop: Command = { _tag: "Stop" }

describe("a command", () => {
  const cases: ReadonlyArray<readonly [text: string, expected: Command | "NoCommand" | "Hint" | "Elsewhere"]> = [
    ["/stop", stop],
    ["!stop", stop],
    ["/STOP", stop],
    ["/cancel", stop],
    ["  /stop  ", stop],
    ["/stop please, now", stop],
    ["/stop@ReinsBot", stop],
    ["/stop@reinsbot now", stop],
    ["@ReinsBot /stop", stop],
    ["@reinsbot: stop", stop],
    ["@other /stop", "NoCommand"],
    ["/stop@otherbot", "Elsewhere"],
    ["!stop@otherbot", "Elsewhere"],
    ["/nonsense@otherbot", "Elsewhere"],
    ["/stop@ReinsBοt", "Elsewhere"], // a Greek o
    ["/stop@", stop], // like the plain word
    ["/stop@a@b", "NoCommand"],
    ["/st\u200bop", stop],
    ["\u200b\u2060/stop", stop],
    ["/stop\u0000", stop],
    ["/st\u200batus", { _tag: "Status" }],
    ["/new\u0000", { _tag: "New" }],
    ["／stop", stop],
    ["/ѕtop", "Hint"], // a Cyrillic letter
    ["/new", { _tag: "New" }],
    ["/reset", { _tag: "New" }],
    ["/new and fix the bug", "Hint"],
    ["/agent", { _tag: "Agent" }],
    ["/agent claude", { _tag: "Agent", agent: "claude" }],
    ["/agent CODEX", { _tag: "Agent", agent: "Codex" }],
    ["/agent cladue", "Hint"],
    ["/agent __proto__", "Hint"],
    ["/model", { _tag: "Model" }],
    ["/model openai/gpt-5.5:high", { _tag: "Model", model: "openai/gpt-5.5:high" }],
    ["/model --dangerously-skip-permissions", "Hint"],
    ["/model a b", "Hint"],
    ["/mode", { _tag: "Mode" }],
    ["/mode plan", { _tag: "Mode", mode: "plan" }],
    ["/mode Accept-Edits", { _tag: "Mode", mode: "accept-edits" }],
    ["/mode bypass", { _tag: "Mode", mode: "bypass" }],
    ["/mode by\u200bpass", { _tag: "Mode", mode: "bypass" }],
    ["/mode yolo", "Hint"],
    ["/effort high", { _tag: "Effort", effort: "high" }],
    ["/effort max", "Hint"],
    ["/dir shop", { _tag: "Directory", directory: "shop" }],
    ["/dir blog", { _tag: "Directory", directory: "Blog" }],
    ["/dir /etc", "Hint"],
    ["/dir ../shop", "Hint"],
    ["/dir shор", "Hint"], // Cyrillic letters
    ["/planmode", { _tag: "PlanMode" }],
    ["/planmode auto", { _tag: "PlanMode", planMode: "auto" }],
    ["/planmode bypass", "Hint"],
    ["/status", { _tag: "Status" }],
    ["/status?", "NoCommand"],
    ["/usage today", { _tag: "Usage" }],
    ["/sessions", { _tag: "Sessions" }],
    ["/resume 8b2d-1", { _tag: "Resume", session: "8b2d-1" }],
    ["/resume", "Hint"],
    ["/resume -x", "Hint"],
    ["/export", { _tag: "Export", form: "md" }],
    ["/export JSON", { _tag: "Export", form: "json" }],
    ["/export pdf", "Hint"],
    ["/files src/a b.ts", { _tag: "Files", path: "src/a b.ts" }],
    ["/files src/\u202ea.ts", { _tag: "Files", path: "src/a.ts" }],
    ["/files", "Hint"],
    ["/help", { _tag: "Help" }],
    ["/start", { _tag: "Help" }],
    ["/whoami", { _tag: "WhoAmI" }],
    ["/restart", { _tag: "Restart" }],
    ["/pause 5", "Hint"],
    ["/claude fix it\nplease", { _tag: "Once", agent: "claude", text: "fix it\nplease" }],
    ["/codex\nfix it", { _tag: "Once", agent: "Codex", text: "fix it" }],
    ["/claude", "Hint"],
    ["/gemini hello", "Hint"],
    ["/unknown", "Hint"],
    ["/constructor", "Hint"],
    ["/stpo", "Hint"],
    ["!stpo", "Hint"],
    ["!important: fix this", "NoCommand"],
    ["!important fix this", "NoCommand"],
    ["!!!", "NoCommand"],
    ["/", "NoCommand"],
    ["/ stop", stop],
    ["/etc/hosts is broken", "NoCommand"],
    ["//stop", stop],
    ["//new", "NoCommand"],
    ["/ new", "NoCommand"],
    ["look at /stop", "NoCommand"],
    ["fix it\n/stop", "NoCommand"],
    ["", "NoCommand"],
    ["\u0000", "NoCommand"],
    ["\ud83d", "NoCommand"],
    [`/${"x".repeat(100_000)}`, "NoCommand"],
    [`/stop${"\u200b".repeat(100_000)}`, "NoCommand"],
    [`${"y ".repeat(50_000)}/stop`, "NoCommand"]
  ]
  it.each(cases)("%j", (text, expected) => assert.deepStrictEqual(visible(parse(text)), expected))

  it("as a reply has the id of the replied message", () =>
    assert.deepStrictEqual(visible(parse("/stop", "user", { replyTo: { messageId: "m7", ours: false } })), {
      _tag: "Stop",
      replyTo: "m7"
    }))

  it("is not shadowed by an agent of the same name", () => assert.deepStrictEqual(visible(parse("/stop this")), stop))

  it("takes any word as an effort if efforts are unknown", () => {
    const parsed = (text: string) =>
      visible(parseCommand(content(text, person("1")), context("owner", { efforts: undefined })))
    assert.deepStrictEqual(parsed("/effort xhigh"), { _tag: "Effort", effort: "xhigh" })
    for (const word of ["-x", "a b", "a=b", "x".repeat(40)]) assert.strictEqual(parsed(`/effort ${word}`), "Hint")
  })
})

describe("a hint", () => {
  const hint = (text: string, role: Role = "owner") => {
    const parsed = parse(text, role)
    return parsed._tag === "Hint" ? parsed.text : parsed._tag
  }
  it.each([
    ["/stpo", /Did you mean \/stop\?/],
    ["/ѕtop", /Did you mean \/stop\?/],
    ["/planmod", /\/planmode/],
    ["/unknownthing", /\/help/],
    ["/agent cladue", /not one of claude, Codex, stop.*Did you mean claude/],
    ["/mode yolo", /Did you mean bypass/],
    ["/mode edit", /not one of default, plan, accept-edits, bypass/],
    ["/dir shpo", /Did you mean shop/],
    ["/planmode of", /Did you mean off/],
    ["/new x", /separate message/]
  ])("to %s", (text, expected) => assert.match(hint(text), expected))

  it("names no command above the person's role", () => {
    assert.notInclude(hint("/restrat", "user"), "restart")
    assert.notInclude(hint("/mdel", "user"), "/model")
  })

  it("is short and harmless for any text", () => {
    for (const text of [`/mode ${"\u202e\u001b[31mx\n".repeat(10_000)}`, `/agent @everyone ${"y".repeat(99_999)}`]) {
      assert.isBelow(hint(text).length, 300)
      assert.notMatch(hint(text), /[\u202e\u001b\n]/)
    }
  })
})

describe("roles", () => {
  const sample = (name: string, form: string) =>
    `/${name}${form.includes("ID") ? " x1" : form.includes("PATH") ? " a.ts" : ""}`

  it.each(commandTable)("/$name is for $role and above", ({ name, role: needed, form }) => {
    for (const role of roles) {
      assert.strictEqual(parse(sample(name, form), role)._tag, isAtLeast(role, needed) ? "Given" : "Hint", role)
      assert.strictEqual(helpText(role).includes(`/${name}`), isAtLeast(role, needed), role)
    }
  })
  it.each([
    ["user", "/mode bypass", "Hint"],
    ["admin", "/mode bypass", "Hint"],
    ["admin", "/mode BYPASS", "Hint"],
    ["admin", "/mode ｂypass", "Hint"],
    ["owner", "/mode bypass", "Given"],
    ["user", "/claude hi", "Hint"],
    ["approver", "/claude hi", "Hint"],
    ["admin", "/claude hi", "Given"],
    ["user", "/planmode on", "Given"],
    ["user", "/dir shop", "Hint"]
  ] as const)("%s: %s", (role, text, expected) => assert.strictEqual(parse(text, role)._tag, expected))

  it("each include the commands of the lower ones", () => {
    const counts = roles.map((role) => commandsFor(role).length)
    assert.deepStrictEqual(
      counts,
      [...counts].sort((a, b) => a - b)
    )
    assert.include(helpText("admin", ["claude"]), "/claude TEXT")
    assert.notInclude(helpText("user", ["claude"]), "/claude")
  })
})

const Part = Schema.Union([
  Schema.Literals([
    "/",
    "!",
    "stop",
    "mode",
    " ",
    "bypass",
    "@bot",
    "@x",
    "\u200b",
    "\u0000",
    "restart",
    "claude",
    "\n"
  ]),
  Schema.String
])

effectIt.prop(
  "whatever is written gives nothing above the role, and nothing that is not there",
  [Arbitrary.schema(Schema.Array(Part)), Arbitrary.schema(Schema.Literals(roles))],
  ([parts, role]) => {
    const parsed = parse(parts.join(""), role)
    if (parsed._tag === "Hint") assert.isBelow(parsed.text.length, 400)
    if (parsed._tag !== "Given") return
    const { command } = parsed
    const row = commandTable.find(({ tag }) => tag === command._tag)
    assert.isTrue(isAtLeast(role, row?.role ?? "admin"))
    if (command._tag === "Mode" && command.mode === "bypass") assert.strictEqual(role, "owner")
    if (command._tag === "Once") assert.include(["claude", "Codex"], command.agent)
    if (command._tag === "Directory") assert.include(["shop", "Blog", undefined], command.directory)
  }
)

describe("a stop word", () => {
  it.each([
    ...["stop", "Stop!", "STOP", " stop.\n", "stopp", "Halt!!!", "стоп", "СТОП", "停止", "取消。", "ストップ", "dur!"],
    ...[
      "arrête",
      "arre\u0302te",
      "¡Alto!",
      "توقف",
      "정지",
      "st\u200bop",
      "ｓｔｏｐ",
      "🛑 stop",
      "stop 🙏",
      "please  stop"
    ]
  ])("%j", (text) => assert.isTrue(isStopWord(text)))

  it.each([
    ...["stop the server", "don't stop", "stops", "", "no", "wait", "1", "🛑", "stop\nthe tests", "stop?then go"],
    ...["\u0000", "ѕtop", "x".repeat(100_000), `stop${" ".repeat(100_000)}`, "toString", "__proto__"]
  ])("is not %j", (text) => assert.isFalse(isStopWord(text.slice(0, 100_100))))

  const context = { role: "user", accounts: ["bot"], agents: [], directories: [] } as const
  const parsed = (more: Partial<ChannelMessage>, text = "stop") =>
    parseCommand(content(text, person("1"), more), context)._tag

  it("counts in a group only if it is addressed to the account", () => {
    assert.strictEqual(parsed({ chat: "group", addressed: true }), "Given")
    assert.strictEqual(parsed({ chat: "group", addressed: false }), "NoCommand")
    assert.strictEqual(parsed({ chat: "group", addressed: true }, "@bot stop"), "Given")
  })
  it("does not count as the caption of a picture", () =>
    assert.strictEqual(parsed({ attachments: [{ kind: "image", fileId: "f" }] }), "NoCommand"))
})
