/** How each CLI lists its models: the lines that are written, what the answers mean, and that no answer can do harm. */
import { assert, describe, it } from "vitest"
import { acp } from "../../src/cli/acp/index.ts"
import { clis } from "../../src/cli/clis.ts"
import type { ModelsQuestion, ModelsStep } from "../../src/cli/Models.ts"

const questionOf = (cli: { readonly models?: ModelsQuestion }) => cli.models ?? assert.fail("it has no question")

/** The outcome of a dialogue that is answered by these functions of what was written last. */
const talk = (question: ModelsQuestion, answers: ReadonlyArray<(output: ReadonlyArray<unknown>) => unknown>) => {
  const dialogue = question.dialogue("/work")
  let output = dialogue.open
  let step: ModelsStep = {}
  for (const answer of answers) {
    step = dialogue.line(JSON.stringify(answer(output)))
    output = step.write ?? []
  }
  return step.outcome
}

const idOf = ([, last = undefined]: ReadonlyArray<unknown>) => (last as { id: number } | undefined)?.id
const firstId = ([first]: ReadonlyArray<unknown>) => (first as { id: number }).id

describe("claude", () => {
  const answer = (response: unknown) => () => ({
    type: "control_response",
    response: { subtype: "success", request_id: "models", response }
  })

  it("asks once, and reads the list", () => {
    const question = questionOf(clis.claude)
    assert.deepStrictEqual(question.dialogue("/work").open, [
      { type: "control_request", request_id: "models", request: { subtype: "initialize" } }
    ])
    const models = [
      { value: "default", displayName: "Default", description: "Opus", supportedEffortLevels: ["low", "max"] },
      { value: "haiku", displayName: "Haiku" },
      { displayName: "without an id" },
      null
    ]
    assert.deepStrictEqual(talk(question, [() => ({ type: "system" }), answer({ models })]), {
      type: "listed",
      models: [
        { id: "default", name: "Default", description: "Opus", efforts: ["low", "max"], isDefault: true },
        { id: "haiku", name: "Haiku" }
      ]
    })
    assert.deepStrictEqual(talk(question, [answer({})]), { type: "unlisted" })
  })

  it("a refusal is a failure with its words", () => {
    const response = { subtype: "error", request_id: "models", error: "no such request" }
    const outcome = talk(questionOf(clis.claude), [() => ({ type: "control_response", response })])
    assert.deepInclude(outcome, { _tag: "AgentFailed", detail: "no such request" })
  })
})

describe("codex", () => {
  const entry = (model: string) => ({
    model,
    displayName: model.toUpperCase(),
    supportedReasoningEfforts: [{ reasoningEffort: "low" }],
    isDefault: model === "a"
  })
  const listed = (model: string) => ({ id: model, name: model.toUpperCase(), efforts: ["low"] })

  it("reads all pages, and no more than twenty", () => {
    const question = questionOf(clis.codex)
    const outcome = talk(question, [
      (output) => ({ id: firstId(output), result: {} }),
      (output) => ({ id: idOf(output), result: { data: [entry("a")], nextCursor: "2" } }),
      (output) => ({ id: firstId(output), result: { data: [entry("b")], nextCursor: null } })
    ])
    assert.deepStrictEqual(outcome, { type: "listed", models: [{ ...listed("a"), isDefault: true }, listed("b")] })
    const endless = talk(question, [
      (output) => ({ id: firstId(output), result: {} }),
      (output) => ({ id: idOf(output), result: { data: [], nextCursor: "x" } }),
      ...Array.from({ length: 19 }, () => (output: ReadonlyArray<unknown>) => ({
        id: firstId(output),
        result: { data: [entry("b")], nextCursor: "x" }
      }))
    ])
    assert.isDefined(endless)
  })

  it("a refusal is a failure with its words", () => {
    const outcome = talk(questionOf(clis.codex), [
      (output) => ({ id: firstId(output), error: { code: -32601, message: "unknown method" } })
    ])
    assert.deepInclude(outcome, { _tag: "AgentFailed", detail: "unknown method" })
  })
})

