/** When a CLI's own files are asked for usage, and which of two sums counts. */
import { assert, describe, it } from "vitest"
import { mayLack, withFound } from "../../../src/agents/engine/unreportedUsage.ts"
import type { ReportedUsage } from "../../../src/cli/Cli.ts"
import type { RunReport } from "../../../src/cli/Decoder.ts"
import type { FoundSum } from "../../../src/cli/stored/sumOfUsage.ts"

const usage = { inputTokens: 100, outputTokens: 10 }
const spent = { sessionId: "s", since: 0, until: 1, usage, hadSubAgent: false }

describe("lines may lack usage", () => {
  const table: ReadonlyArray<readonly [ReportedUsage, object, boolean]> = [
    ["all", {}, false],
    ["all", { hadSubAgent: true }, false],
    ["all", { usage: undefined }, true],
    ["main", {}, false],
    ["main", { hadSubAgent: true }, true],
    ["main", { isPartial: true }, true],
    ["part", {}, true]
  ]
  it.each(table)("that report %s, of a run with %j: %s", (reported, more, expected) => {
    assert.strictEqual(mayLack(reported, { ...spent, ...more }), expected)
  })
})

describe("of two sums", () => {
  const found = (inputTokens: number, more: Partial<FoundSum> = {}): FoundSum => ({
    usage: { inputTokens, outputTokens: 10 },
    ...more
  })

  it("the one of the files counts, with its models and its cost", () => {
    const modelUsage = { m: { inputTokens: 120 } }
    const before: RunReport = { usage, totalCostUsd: 1 }
    const report = withFound(before, found(120, { modelUsage, totalCostUsd: 2 }))
    assert.deepStrictEqual(report, { usage: { inputTokens: 120, outputTokens: 10 }, modelUsage, totalCostUsd: 2 })
  })

  it("the reported cost stays where the files have none", () => {
    assert.deepStrictEqual(withFound({ usage, totalCostUsd: 1 }, found(120)).totalCostUsd, 1)
  })

  it("the reported one counts where the files have less: they are behind", () => {
    assert.deepStrictEqual(withFound({ usage }, found(99)), { usage })
    assert.deepStrictEqual(withFound({ usage }, { ...found(200), usage: { inputTokens: 200, outputTokens: 9 } }), {
      usage
    })
  })

  it("cached input is input: a sum that tells the two apart is not less", () => {
    const apart = { inputTokens: 80, outputTokens: 10, cacheReadTokens: 20 }
    assert.deepStrictEqual(withFound({ usage }, { usage: apart }), { usage: apart })
  })

  it("without files, the report stays as it is", () => {
    assert.deepStrictEqual(withFound({ usage }, undefined), { usage })
  })
})
