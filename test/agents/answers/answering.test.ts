/** The prompts of an agent, and the sums over the turns of one answer. */
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { againPrompt, answeringOf, askingPrompt } from "../../../src/agents/answers/answering.ts"
import { jsonInText } from "../../../src/agents/answers/jsonInText.ts"
import { sumOfReports, usageSince } from "../../../src/agents/answers/sumOfReports.ts"
import type { RunReport } from "../../../src/cli/Decoder.ts"
import { SchemaNotMet } from "../../../src/contract/AgentError.ts"

const schema = { type: "object", description: "of @user/package, see @secrets.txt" }
const success = { _tag: "Success" } as const

describe("the prompts", () => {
  it("have the schema as JSON, in which no @ names a file", () => {
    const asking = askingPrompt("Look at @this.txt", schema)
    assert.isTrue(asking.startsWith("Look at @this.txt\n"))
    assert.lengthOf(asking.split("@"), 2)
    assert.deepStrictEqual(JSON.parse(asking.split("\n").at(-1) ?? ""), schema)
  })

  it("quote no @ of an answer", () => {
    const again = againPrompt([{ path: "/@etc/passwd", message: 'Unexpected key "@x"' }], schema)
    assert.notInclude(again, "@")
    assert.isFalse(/^[/!@]/.test(again))
  })
})

describe("an answer", () => {
  const answeringBy = (by: "option" | "turn" | "prompt") => answeringOf({ outputSchema: { type: "integer" } }, by)

  it("by an option of the CLI is the value that it reports, and not its text", () => {
    const answering = answeringBy("option")
    answering?.push({ type: "text", text: "3" })
    assert.strictEqual(answering?.prompt("go"), "go")
    assert.strictEqual(answering?.judge({ verdict: success, report: {} }).verdict._tag, "Failure")
    assert.deepStrictEqual(answering?.judge({ verdict: success, report: { structuredOutput: 3 } }).report, {
      structuredOutput: 3
    })
  })

  it.each(["turn", "prompt"] as const)(
    "by the %s is the text of the main agent since its last tool, without voided text",
    (by) => {
      const answering = answeringBy(by)
      answering?.push({ type: "text", text: "I look." })
      answering?.push({ type: "tool_use", toolId: "1", toolName: "Read", input: {} })
      answering?.push({ type: "text", text: "4" })
      answering?.push({ type: "notice", kind: "text_voided", message: "", data: { characters: 1 } })
      answering?.push({ type: "text", text: "3" })
      answering?.push({ type: "tool_use", toolId: "2", toolName: "Read", input: {}, parentToolId: "1" })
      answering?.push({ type: "text", text: "5", parentToolId: "1" })
      assert.deepStrictEqual(answering?.judge({ verdict: success, report: {} }), {
        verdict: success,
        report: { structuredOutput: 3 }
      })
      assert.deepStrictEqual(answering?.met(), { output: 3 })
    }
  )

  it("of a failed turn is missing, whatever the text", () => {
    const answering = answeringBy("prompt")
    answering?.push({ type: "text", text: "3" })
    const failure = { _tag: "Failure", reason: new SchemaNotMet({ errors: [] }) } as const
    assert.deepStrictEqual(answering?.judge({ verdict: failure, report: { structuredOutput: 3 } }), {
      verdict: failure,
      report: {}
    })
  })
})

describe("the report of several turns", () => {
  const first: RunReport = {
    sessionId: "s",
    usage: { inputTokens: 1 },
    totalCostUsd: 1,
    numTurns: 1,
    errorSubtype: "old",
    modelUsage: { a: { inputTokens: 1, costUsd: 1 }, b: { outputTokens: 1 } },
    permissionDenials: [{ toolName: "Bash", toolId: "1" }]
  }

  it("is that of the only one", () => {
    assert.strictEqual(sumOfReports(undefined, first), first)
  })

  it("has sums, and the facts of the last", () => {
    const last: RunReport = {
      usage: { inputTokens: 2, outputTokens: 3 },
      totalCostUsd: 2,
      numTurns: 2,
      stopReason: "end",
      modelUsage: { a: { inputTokens: 2, costUsd: 2 } },
      structuredOutput: 3
    }
    assert.deepStrictEqual(sumOfReports(first, last), {
      sessionId: "s",
      usage: { inputTokens: 3, outputTokens: 3 },
      totalCostUsd: 3,
      numTurns: 3,
      stopReason: "end",
      modelUsage: { a: { inputTokens: 3, costUsd: 3 }, b: { outputTokens: 1 } },
      permissionDenials: [{ toolName: "Bash", toolId: "1" }],
      structuredOutput: 3
    })
  })

  it("has no cost where a part of it is unknown", () => {
    assert.notProperty(sumOfReports(first, { usage: { inputTokens: 1 } }), "totalCostUsd")
    const usage = { type: "usage", usage: { inputTokens: 1 } } as const
    assert.deepStrictEqual(usageSince(first, usage), { type: "usage", usage: { inputTokens: 2 } })
    assert.deepInclude(usageSince(first, { ...usage, totalCostUsd: 1 }), { totalCostUsd: 2 })
  })
})

it("rejects values that are too deep to search", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
  assert.isUndefined(jsonInText(deep))
  const answering = answeringOf(
    { outputSchema: { $ref: "#/$defs/a", $defs: { a: { type: "array", items: { $ref: "#/$defs/a" } } } } },
    "option"
  )
  const judged = answering?.judge({ verdict: success, report: { structuredOutput: JSON.parse(deep) } })
  assert.isTrue(judged !== undefined && Result.isResult(Result.succeed(judged)) && judged.verdict._tag === "Failure")
})
