/** Bytes of stdout → events: whatever cannot be read is told, and hides nothing that comes after it. */
import { assert, describe, it } from "@effect/vitest"
import type { Decoder } from "../../src/cli/Cli.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { isJson } from "../../src/contract/json.ts"
import { makeReader } from "../../src/engine/reader.ts"
import { mostLineDepth } from "../../src/text/boundedDepth.ts"

/** Every object becomes one event; a throwing one is for the decoder's own bugs. */
const decoder: Decoder = {
  push: (json) => {
    const { boom, quiet } = json as { readonly boom?: unknown; readonly quiet?: boolean } // what the tests send
    if (boom !== undefined) throw boom === "error" ? new TypeError("secret text") : boom
    return quiet === true ? [] : [{ type: "unknown", raw: json }]
  },
  standing: () => "working",
  report: () => ({}),
  verdict: () => undefined
}

const bytes = (text: string) => new TextEncoder().encode(text)

const read = (text: string, maxLineBytes?: number): ReadonlyArray<AgentEvent> => {
  const reader = makeReader(decoder, maxLineBytes)
  return [...reader.split(bytes(text)), ...reader.rest()].flatMap(reader.read)
}

const kinds = (events: ReadonlyArray<AgentEvent>) =>
  events.map((event) =>
    event.type === "notice" ? event.kind : event.type === "unknown" ? JSON.stringify(event.raw) : event.type
  )

describe("lines that are no object", () => {
  const table: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
    ["foreign words", "hello there\n", ["malformed_line"]],
    ["broken JSON", '{"a":\n', ["malformed_line"]],
    ["an array", '[{"a":1}]\n', ["malformed_line"]],
    ["a number", "42\n", ["malformed_line"]],
    ["a text", '"text"\n', ["malformed_line"]],
    ["null", "null\n", ["malformed_line"]],
    ["true", "true\n", ["malformed_line"]],
    ["a prefix and broken JSON", 'warn: {"a":\n', ["malformed_line"]],
    ["foreign words with a brace", "a {b} c\n", ["malformed_line"]]
  ]

  it.each(table)("%s: one notice, and the next line is fine", (_, text, expected) => {
    assert.deepStrictEqual(kinds(read(text)), expected)
    assert.deepStrictEqual(kinds(read(`{"x":1}\n${text}{"y":2}\n`)), ['{"x":1}', ...expected, '{"y":2}'])
  })

  it("the notice shows at most 1,000 characters and says how many there were", () => {
    assert.deepStrictEqual(read("x".repeat(5_000)), [
      {
        type: "notice",
        kind: "malformed_line",
        message: "A line that is no JSON object",
        data: { characters: 5_000, text: "x".repeat(1_000) }
      }
    ])
  })
})

describe("lines that are an object", () => {
  const table: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
    ["plain", '{"a":1}\n', ['{"a":1}']],
    ["without the last newline", '{"a":1}\n{"b":2}', ['{"a":1}', '{"b":2}']],
    ["CRLF", '{"a":1}\r\n{"b":2}\r\n', ['{"a":1}', '{"b":2}']],
    ["a BOM", '\ufeff{"a":1}\n', ['{"a":1}']],
    ["blanks around", '  {"a":1} \t\n', ['{"a":1}']],
    ["blank lines", '\n  \n\r\n\t\n{"a":1}\n\n', ['{"a":1}']],
    ["a foreign prefix", 'warning: x {"a":1}\n', ["malformed_line", '{"a":1}']],
    ["a prefix that is a number", '42 {"a":1}\n', ["malformed_line", '{"a":1}']],
    ["a colour before it", '\u001b[32m{"a":1}\n', ["malformed_line", '{"a":1}']],
    ["colours around it", '\u001b[32m{"a":1}\u001b[0m\n', ["malformed_line", '{"a":1}']],
    ["separators of other kinds inside", '{"a":"\u2028\u0085"}\n', ['{"a":"\u2028\u0085"}']],
    ["an empty one", "{}\n", ["{}"]]
  ]

  it.each(table)("%s", (_, text, expected) => {
    assert.deepStrictEqual(kinds(read(text)), expected)
  })

  it("a prefix is told without the object", () => {
    const [notice] = read('warning: x {"a":1}\n')
    assert.deepInclude(notice, { kind: "malformed_line", data: { characters: 11, text: "warning: x " } })
  })

  it("half a surrogate pair in an escape is kept", () => {
    assert.deepStrictEqual(read('{"a":"\\ud83d"}\n'), [{ type: "unknown", raw: { a: "\ud83d" } }])
  })

  it("that mean nothing give nothing", () => {
    assert.deepStrictEqual(read('{"quiet":true}\n'), [])
  })

  it("come one by one, whatever the chunks", () => {
    const text = '{"a":"ä🎉"}\r\n\nfoo\n{"b":2}'
    for (const size of [1, 2, 3, 7]) {
      const reader = makeReader(decoder)
      const all = bytes(text)
      const events: Array<AgentEvent> = []
      for (let from = 0; from < all.length; from += size) {
        events.push(...reader.split(all.subarray(from, from + size)).flatMap(reader.read))
      }
      events.push(...reader.rest().flatMap(reader.read))
      assert.deepStrictEqual(kinds(events), ['{"a":"ä🎉"}', "malformed_line", '{"b":2}'])
    }
  })
})

