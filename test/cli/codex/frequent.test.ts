/** Frequent lines, which are checked together with their item, mean what the same line means when its item is decoded. */
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { step } from "../../../src/cli/codex/events.ts"
import { codex } from "../../../src/cli/codex/index.ts"
import { start } from "../../../src/cli/codex/run/state.ts"
import { decodeItem, decodeWire, type Stage, type Wire } from "../../../src/cli/codex/wire.ts"
import { fixturesOf } from "../fixtures.ts"
import { wireLines } from "../recordings.ts"
import { command, ended, type Json, message, reasoning, started } from "./wireLines.ts"

interface ItemJson {
  readonly type: Stage
  readonly item: Json
}

const eventsOf = (wire: Wire, raw: unknown) => step(start({ prompt: "hello" }), wire, raw)[1]

const assertSame = (line: ItemJson) => {
  const decoded = { type: line.type, item: Result.getOrUndefined(decodeItem(line.item)) }
  assert.deepStrictEqual(eventsOf(Result.getOrThrow(decodeWire(line)), line), eventsOf(decoded, line))
}

const absent = Symbol("absent")
const strange = [absent, null, "x", "", 7, Number.POSITIVE_INFINITY, true, [], [null], {}, { type: "reasoning" }]

/** The line with each field of its item replaced by each strange value. */
const changed = ({ type, item }: ItemJson): ReadonlyArray<ItemJson> =>
  [...Object.keys(item), "zz_new"].flatMap((name) =>
    strange.map((value) => {
      const { [name]: _, ...others } = item
      return { type, item: value === absent ? others : { ...others, [name]: value } }
    })
  )

const search = { id: "item_s", type: "web_search", query: "a pipe", action: { type: "search", query: "a pipe" } }
const frequent = [
  message("hi"),
  reasoning("hm"),
  started(command("item_c")),
  ended(command("item_c", { aggregated_output: "hi\n", exit_code: 1, status: "failed" })),
  ended(command("item_d", { status: "declined" })),
  started(search),
  ended(search)
] as unknown as ReadonlyArray<ItemJson> // made by hand above

const recorded = new Map(
  fixturesOf(codex)
    .flatMap((fixture) => wireLines<ItemJson>(fixture))
    .filter(({ item }) => typeof item === "object")
    .map((line) => [`${line.type} ${String(line.item["type"])} ${Object.keys(line.item).join()}`, line] as const)
)

describe("a frequent line", () => {
  it("means the same as recorded, one of each form", () => {
    assert.isAbove(recorded.size, 10)
    recorded.forEach(assertSame)
  })

  it.each(frequent.map((line) => [`${line.type} ${String(line.item["type"])}`, line] as const))(
    "means the same with any field changed: %s",
    (_, line) => changed(line).forEach(assertSame)
  )

  it("means the same with any field of a recorded one changed", () => {
    for (const line of recorded.values()) changed(line).forEach(assertSame)
  })
})