describe.each([
  ["gemini", clis.gemini],
  ["an ACP agent", acp("acp", "agent")]
])("%s", (_, cli) => {
  const begun = (result: unknown) =>
    talk(questionOf(cli), [
      (output) => ({ jsonrpc: "2.0", id: firstId(output), result: { protocolVersion: 1 } }),
      (output) => {
        assert.deepInclude(output[0], { method: "session/new", params: { cwd: "/work", mcpServers: [] } })
        return { jsonrpc: "2.0", id: firstId(output), result }
      }
    ])

  it("lists the models of a new session", () => {
    const availableModels = [{ modelId: "auto", name: "Auto" }, { modelId: "pro" }]
    assert.deepStrictEqual(begun({ sessionId: "s", models: { availableModels, currentModelId: "pro" } }), {
      type: "listed",
      models: [
        { id: "auto", name: "Auto" },
        { id: "pro", isDefault: true }
      ]
    })
  })

  it("or of the choice of them, also in groups", () => {
    const options = [
      { group: "g", options: [{ value: "a", name: "A" }] },
      { value: "b", name: "B" }
    ]
    const configOptions = [{ id: "m", category: "model", currentValue: "b", options }]
    assert.deepStrictEqual(begun({ sessionId: "s", configOptions }), {
      type: "listed",
      models: [
        { id: "a", name: "A" },
        { id: "b", name: "B", isDefault: true }
      ]
    })
  })

  it("or has none", () => {
    assert.deepStrictEqual(begun({ sessionId: "s" }), { type: "unlisted" })
    assert.deepStrictEqual(begun(null), { type: "unlisted" })
  })

  it("one that is not signed in says so", () => {
    const outcome = talk(questionOf(cli), [
      (output) => ({ id: firstId(output), error: { code: -32000, message: "Authentication required" } })
    ])
    assert.deepInclude(outcome, { _tag: "AgentFailed", category: "auth" })
  })
})

describe("opencode", () => {
  const listed = (text: string) => {
    const dialogue = questionOf(clis.opencode).dialogue("/work")
    for (const line of text.split("\n")) assert.deepStrictEqual(dialogue.line(line), {})
    return dialogue.end?.()
  }

  it("lists names, and what it knows of each", () => {
    const facts = JSON.stringify({ name: "Big", model: "other", variants: { low: {}, high: {} } }, null, 2)
    assert.deepStrictEqual(listed(`opencode/big\n${facts}\nfake/m1\n{ broken\nopenrouter/a/b\n`), {
      type: "listed",
      models: [
        { id: "opencode/big", name: "Big", efforts: ["low", "high"] },
        { id: "fake/m1" },
        { id: "openrouter/a/b" }
      ]
    })
    assert.deepStrictEqual(listed("no models here\n"), { type: "unlisted" })
  })
})

describe("pi", () => {
  const open = [{ id: "models", type: "get_available_models" }]
  const answer = (fields: object) => ({ id: "models", type: "response", command: "get_available_models", ...fields })

  it("lists models with their provider, and the efforts of those that think", () => {
    const dialogue = questionOf(clis.pi).dialogue("/work")
    assert.deepStrictEqual(dialogue.open, open)
    assert.deepStrictEqual(dialogue.line('{"type":"extension_ui_request","id":"1"}'), {})
    assert.deepStrictEqual(dialogue.line('{"id":"other","type":"response","success":true}'), {})
    const models = [
      { provider: "anthropic", id: "claude-sonnet-4-5", name: "Claude Sonnet 4.5", reasoning: true, contextWindow: 1 },
      {
        provider: "anthropic",
        id: "claude-opus-5",
        reasoning: true,
        thinkingLevelMap: { off: null, xhigh: "xhigh", max: "max", odd: "x" }
      },
      { provider: "openai", id: "gpt-4o", reasoning: false },
      { id: "of no provider" },
      7
    ]
    const { outcome } = dialogue.line(JSON.stringify(answer({ success: true, data: { models } })))
    assert.deepStrictEqual(outcome, {
      type: "listed",
      models: [
        {
          id: "anthropic/claude-sonnet-4-5",
          name: "Claude Sonnet 4.5",
          efforts: ["off", "minimal", "low", "medium", "high"]
        },
        { id: "anthropic/claude-opus-5", efforts: ["minimal", "low", "medium", "high", "xhigh", "max"] },
        { id: "openai/gpt-4o" }
      ]
    })
  })

  it("that refuses says so", () => {
    const { line } = questionOf(clis.pi).dialogue("/work")
    const { outcome } = line(JSON.stringify(answer({ success: false, error: "no models" })))
    assert.deepInclude(outcome, { _tag: "AgentFailed", code: "models_refused", detail: "no models" })
  })
})

it("long lists and texts are cut, and foreign lines do nothing", () => {
  const models = Array.from({ length: 5_000 }, (_, index) => ({ value: `m${index}`, displayName: "x".repeat(5_000) }))
  const response = { subtype: "success", request_id: "models", response: { models } }
  const outcome = talk(questionOf(clis.claude), [() => ({ type: "control_response", response })])
  if (outcome === undefined || !("type" in outcome) || outcome.type === "unlisted") return assert.fail("no list")
  assert.lengthOf(outcome.models, 2_000)
  assert.lengthOf(outcome.models[0]?.name ?? "", 1_000)
  for (const { models: question } of [...Object.values(clis), acp("acp", "agent")]) {
    const dialogue = question?.dialogue("/work")
    for (const line of ["", "{", "null", "[]", '"x"', '{"id":99,"result":1}', '{"type":"control_response"}']) {
      assert.isUndefined(dialogue?.line(line).outcome)
    }
  }
})
