/** Paths, edits, plans and images of strangers: absolute, and never more than an event may hold. */
import { assert, describe, it } from "@effect/vitest"
import { boundedFacts } from "../../src/cli/boundedFacts.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { PlanEvent, ToolUseEvent } from "../../src/contract/ToolEvent.ts"
import { Arbitraries } from "../../src/testingEffect.ts"

const call = (facts: Pick<ToolUseEvent, "paths" | "edits">): ToolUseEvent => ({
  type: "tool_use",
  toolName: "Edit",
  toolId: "t",
  input: {},
  ...facts
})

type Facts = Pick<ToolUseEvent, "paths" | "edits">

const factsOf = (event: AgentEvent): Facts => {
  if (event.type !== "tool_use") return assert.fail(event.type)
  const { paths, edits } = event
  return { ...(paths === undefined ? {} : { paths }), ...(edits === undefined ? {} : { edits }) }
}

const long = "x".repeat(4_097)
const many = <A>(count: number, make: (index: number) => A) => Array.from({ length: count }, (_, index) => make(index))

describe("paths", () => {
  const rows: ReadonlyArray<readonly [string, Facts, Facts]> = [
    ["are joined as text", { paths: ["a", "./b/../c", "/d/..", "~/e"] }, { paths: ["/w/a", "/w/c", "/", "/w/~/e"] }],
    ["come once", { paths: ["a", "/w/a", "./a"] }, { paths: ["/w/a"] }],
    ["that can be none are left out", { paths: ["", "a\0b", long] }, {}],
    ["are at most 1,000", { paths: many(1_001, (at) => `/${at}`) }, { paths: many(1_000, (at) => `/${at}`) }]
  ]
  it.each(rows)("%s", (_, input, expected) => {
    assert.deepStrictEqual(factsOf(boundedFacts(call(input), "/w")), expected)
  })

  it("are left out where it is unknown from where they are relative", () => {
    const edits = [{ path: "a", after: "" }]
    assert.deepStrictEqual(factsOf(boundedFacts(call({ paths: ["a", "/b"], edits }), undefined)), { paths: ["/b"] })
  })
})

describe("edits", () => {
  const edit = { path: "a", before: "b", after: "c", line: 3, everywhere: true, movedTo: "d" } as const
  it("have absolute paths, and all else as it was", () => {
    const edits = [{ ...edit, path: "/w/a", movedTo: "/w/d" }]
    assert.deepStrictEqual(factsOf(boundedFacts(call({ edits: [edit] }), "/w")), { edits })
  })

  const half = "x".repeat(512 * 1024)
  const rows: ReadonlyArray<readonly [string, ToolUseEvent["edits"], boolean]> = [
    ["of 1 MiB are there", [{ path: "a", before: half, after: half }], true],
    ["of more are not: none is cut", [{ path: "a", before: half, after: `${half}x` }], false],
    ["of 1,000 places are there", many(1_000, () => edit), true],
    ["of more are not", many(1_001, () => edit), false],
    ["of which one has no path are not", [edit, { path: "\0", after: "" }], false],
    ["of which one moves nowhere are not", [edit, { path: "a", movedTo: "" }], false]
  ]
  it.each(rows)("%s", (_, edits = [], areThere) => {
    assert.strictEqual(factsOf(boundedFacts(call({ edits }), "/w")).edits?.length ?? 0, areThere ? edits.length : 0)
    const result = boundedFacts({ type: "tool_result", toolId: "t", output: "", isError: false, edits }, "/w")
    assert.strictEqual("edits" in result, areThere)
  })
})

it("plans are cut, and say so", () => {
  const input: PlanEvent = { type: "plan", entries: many(1_001, () => ({ text: long })), text: "y".repeat(300_000) }
  const bounded = boundedFacts(input, "/w")
  if (bounded.type !== "plan") return assert.fail(bounded.type)
  assert.lengthOf(bounded.entries ?? [], 1_000)
  assert.strictEqual(bounded.entries?.[0]?.text, `${"x".repeat(4_095)}…`)
  assert.strictEqual(bounded.text, `${"y".repeat(256 * 1024 - 1)}…`)
})

it.prop("nothing else is changed, and once is enough", [Arbitraries.event], ([event]) => {
  const bounded = boundedFacts(event, "/w")
  assert.deepStrictEqual(boundedFacts(bounded, "/elsewhere"), bounded)
  const { paths: _, edits: __, ...before } = { paths: 0, edits: 0, ...event }
  const { paths: ___, edits: ____, ...after } = { paths: 0, edits: 0, ...bounded }
  if (event.type !== "permission_request" && event.type !== "plan") assert.deepStrictEqual<unknown>(after, before)
  else if (event.type === "permission_request") assert.strictEqual(bounded, event)
})
