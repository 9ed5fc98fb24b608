/** A count that a CLI does not report is absent from the result, never 0; a reported 0 is 0. */
import { assert, describe, it } from "vitest"
import { reportOf } from "../../src/cli/acp/live/outcomes.ts"
import type { Cli } from "../../src/cli/Cli.ts"
import { claude } from "../../src/cli/claude/index.ts"
import { codex } from "../../src/cli/codex/index.ts"
import { addTokens } from "../../src/cli/codex/live/turn.ts"
import { gemini } from "../../src/cli/gemini/index.ts"
import { opencode } from "../../src/cli/opencode/index.ts"
import { pi } from "../../src/cli/pi/index.ts"
import { runLines } from "./transcript.ts"

type Counts = Readonly<Record<string, number>>

interface Way {
  readonly name: string
  readonly cli: () => Cli
  /** The words of the CLI for the counts of input and output. */
  readonly input: string
  readonly output: string
  readonly end: (counts: Counts) => ReadonlyArray<unknown>
}

const init = { type: "system", subtype: "init", session_id: "s" }
const claudeEnd = (facts: object) => [init, { type: "result", subtype: "success", is_error: false, ...facts }]
const camel = { input: "inputTokens", output: "outputTokens" }
const snake = { input: "input_tokens", output: "output_tokens" }

const ways: ReadonlyArray<Way> = [
  { name: "claude, of the turn", cli: () => claude, ...snake, end: (usage) => claudeEnd({ usage }) },
  {
    name: "claude, by model",
    cli: () => claude,
    ...camel,
    end: (counts) => claudeEnd({ model_usage_since_last_result: { m: counts } })
  },
  {
    name: "codex",
    cli: () => codex,
    ...snake,
    end: (usage) => [
      { type: "thread.started", thread_id: "t" },
      { type: "turn.completed", usage }
    ]
  },
  {
    name: "gemini",
    cli: () => gemini,
    ...snake,
    end: (stats) => [
      { type: "init", session_id: "s" },
      { type: "result", status: "success", stats }
    ]
  },
  {
    name: "opencode",
    cli: () => opencode,
    input: "input",
    output: "output",
    end: (tokens) => [{ type: "step_finish", sessionID: "s", part: { reason: "stop", tokens } }]
  }
]

describe.each(ways.map((way) => [way.name, way] as const))("%s", (_, { cli, input, output, end }) => {
  const usage = (counts: Counts) => runLines(cli(), end(counts)).result.usage

  it("has the output alone", () => assert.deepStrictEqual(usage({ [output]: 5 }), { outputTokens: 5 }))
  it("has the input alone", () => assert.deepStrictEqual(usage({ [input]: 7 }), { inputTokens: 7 }))
  it("has a zero as zero", () =>
    assert.deepStrictEqual(usage({ [input]: 0, [output]: 0 }), { inputTokens: 0, outputTokens: 0 }))
  it("is absent without counts", () => assert.isUndefined(usage({})))
})

/** It prints all counts always: four zeros are those of a provider that told none, or of an attempt that was cut. */
describe("pi", () => {
  const usage = (counts: Counts) =>
    runLines(pi, [{ type: "message_end", message: { role: "assistant", stopReason: "stop", usage: counts } }]).result
      .usage

  it("has the output alone", () => assert.deepStrictEqual(usage({ output: 5 }), { outputTokens: 5 }))
  it("has a zero beside another count", () =>
    assert.deepStrictEqual(usage({ input: 7, output: 0 }), { inputTokens: 7, outputTokens: 0 }))
  it("is absent without counts, and with zeros alone", () => {
    assert.isUndefined(usage({}))
    assert.isUndefined(usage({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }))
  })
})

describe("a live turn", () => {
  it("of Codex has the output alone", () => {
    assert.deepStrictEqual(addTokens(addTokens(undefined, { outputTokens: 2 }), { outputTokens: 3 }), {
      outputTokens: 5
    })
    assert.isUndefined(addTokens(undefined, {}))
  })

  it("by the protocol has the output alone", () => {
    const { usage } = reportOf(
      { usage: { outputTokens: 5 } },
      { toolCount: 0, costBefore: undefined, costAfter: undefined, usageBefore: undefined }
    )
    assert.deepStrictEqual(usage, { outputTokens: 5 })
  })
})
