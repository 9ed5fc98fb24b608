/** The fields that are read of a line are found by watching the reader, and the flags that we use in our source. */
import { assert, describe, it } from "vitest"
import { clis } from "../../../src/cli/clis.ts"
import type { Output } from "../../../src/cli/Live.ts"
import { kindOf } from "../../../tools/drift/kinds.ts"
import { ourUseOf } from "../../../tools/drift/ourUse.ts"
import { type HeardLine, spyOn } from "../../../tools/drift/spy.ts"
import { track, untracked } from "../../../tools/drift/tracked.ts"
import { translate } from "../../kit/translate.ts"

const root = new URL("../../..", import.meta.url).pathname.replace(/\/$/, "")

// biome-ignore lint/suspicious/noExplicitAny: read like a line of any form
const read = (line: unknown, by: (json: any) => unknown) => {
  const tracked = track(line)
  by(tracked.json)
  return [...tracked.asked]
}

describe("a tracked line", () => {
  it.each([
    ["a field, there or not", (json: Readonly<Record<string, unknown>>) => [json["a"], json["z"]], ["a", "z"]],
    ["what is only asked for", (json: object) => "a" in json && "y" in json, ["a", "y"]],
    [
      "what is in a list",
      (json: { b: ReadonlyArray<{ c: number }> }) => json.b.map(({ c }) => c),
      ["b", "b[].c", "b[text].c"]
    ],
    ["none of what every object has", (json: object) => [json.toString(), json.constructor], []]
  ] as const)("notes %s", (_, by, request) => {
    assert.deepStrictEqual(read({ a: 1, b: [{ c: 1 }, { type: "text", c: 2 }] }, by), [...request])
  })

  it("reads like itself, and notes nothing after its end", () => {
    const line = { a: [1, { b: null }], c: "x" }
    const tracked = track(line)
    assert.strictEqual(JSON.stringify(tracked.json), JSON.stringify(line))
    const before = tracked.asked.size
    tracked.stop()
    assert.isUndefined(Reflect.get(Object(tracked.json), "later"))
    assert.strictEqual(tracked.asked.size, before)
  })

  it("is itself again in what was made of it", () => {
    const line = { input: { deep: [1] } }
    const { input } = Object(track(line).json)
    const error = new Error("kept")
    const made = untracked({ list: [{ input }], error })
    assert.strictEqual(made.list[0]?.input, line.input)
    assert.strictEqual(made.error, error)
    assert.deepStrictEqual(structuredClone(made.list), [line])
  })
})

describe("a spy", () => {
  it("changes nothing of what a decoder gives", () => {
    const lines = [
      { type: "system", subtype: "init", session_id: "s", model: "m", tools: ["Bash"] },
      {
        type: "assistant",
        message: { content: [{ type: "tool_use", id: "t", name: "Bash", input: { command: "ls" } }] }
      },
      { type: "hologram", data: [1] }
    ]
    const received: Array<HeardLine> = []
    const [plain, spied] = [clis.claude, spyOn("claude", clis.claude, (line) => received.push(line))].map((cli) => {
      const decoder = cli.decoder({ prompt: "go" })
      return lines.flatMap((line) => translate(decoder, line))
    })
    assert.deepStrictEqual(spied, plain)
    assert.deepStrictEqual(
      received.map(({ kind, isUnderstood }) => [kind, isUnderstood]),
      [
        ["system/init", true],
        ["assistant", true],
        ["hologram", false]
      ]
    )
  })

  it("names the answers to what a dialogue has asked", () => {
    const received: Array<HeardLine> = []
    const spied = spyOn("codex", clis.codex, (line) => received.push(line))
    const dialogue = spied.live?.dialogue({}, { workingDirectory: "/w", privateDirectory: "/p" })
    const content = (dialogue?.open() ?? []).flatMap((output: Output) =>
      "_tag" in output && output._tag === "Write" ? [Object(output.json)] : []
    )
    dialogue?.push({ id: content[0]?.id, result: { userAgent: "x" } })
    assert.strictEqual(received[0]?.kind, "result of initialize")
  })
})

describe("the kind", () => {
  const none = () => undefined
  it.each([
    [
      "claude",
      "run",
      { type: "stream_event", event: { type: "content_block_delta", delta: { type: "text_delta" } } },
      "stream_event/content_block_delta/text_delta"
    ],
    ["codex", "run", { type: "item.completed", item: { type: "error" } }, "item.completed/error"],
    ["opencode", "run", { type: "tool_use", part: { state: { status: "error" } } }, "tool_use/error"],
    [
      "gemini",
      "live",
      { method: "session/update", params: { update: { sessionUpdate: "plan" } } },
      "session/update/plan"
    ],
    [
      "pi",
      "run",
      { type: "message_update", assistantMessageEvent: { type: "text_delta" } },
      "message_update/text_delta"
    ],
    ["pi", "live", { type: "response", command: "get_state", id: "a" }, "response/get_state"],
    ["gemini", "live", { id: 4711, error: {} }, "error of nothing asked"],
    ["gemini", "live", 7, "no object"]
  ] as const)("of %s, %s", (cli, wire, json, kind) => assert.strictEqual(kindOf(cli, wire, json, none), kind))
})

describe("our source", () => {
  it.each([
    ["claude", "--output-format", true],
    ["claude", "--permission-mode", true],
    ["claude", "--teleport", false],
    ["claude", "-p", true],
    ["codex", "ServerRequest item/commandExecution/requestApproval", true],
    ["codex", "ServerNotification windows/worldWritableWarning", false],
    ["gemini", "--acp", true],
    ["opencode", "--format", true],
    ["opencode", "--share", false],
    ["pi", "--no-session", true],
    ["pi", "--export", true],
    ["pi", "--list-themes", false]
  ] as const)("of %s mentions %s: %s", (id, word, expected) => {
    assert.strictEqual(ourUseOf(id, root, []).mentions(word), expected)
  })
})
