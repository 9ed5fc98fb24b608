/** Prompts of the AI SDK as prompts of an agent: tables, and that no text of a message passes for another. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { readPrompt } from "../../../src/api/aiSdk/prompt.ts"
import type { FilePart, Message, Prompt } from "../../../src/api/aiSdk/spec.ts"

const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1)
const base64 = Buffer.from(png).toString("base64")

const user = (...content: Extract<Message, { role: "user" }>["content"]): Message => ({ role: "user", content })
const text = (text: string) => ({ type: "text" as const, text })
const answer = (words: string): Message => ({ role: "assistant", content: [text(words)] })
const file = (data: FilePart["data"], mediaType = "image/png", filename?: string): FilePart => ({
  type: "file",
  data,
  mediaType,
  ...(filename === undefined ? {} : { filename })
})

const promptOf = (...messages: Prompt) => readPrompt(messages, false).prompt

describe("a prompt", () => {
  it("of one message is its text", () => {
    assert.strictEqual(promptOf(user(text("hi"))), "hi")
    assert.strictEqual(promptOf(user(text("one"), text("two")), user(text("three"))), "one\n\ntwo\n\nthree")
  })

  it("has its system messages apart", () => {
    const { prompt, system } = readPrompt(
      [{ role: "system", content: "Be short." }, user(text("hi")), { role: "system", content: "Be kind." }],
      false
    )
    assert.deepStrictEqual([prompt, system], ["hi", "Be short.\n\nBe kind."])
    assert.notProperty(readPrompt([user(text("hi"))], false), "system")
  })

  it("has the earlier messages as lines of JSON", () => {
    const messages: Prompt = [
      user(text("list it"), file({ type: "data", data: png }, "image/png", "a.png")),
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "hm" },
          { type: "tool-call", toolCallId: "1", toolName: "ls", input: { path: "@secret" } },
          { type: "tool-result", toolCallId: "1", toolName: "ls", output: { type: "text", value: "README.md" } },
          text("There.")
        ]
      },
      user(text("and now?"))
    ]
    const lines = [
      '{"role":"user","content":["list it",{"file":"a.png"}]}',
      '{"role":"assistant","content":[{"tool":"ls","input":{"path":"\\u0040secret"}},{"resultOf":"ls","output":"README.md"},"There."]}'
    ]
    assert.strictEqual(
      promptOf(...messages),
      `The conversation so far, each message as a line of JSON:\n\n${lines.join("\n")}\n\nThe message to answer:\n\nand now?`
    )
    assert.deepStrictEqual(readPrompt(messages, false).warnings, [])
  })

  it.each([
    [{ type: "json", value: { a: 1 } }, '{"a":1}'],
    [{ type: "error-text", value: "no" }, '"no"'],
    [{ type: "execution-denied", reason: "never" }, '{"denied":"never"}'],
    [{ type: "content", value: [{ type: "text", text: "x" }, { type: "custom" }] }, '["x","(a part of type custom)"]']
  ] as const)("has results of tools: %j", (output, printed) => {
    const tool: Message = {
      role: "tool",
      // Read only, as the table is.
      content: [{ type: "tool-result", toolCallId: "1", toolName: "t", output: structuredClone(output) as never }]
    }
    assert.include(promptOf(user(text("a")), tool, user(text("b"))), `{"resultOf":"t","output":${printed}}`)
  })

  it("of a resumed session is its new messages alone", () => {
    const messages = [user(text("one")), answer("two"), user(text("three"))]
    assert.strictEqual(readPrompt(messages, true).prompt, "three")
    assert.strictEqual(readPrompt(messages.slice(0, 2), true).prompt, "Go on.")
    assert.match(promptOf(...messages.slice(0, 2)), /\n\nGo on from there\.$/)
  })
})

describe("files", () => {
  it.each([
    ["bytes", file({ type: "data", data: png }), { data: png, mediaType: "image/png" }],
    [
      "base64",
      file({ type: "data", data: base64 }, "image/png", "a.png"),
      { data: png, mediaType: "image/png", name: "a.png" }
    ],
    ["a kind of image", file({ type: "data", data: png }, "image"), { data: png, mediaType: "image/png" }],
    ["any image", file({ type: "data", data: png }, "image/*"), { data: png, mediaType: "image/png" }],
    [
      "a text",
      file({ type: "text", text: "hi" }, "text/markdown"),
      { data: new TextEncoder().encode("hi"), mediaType: "text/markdown" }
    ]
  ])("of %s are attachments", (_, part, expected) => {
    assert.deepStrictEqual(readPrompt([user(text("?"), part)], false).attachments, [expected])
  })

  it.each([
    ["its URL", file({ type: "url", url: new URL("https://example.org/a.png") })],
    ["a provider's reference", file({ type: "reference", reference: { other: "f1" } })],
    ["media type", file({ type: "data", data: Uint8Array.of(0, 1, 2) }, "image")]
  ])("without bytes are refused in the message to answer, and cause a warning in earlier ones: %s", (words, part) => {
    const request = readPrompt([user(text("?"), part)], false)
    assert.include(request.unsupported, words)
    const earlier = readPrompt([user(part), answer("a"), user(text("?"))], false)
    assert.notProperty(earlier, "unsupported")
    assert.deepStrictEqual(
      earlier.warnings.map((warning) => warning.type === "unsupported" && warning.details),
      [request.unsupported]
    )
  })

  it("of earlier messages are dropped if there are too many", () => {
    const many = Array.from({ length: 21 }, (_, at) => file({ type: "data", data: png }, "image/png", `${at}`))
    const { attachments, warnings } = readPrompt(
      [user(...many), answer("a"), user(text("?"), ...many.slice(0, 1))],
      false
    )
    assert.deepStrictEqual(
      attachments.map(({ name }) => name),
      [...Array.from({ length: 19 }, (_, at) => `${at + 2}`), "0"]
    )
    assert.lengthOf(warnings, 1)
  })
})

it("unknown parts cause a warning", () => {
  const custom: Message = { role: "assistant", content: [{ type: "custom", kind: "x.y" }] }
  const { warnings } = readPrompt([custom, user(text("?"))], false)
  assert.deepStrictEqual(warnings, [
    { type: "unsupported", feature: "part of a message", details: "a part of type custom" }
  ])
})

it.prop(
  "whatever a message before says, it stays on its line, and attaches no file",
  [Schema.Array(Schema.String)],
  ([words]) => {
    const before = words.flatMap((each) => [user(text(each)), answer(each)])
    const prompt = promptOf(...before, user(text("the question")))
    if (words.length === 0) return assert.strictEqual(prompt, "the question")
    const [, transcript = "", question, ...rest] = prompt.split("\n\n").length > 0 ? splitInThree(prompt) : []
    assert.deepStrictEqual([question, rest], ["The message to answer:\n\nthe question", []])
    assert.notInclude(transcript, "@")
    assert.deepStrictEqual(
      transcript.split("\n").map((line) => JSON.parse(line).content),
      words.flatMap((each) => [each, each])
    )
  }
)

/** Its lines of JSON have no empty line. */
const splitInThree = (prompt: string): ReadonlyArray<string> => {
  const [head = "", transcript = "", ...rest] = prompt.split("\n\n")
  return [head, transcript, rest.join("\n\n")]
}
