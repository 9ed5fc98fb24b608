/** Input of a client: prompts, MCP servers, forms; checked, bounded and in our words. */
import { Redacted, Result } from "effect"
import { assert, describe, it } from "vitest"
import { answersOf, formOf } from "../../../src/api/acpServer/liveSession.ts"
import { mcpServersOf } from "../../../src/api/acpServer/methods.ts"
import { promptOf } from "../../../src/api/acpServer/promptOf.ts"
import { type ContentBlock, parse } from "../../../src/api/acpServer/requests.ts"
import type { AttachmentKind } from "../../../src/contract/Attachment.ts"
import type { QuestionEvent } from "../../../src/contract/SessionEvent.ts"
import { assertConforms } from "./schema.ts"

const all: ReadonlySet<AttachmentKind> = new Set(["image", "text"])
const prompt = (blocks: ReadonlyArray<ContentBlock>, takes = all) => Result.getOrThrow(promptOf(blocks, takes))
const text = (words: string): ContentBlock => ({ type: "text", text: words })
const link: ContentBlock = { type: "resource_link", name: "a b.ts", uri: "file:///shop/a%20b.ts" }
const resource: ContentBlock = { type: "resource", resource: { uri: "file:///shop/log.txt", text: "```boom" } }

describe("a prompt", () => {
  it("is its paragraphs, with mentions inline", () => {
    const input = prompt([text("Look at "), link, text(" please."), text("And then?")])
    assert.strictEqual(input.text, "Look at [a b.ts](/shop/a b.ts) please.\nAnd then?")
    assert.deepStrictEqual(input.attachments, [])
  })

  it("has embedded content as bytes", () => {
    const { text: words, attachments } = prompt([text("See "), resource])
    assert.strictEqual(words, "See [log.txt](/shop/log.txt)")
    assert.deepStrictEqual(attachments, [
      { data: new TextEncoder().encode("```boom"), mediaType: "text/plain", name: "log.txt" }
    ])
  })

  it("has the text itself for a CLI that takes none", () => {
    const { text: words, attachments } = prompt([text("See:"), resource], new Set(["image"]))
    assert.strictEqual(words, "See:\n[log.txt](/shop/log.txt):\n````\n```boom\n````")
    assert.deepStrictEqual(attachments, [])
  })

  it("may be an image alone", () => {
    const input = prompt([{ type: "image", mimeType: "image/png", data: "AAEC" }])
    assert.strictEqual(input.text, "Look at what is attached.")
    assert.deepStrictEqual(input.attachments, [
      { data: Uint8Array.of(0, 1, 2), mediaType: "image/png", name: "image-1" }
    ])
  })

  it.each([
    ["text without text", { type: "text" }, "prompt.0: has no text"],
    ["an image without bytes", { type: "image", mimeType: "image/png" }, "prompt.0: needs data and mimeType"],
    ["invalid bytes", { type: "image", mimeType: "image/png", data: "%%%" }, "is not base64"],
    ["a link to nothing", { type: "resource_link" }, "prompt.0: has no uri"],
    ["another type", { type: "hologram" }, "prompt.0: is of a type that is not known here"]
  ])("with %s is refused", (_, block, problem) => {
    const input = promptOf([block], all)
    assert.include(Result.isFailure(input) ? input.failure.message : "", problem)
  })
})

describe("the servers of a client", () => {
  it("become ours, and their secrets stay hidden", () => {
    const servers = Result.getOrThrow(
      mcpServersOf([
        { name: "own", command: "/bin/run", args: ["it"], env: [{ name: "KEY", value: "s3cret" }] },
        { name: "far", type: "http", url: "http://127.0.0.1:1/", headers: [] }
      ])
    )
    assert.deepStrictEqual(Object.keys(servers), ["own", "far"])
    assert.notInclude(JSON.stringify(servers), "s3cret")
    const { own } = servers
    const secret = own !== undefined && "command" in own ? own.env?.["KEY"] : undefined
    assert.isTrue(Redacted.isRedacted(secret) && Redacted.value(secret) === "s3cret")
  })

  it("keep their names, whatever these are", () => {
    const servers = Result.getOrThrow(mcpServersOf([{ name: "__proto__", command: "/bin/run" }]))
    assert.deepStrictEqual(Object.keys(servers), ["__proto__"])
  })

  it.each([
    ["sse", [{ name: "a", type: "sse", url: "http://x/" }], "mcpServers.0: is of type sse"],
    ["nothing to start", [{ name: "a" }], "mcpServers.0: has neither command nor url"],
    [
      "one name twice",
      [
        { name: "a", command: "x" },
        { name: "a", command: "y" }
      ],
      "mcpServers.1: has the name"
    ]
  ])("are refused with %s", (_, input, problem) => {
    const servers = mcpServersOf(input)
    assert.include(Result.isFailure(servers) ? servers.failure.message : "", problem)
  })
})

describe("parameters", () => {
  const problemOf = (input: Result.Result<unknown, { readonly message: string }>) =>
    Result.isFailure(input) ? input.failure.message : "none"

  it("of later versions of the protocol are ignored where they are not known", () => {
    assert.isTrue(Result.isSuccess(parse.newSession({ cwd: "/work", mcpServers: [], later: 1, _meta: null })))
  })

  it.each([
    ["a directory that is not absolute", parse.newSession({ cwd: "work" }), /^cwd: Expected an absolute path/],
    ["a directory with a zero byte", parse.newSession({ cwd: "/a\0b" }), /^cwd: Expected an absolute path/],
    ["a directory without end", parse.newSession({ cwd: `/${"a".repeat(5_000)}` }), /^cwd: /],
    ["too many servers", parse.newSession({ cwd: "/", mcpServers: Array(65).fill({ name: "a" }) }), /^mcpServers: /],
    ["no session", parse.prompt({ prompt: [] }), /^sessionId: is missing/],
    ["too many blocks", parse.prompt({ sessionId: "s", prompt: Array(257).fill({ type: "text" }) }), /^prompt: /],
    ["nothing", parse.session(undefined), /^params: is not an object/]
  ])("with %s are refused by name", (_, input, problem) => {
    assert.match(problemOf(input), problem)
  })
})

describe("questions", () => {
  const question: QuestionEvent = {
    type: "question",
    requestId: "r1",
    questions: [
      {
        question: "Which?",
        header: "Colour",
        options: [{ label: "Red" }, { label: "Blue" }],
        multiple: false,
        freeText: true
      },
      { question: "And?", options: [{ label: "A" }, { label: "B" }], multiple: true, freeText: false },
      { question: "Name?", options: [], multiple: false, freeText: true }
    ]
  }
  const accept = (content: unknown) => answersOf(question, { action: "accept", content })

  it("are a form of the protocol", () => {
    assertConforms("CreateElicitationRequest", formOf("s", question))
  })

  it("are answered by the filled-in form", () => {
    const answers = { "Which?": ["Red"], "And?": ["A", "B"], "Name?": ["Ann"] }
    assert.deepStrictEqual(accept({ question1: "Red", question2: ["A", "B"], question3: "Ann" }), answers)
  })

  it.each([
    ["declined", { action: "decline" }],
    ["filled in by half", { action: "accept", content: { question1: "Red" } }],
    [
      "answered by an invalid choice",
      { action: "accept", content: { question1: "Red", question2: ["C"], question3: "x" } }
    ],
    ["answered by nothing", undefined]
  ])("that were %s are left to the agent", (_, result) => {
    assert.isUndefined(answersOf(question, result))
  })
})