describe("a decoder that throws", () => {
  it("costs its line, which is kept, and no more", () => {
    assert.deepStrictEqual(kinds(read('{"a":1}\n{"boom":"error"}\n{"b":2}\n')), [
      '{"a":1}',
      "warning",
      '{"boom":"error"}',
      '{"b":2}'
    ])
    assert.deepStrictEqual(kinds(read('{"boom":"a text"}\n')), ["warning", '{"boom":"a text"}'])
  })

  it("is told without what it said, which may quote the line", () => {
    const [notice] = read('{"boom":"error"}\n')
    assert.notInclude(JSON.stringify(notice), "secret text")
    assert.include(JSON.stringify(notice), "TypeError")
  })
})

describe("limits", () => {
  it("a line over the limit is told and dropped, the next one is fine", () => {
    const events = read(`{"a":"${"x".repeat(200)}"}\n{"b":2}\n`, 100)
    assert.deepStrictEqual(kinds(events), ["oversize_line", '{"b":2}'])
    assert.deepInclude(events[0], { data: { bytes: 208, head: `{"a":"${"x".repeat(194)}` } })
  })

  it("11 MB are within it by default", () => {
    assert.strictEqual(read(`{"a":"${"x".repeat(11_000_000)}"}\n`)[0]?.type, "unknown")
  })
})

describe("a line nested deep", () => {
  const nested = (depth: number, open = '{"a":', close = "}") => `${open.repeat(depth)}"\\"[x"${close.repeat(depth)}`
  const tooDeep = { type: "notice", kind: "malformed_line" } as const

  it.each<[string, string, boolean]>([
    ["the deepest", nested(mostLineDepth), false],
    ["one deeper", nested(mostLineDepth + 1), true],
    ["100,000 deep", nested(100_000), true],
    ["lists and objects 100,000 deep", nested(100_000, '{"a":[1,', ",2]}"), true],
    ["many side by side", `{"a":[${"[],{},".repeat(5_000)}1]}`, false],
    ["brackets within a text", `{"a":"${'[{\\"'.repeat(5_000)}\\\\"}`, false],
    ["two deep members", `{"x":${nested(5_000)},"y":${nested(5_000, "[", "]")},"z":1}`, true]
  ])("%s", (_, line, isCut) => {
    const [first, ...others] = read(`${line}\n{"next":1}\n`)
    const [event, next] = isCut ? others : [first, ...others]
    assert.deepStrictEqual(next, { type: "unknown", raw: { next: 1 } })
    const raw = event?.type === "unknown" ? event.raw : assert.fail(`${event?.type}`)
    if (!isCut) return assert.deepStrictEqual(raw, JSON.parse(line))
    assert.deepInclude(first, tooDeep)
    assert.include(JSON.stringify(first), `nested deeper than ${mostLineDepth}`)
    assert.include(JSON.stringify(raw), `"nested deeper than ${mostLineDepth}"`)
    assert.isFalse(isJson(raw), "still too deep to be handed on")
  })

  it("keeps what stands around", () => {
    const [, event] = read(`{"type":"t","x":${nested(5_000)},"y":[${nested(5_000, "[", "]")},2],"z":{"a":1}}\n`)
    assert.deepInclude(event?.type === "unknown" ? event.raw : {}, { type: "t", z: { a: 1 } })
  })

  it("behind foreign words is used, and both are told", () => {
    assert.deepStrictEqual(
      read(`it's "[ ${nested(5_000)}\n`).map(({ type }) => type),
      ["notice", "notice", "unknown"]
    )
  })

  it.each([
    ["never closed", '{"a":'.repeat(5_000)],
    ["closed in the middle", `${nested(5_000)}}`],
    ["a text never closed", `${'{"a":'.repeat(5_000)}"x`]
  ])("that is no JSON: %s", (_, line) => {
    assert.deepStrictEqual(kinds(read(`${line}\n{"next":1}\n`)), ["malformed_line", '{"next":1}'])
  })
})
