/** Bytes of stdout → events: whatever cannot be read is told, and hides nothing that comes after it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { pipeline, readAll } from "../../../src/agents/engine/pipeline.ts"
import type { ReadLine } from "../../../src/agents/engine/readLine.ts"
import type { Cli } from "../../../src/cli/Cli.ts"
import { clis } from "../../../src/cli/clis.ts"
import type { Stages } from "../../../src/cli/Decoder.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { isJson } from "../../../src/contract/json.ts"
import { mostLineDepth } from "../../../src/contract/text/jsonLine.ts"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"
import { fixturesOf } from "../../cli/fixtures.ts"
import { translate } from "../../kit/translate.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

const cutUp = (all: Uint8Array, size: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.subarray(index * size, (index + 1) * size))

/** Every object becomes one event; a throwing one is for the decoder's own bugs. */
const stages: Stages<AgentEvent> = (use) =>
  use(
    (json) => {
      const { form } = json as { readonly form?: unknown } // what the tests send
      if (form === "boom") throw new TypeError("secret text")
      return json
    },
    (json) => {
      const { boom, quiet } = json as { readonly boom?: unknown; readonly quiet?: boolean } // as above
      if (boom !== undefined) throw boom === "error" ? new TypeError("secret text") : boom
      return quiet === true ? [] : [{ type: "unknown", raw: json }]
    }
  )

const read = (text: string, maxLineBytes?: number): ReadonlyArray<AgentEvent> =>
  readAll(stages, [bytes(text)], maxLineBytes)

const kinds = (events: ReadonlyArray<AgentEvent>) =>
  events.map((event) =>
    event.type === "notice" ? event.kind : event.type === "unknown" ? JSON.stringify(event.raw) : event.type
  )

describe("lines that are not objects", () => {
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
        message: "A line is not a JSON object",
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
      assert.deepStrictEqual(kinds(readAll(stages, cutUp(bytes(text), size))), [
        '{"a":"ä🎉"}',
        "malformed_line",
        '{"b":2}'
      ])
    }
  })
})

/** The meaning of bytes, independent of chunks: the whole text, line by line. */
const plainly = (cli: Cli, all: Uint8Array) => {
  const decoder = cli.decoder({ prompt: "" })
  const malformed = (text: string): AgentEvent => ({
    type: "notice",
    kind: "malformed_line",
    message: "A line is not a JSON object",
    data: { characters: text.length, text: text.slice(0, 1_000) }
  })
  const events = new TextDecoder()
    .decode(all)
    .split("\n")
    .filter((text) => text.trim() !== "")
    .flatMap((text) => {
      try {
        return translate(decoder, JSON.parse(text))
      } catch {
        return [malformed(text)]
      }
    })
  return { events, report: decoder.report(), standing: decoder.standing() }
}

describe.each(Object.values(clis).map((cli) => [cli.id, cli] as const))("recordings of %s", (_, cli) => {
  const variants: Readonly<Record<string, (text: string) => string>> = {
    whole: (text) => text,
    "without the last newline": (text) => text.trimEnd(),
    cut: (text) => text.slice(0, -30),
    "with other lines between": (text) => text.replaceAll("\n", "\nnot JSON ä🎉\r\n\n")
  }

  it.each(Object.keys(variants))("mean the same however the bytes are cut: %s", (name) => {
    for (const { bytes: recorded } of fixturesOf(cli)) {
      const all = bytes(variants[name]?.(new TextDecoder().decode(recorded)) ?? "")
      const expected = plainly(cli, all)
      for (const size of [7, 4_096, 65_536]) {
        const decoder = cli.decoder({ prompt: "" })
        const events = readAll(decoder.stages, cutUp(all, size))
        assert.deepStrictEqual({ events, report: decoder.report(), standing: decoder.standing() }, expected)
      }
    }
  })
})

