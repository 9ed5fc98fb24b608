/** stderr → its lines for a message. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { excerptOf } from "../../../src/contract/text/excerpt.ts"

const gemini = `Warning: Basic terminal detected (TERM=dumb). Visual rendering will be limited.
YOLO mode is enabled. All tool calls will be automatically approved.
Error resuming session: Invalid session identifier "11111111-2222-3333-4444-555555555555".
  Searched for sessions in /home/agent/.gemini/tmp/workspace/chats.
  Use --list-sessions to see available sessions, then use --resume {number}, --resume {uuid}, or --resume latest.`

const thrown = `/app/cli.js:3
throw new Error("boom")
^

Error: boom: the disk is on fire
    at Object.<anonymous> (/app/cli.js:3:7)
    at Module._compile (node:internal/modules/cjs/loader:1554:14)

Node.js v24.2.0`

describe("the excerpt of stderr", () => {
  it.each([
    ["nothing", "", ""],
    ["one line", "error: unknown option '-x'\n", "error: unknown option '-x'"],
    ["a stack", thrown, "Error: boom: the disk is on fire"],
    [
      "the cause without noise before it",
      gemini,
      gemini
        .split("\n")
        .slice(2)
        .map((line) => line.trim())
        .join("\n")
    ],
    ["the last lines, where none names an error", `${"noise\n".repeat(200)}bye\n`, `${"noise\n".repeat(49)}bye`],
    ["the cause before lines at the end", "Error: no thread\nReading input...", "Error: no thread\nReading input..."],
    ["nothing a terminal acts on", "\u001b[31mred\u001b[0m\u202e\u200b\u0007 alert", "[31mred[0m alert"],
    ["no line in part", `fatal: ${"a".repeat(200)}\n${"b".repeat(200)}`, `fatal: ${"a".repeat(200)}`],
    ["the beginning of a line that is too long alone", "x".repeat(1_000), `${"x".repeat(299)}…`]
  ])("%s", (_, stderr, excerpt) => {
    assert.strictEqual(excerptOf(stderr), excerpt)
  })

  it.each([
    ["a word", "hi", "Unknown command: hi", ""],
    ["no part of a word", "hi", "Error: this is old", "Error: this is old"],
    ["quoted", "Fix the tests of the parser", 'Error: cannot read "Fix the tests of the parser"', ""],
    ["broken off", "Fix the tests of the parser, and tell me", "Error: unknown command Fix the tests of the pa…", ""],
    ["one of its lines", "Do this:\nrm the build folder\nthen stop", "Error: no command rm the build folder", ""],
    [
      "only those lines",
      "Fix the tests of the parser",
      "Error: disk full\nFix the tests of the parser\nbye",
      "Error: disk full\nbye"
    ]
  ])("leaves out a prompt that stderr repeats: %s", (_, prompt, stderr, excerpt) => {
    assert.strictEqual(excerptOf(stderr, [prompt]), excerpt)
  })

  it("finds long prompts fast", () => {
    const prompt = `${"the same again, ".repeat(500_000)}end`
    const before = performance.now()
    assert.strictEqual(excerptOf("the same again, the same\n".repeat(650), [prompt]), "")
    assert.isBelow(performance.now() - before, 2_000)
  })

  it.prop(
    "consists of a few whole lines of visible characters, for any text",
    { stderr: Schema.String, prompt: Schema.String },
    ({ stderr, prompt }) => {
      const excerpt = excerptOf(`${stderr}\nError: ${prompt}\n${stderr}`, [prompt])
      assert.isAtMost(excerpt.length, 300)
      assert.notMatch(excerpt, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2028\u2029]/)
      if (/[\p{L}\p{N}]{3}/u.test(prompt)) assert.notInclude(excerpt.split("\n"), `Error: ${prompt.trim()}`)
    }
  )
})
