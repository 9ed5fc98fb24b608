/** A schema is interpreted when it is first used and compiled when it is used often: with the same result. */
import { Result, Schema } from "effect"
import { afterEach, assert, describe, it, vi } from "vitest"
import { compiledCheck, wireDecoder } from "../../src/cli/wireDecoder.ts"

const makeLine = () =>
  Schema.Union([
    Schema.Struct({
      type: Schema.Literal("text"),
      text: Schema.optionalKey(Schema.NullOr(Schema.String)),
      counts: Schema.optionalKey(Schema.Record(Schema.String, Schema.Finite)),
      parts: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String })))
    }),
    Schema.Struct({ type: Schema.Literal("end"), rest: Schema.Unknown })
  ])

const inputs: ReadonlyArray<unknown> = [
  { type: "text", text: "a", more: 1 },
  { type: "text", text: null, counts: { a: 1, b: 2 }, parts: [{ name: "a", more: [] }] },
  { type: "text", counts: { a: "1" }, parts: [{ name: 1 }] },
  { type: "end", rest: { a: [1] } },
  { type: "end" },
  { type: "other" },
  [],
  null,
  "text"
]

/** How often code was made at run time. */
const countCompilations = () => {
  const make = vi.fn(() => {})
  const apply = (made: FunctionConstructor, _this: unknown, args: Array<string>) => {
    make()
    return made(...args)
  }
  vi.stubGlobal("Function", new Proxy(Function, { apply }))
  return () => make.mock.calls.length
}

describe("wireDecoder", () => {
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  it.each(inputs.map((input) => [JSON.stringify(input), input]))("gives for %s always the same", (_, input) => {
    const line = makeLine()
    const [decode, check] = [wireDecoder(line), compiledCheck(line)]
    const read = () => ({ decoded: Result.mapError(decode(input), String), fits: check(input) })
    const first = read()
    for (let use = 0; use < 20; use++) assert.deepStrictEqual(read(), first)
    assert.strictEqual(first.fits, Result.isSuccess(first.decoded))
  })

  it("compiles a schema that comes often, once", () => {
    const compilations = countCompilations()
    const decode = wireDecoder(makeLine())
    for (let use = 0; use < 5; use++) decode(inputs[0])
    assert.strictEqual(compilations(), 0)
    for (let use = 0; use < 5; use++) decode(inputs[0])
    const once = compilations()
    assert.isAbove(once, 0)
    for (let use = 0; use < 50; use++) decode(inputs[0])
    assert.strictEqual(compilations(), once)
  })
})