describe("the last line", () => {
  const unfinished = (text: string, size: number) => {
    const known: Array<readonly [boolean, boolean]> = []
    const stdout = Stream.fromIterable(cutUp(bytes(text), size), { chunkSize: 1 })
    const onLine = ({ isUnfinished, notices }: ReadLine<AgentEvent>) => known.push([isUnfinished, notices.length > 0])
    return Effect.as(pipeline({ stdout, stages, onLine, onChunk: () => {} }), known)
  }

  it.effect.each([1, 3, 100])(
    "is unfinished without its newline, whether or not it can be read; pieces of %d",
    (size) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* unfinished('{"a":1}\n{"b":2}', size), [
          [false, false],
          [true, false]
        ])
        assert.deepStrictEqual(yield* unfinished('{"a":1}\n{"b":', size), [
          [false, false],
          [true, true]
        ])
        assert.deepStrictEqual(yield* unfinished('{"a":1}\n{"b":\n', size), [
          [false, false],
          [false, true]
        ])
        assert.deepStrictEqual(yield* unfinished('{"a":1}\n \n', size), [[false, false]])
      })
  )
})

describe("a pipeline", () => {
  it.effect("takes what a line means when it is its turn, so that the line before can end it", () =>
    Effect.gen(function* () {
      const [taken, recorded]: [Array<unknown>, Array<string>] = [[], []]
      let chunks = 0
      yield* pipeline({
        stdout: Stream.make(bytes('{"a":1}\n{"boom":1}\n'), bytes('{"c":3}\n')),
        stages,
        record: (line) => recorded.push(line),
        onLine: ({ json, outputs }) => taken.push(taken.length === 0 ? outputs() : json),
        onChunk: () => {
          chunks += 1
        }
      })
      assert.deepStrictEqual(taken, [[{ type: "unknown", raw: { a: 1 } }], { boom: 1 }, { c: 3 }])
      assert.deepStrictEqual([recorded, chunks], [['{"a":1}', '{"boom":1}', '{"c":3}'], 1])
    })
  )
})

describe("a decoder that throws", () => {
  it("costs its line in the stage of its form, too", () => {
    assert.deepStrictEqual(kinds(read('{"a":1}\n{"form":"boom"}\n{"b":2}\n')), [
      '{"a":1}',
      "warning",
      '{"form":"boom"}',
      '{"b":2}'
    ])
  })

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

describe("a glance", () => {
  /** Sees lines with `"seen"`, and throws on those with `"blind"`. */
  const glancing: Stages<AgentEvent> = (use) =>
    stages((wire, step) =>
      use<unknown>(
        wire,
        (form, json) => step(form as never, json), // of both it is what `stages` takes
        (text) => {
          if (text.includes("blind")) throw new Error("a bug")
          const wire = text.includes("boom") ? { boom: "error" } : { quiet: true }
          return text.includes("seen") ? { wire } : undefined
        }
      )
    )
  const known = (text: string, REINS_GLANCE?: string) => {
    const events: Array<AgentEvent> = []
    const onLine = ({ outputs }: ReadLine<AgentEvent>) => events.push(...outputs())
    const reading = pipeline({ stdout: Stream.make(bytes(text)), stages: glancing, onLine })
    return Effect.as(Effect.provideService(reading, HostEnvironment, { REINS_GLANCE }), events)
  }

  it.effect("reads what it knows; all else is parsed, also what it throws on, and everything with REINS_GLANCE=0", () =>
    Effect.gen(function* () {
      const text = '{"seen":1}\n{"a":1}\n{"seen":"blind"}\n'
      assert.deepStrictEqual(kinds(yield* known(text)), ['{"a":1}', '{"seen":"blind"}'])
      assert.deepStrictEqual(kinds(yield* known(text, "0")), ['{"seen":1}', '{"a":1}', '{"seen":"blind"}'])
    })
  )

  it.effect("keeps a line whose step throws, whole", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(kinds(yield* known('{"seen":"boom"}\n{"b":2}\n')), [
        "warning",
        '{"seen":"boom"}',
        '{"b":2}'
      ])
    })
  )
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
  ])("that is not JSON: %s", (_, line) => {
    assert.deepStrictEqual(kinds(read(`${line}\n{"next":1}\n`)), ["malformed_line", '{"next":1}'])
  })
})
