/** Runs whose answer has a schema, on fakes of all five CLIs: a wrong answer is asked for again, in the same run. */
import { assert, describe, it } from "vitest"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import { AgentError, type CreateAgentOptions, createAgent } from "../../../src/promise.ts"
import { FakeCli, Step } from "../../../src/testing.ts"
import { isAlive } from "../../kit/processes.ts"

const ids = ["claude", "codex", "gemini", "opencode", "pi"] as const
type Id = (typeof ids)[number]

const outputSchema = {
  type: "object",
  properties: { files: { type: "integer" } },
  required: ["files"],
  additionalProperties: false
}

const isJsonText = (text: string) => text.startsWith("{")

/** A process of the CLI that answers with this text; Claude Code reports JSON as `structured_output` itself. */
const says = (id: Id, text: string, ...before: ReadonlyArray<Step>) => saysOnce(id, text, 1, before)

/** Codex prints the sums of the whole session. */
const saysOnce = (id: Id, text: string, turn: number, before: ReadonlyArray<Step>) => {
  const factor = id === "codex" ? turn : 1
  const fields = id === "claude" && isJsonText(text) ? { structured_output: JSON.parse(text) } : {}
  const end = Step.result({ usage: { inputTokens: 10 * factor, outputTokens: 5 * factor }, fields })
  return FakeCli[id]([...before, Step.text(text), end])
}

const right = '{"files":3}'
const wrong = '{"files":"three"}'

interface Told {
  readonly events: ReadonlyArray<AgentEvent>
  readonly calls: ReadonlyArray<{
    readonly arguments: ReadonlyArray<string>
    readonly stdin: string | undefined
    readonly pid: number
  }>
}

const tell = async (
  id: Id,
  fakes: readonly [FakeCli, ...ReadonlyArray<FakeCli>],
  params: Partial<AgentExecuteParams> = {},
  {
    options = {},
    onEvent = () => {}
  }: { readonly options?: CreateAgentOptions; readonly onEvent?: (event: AgentEvent) => void } = {}
): Promise<Told> => {
  await using cli = await FakeCli.install(FakeCli.inTurn(...fakes))
  await using agent = createAgent(id, { command: cli.command, killGrace: "300 millis", ...options })
  const events: Array<AgentEvent> = []
  for await (const event of agent.execute({ prompt: "How many files?", outputSchema, ...params })) {
    events.push(event)
    onEvent(event)
  }
  return { events, calls: cli.calls() }
}

const resultOf = ({ events }: Told) => {
  const done = events.filter((event) => event.type === "done")
  assert.lengthOf(done, 1)
  const last = events.at(-1)
  return last?.type === "done" ? last.result : assert.fail("done is not the last")
}

const noticesOf = ({ events }: Told) => events.flatMap((event) => (event.type === "notice" ? [event.kind] : []))

describe.each(ids)("%s", (id) => {
  it("gives an answer that matches, at once", async () => {
    const reported = await tell(id, [says(id, right)])
    assert.deepInclude(resultOf(reported), { outcome: "completed", structuredOutput: { files: 3 }, text: right })
    assert.lengthOf(reported.calls, 1)
    assert.strictEqual(
      reported.calls[0]?.stdin?.includes('"integer"'),
      id === "gemini" || id === "opencode" || id === "pi"
    )
  })

  it.each([
    ["another shape", wrong],
    ["prose", "There are three files."]
  ])("is asked again after %s: one run, one end, everything summed", async (_, first) => {
    const reported = await tell(id, [says(id, first), saysOnce(id, right, 2, [])])
    const result = resultOf(reported)
    assert.deepInclude(result, { outcome: "completed", structuredOutput: { files: 3 }, text: right })
    // Codex prints the sum of the thread: what a resumed run took stands in the rollout, which a fake has not.
    const processes = id === "codex" ? 1 : 2
    assert.deepInclude(result.usage, { inputTokens: 10 * processes, outputTokens: 5 * processes })
    if (id === "claude" || id === "opencode" || id === "pi") assert.closeTo(result.totalCostUsd ?? 0, 0.002, 1e-9)
    assert.lengthOf(
      reported.events.filter(({ type }) => type === "session"),
      1
    )
    assert.deepStrictEqual(noticesOf(reported), ["text_voided", "retry"])
    const [, again] = reported.calls
    assert.include(JSON.stringify(again?.arguments), String(result.sessionId))
    assert.include(again?.stdin ?? "", "does not match the JSON Schema")
    assert.lengthOf(reported.calls, 2)
  })

  it("fails with what is wrong, and where, when no answer matches", async () => {
    const reported = await tell(id, [says(id, wrong)])
    const result = resultOf(reported)
    assert.deepInclude(result, { outcome: "failed", reason: "schema_not_met", text: wrong })
    assert.notProperty(result, "structuredOutput")
    assert.lengthOf(reported.calls, 2)
    assert.deepInclude(reported.events.at(-2), {
      type: "error",
      message: "The answer does not match outputSchema: /files: Expected number"
    })
  })

  it.each([
    [0, 1],
    [3, 4]
  ])("is asked again up to %s times", async (retries, starts) => {
    const reported = await tell(id, [says(id, wrong)], { retries })
    assert.strictEqual(resultOf(reported).reason, "schema_not_met")
    assert.lengthOf(reported.calls, starts)
  })

  it("ends with the failure of the further process", async () => {
    const reported = await tell(id, [
      says(id, wrong),
      FakeCli[id]([Step.error({ kind: "rate_limit", message: "slow down" })])
    ])
    assert.deepInclude(resultOf(reported), { outcome: "failed", reason: "agent_failed" })
    assert.deepInclude(reported.events.at(-2), { type: "error", category: "rate_limit" })
  })
})

describe.each(["gemini", "opencode", "pi"] as const)("%s, which is asked in the prompt,", (id) => {
  it("finds the value in a block, after what it says between its tools", async () => {
    const tool = Step.tool({ name: id === "gemini" ? "read_file" : "read", input: { path: "x" }, output: "ok" })
    const reported = await tell(id, [
      says(id, `Here it is:\n\n\`\`\`json\n${right}\n\`\`\`\n`, Step.text("I look. "), tool)
    ])
    assert.deepInclude(resultOf(reported), { outcome: "completed", structuredOutput: { files: 3 } })
  })
})

/** One whose result is a line, and one whose result is its exit. */
describe.each(["claude", "codex"] as const)("%s", (id) => {
  it("keeps no session with `ephemeral`, and is not asked again", async () => {
    const reported = await tell(id, [says(id, wrong)], { ephemeral: true, retries: 3 })
    assert.strictEqual(resultOf(reported).reason, "schema_not_met")
    assert.lengthOf(reported.calls, 1)
    assert.include(reported.calls[0]?.arguments.join(" "), id === "claude" ? "--no-session-persistence" : "--ephemeral")
  })

  it("aborted before it is asked again, ends as aborted with what it had cost", async () => {
    const controller = new AbortController()
    const reported = await tell(
      id,
      [says(id, wrong), FakeCli[id]([Step.hang({ deaf: true })])],
      { abortSignal: controller.signal },
      { onEvent: (event) => (event.type === "notice" && event.kind === "retry" ? controller.abort() : undefined) }
    )
    const result = resultOf(reported)
    assert.deepInclude(result, { outcome: "aborted", reason: "aborted" })
    assert.deepInclude(result.usage, { inputTokens: 10, outputTokens: 5 })
    assert.isDefined(result.sessionId)
    for (const { pid } of reported.calls) assert.isFalse(isAlive(pid))
  })

  it("has one time limit for all that it is asked", async () => {
    const reported = await tell(id, [says(id, wrong), FakeCli[id]([Step.hang()])], {
      timeouts: { total: "2500 millis" }
    })
    const result = resultOf(reported)
    assert.deepInclude(result, { outcome: "timed_out" })
    assert.deepInclude(result.usage, { inputTokens: 10, outputTokens: 5 })
    assert.lengthOf(reported.calls, 2)
    for (const { pid } of reported.calls) assert.isFalse(isAlive(pid))
  })
})

it("nothing of either process is left: what the first began is gone before the second is asked", async () => {
  const tool = Step.process({ ownSession: true, deaf: true })
  const first = FakeCli.codex([tool, Step.text(wrong)])
  const second = FakeCli.codex([tool, Step.text(right)])
  await using cli = await FakeCli.install(FakeCli.inTurn(first, second))
  await using agent = createAgent("codex", { command: cli.command, killGrace: "300 millis" })
  const known: Array<readonly [number, ReadonlyArray<boolean>]> = []
  const processes = () => cli.calls().flatMap(({ processes }) => processes.map(isAlive))
  for await (const event of agent.execute({ prompt: "How many files?", outputSchema })) {
    if (event.type === "text") known.push([cli.calls().length, processes()])
  }
  assert.deepStrictEqual(known.at(-1), [2, [false, true]])
  assert.deepStrictEqual(processes(), [false, false])
})

it("a further process that never speaks is ended by its own time to start", async () => {
  const silent = FakeCli.claude([Step.hang()])
  const reported = await tell("claude", [says("claude", wrong), silent], { timeouts: { startup: "3 seconds" } })
  assert.strictEqual(resultOf(reported).outcome, "timed_out")
  assert.deepInclude(reported.events.at(-2), { type: "error", code: "timeout_startup" })
})

it("starts no further process when the run was aborted while its answer was checked", async () => {
  const controller = new AbortController()
  const validate = () => {
    controller.abort()
    return { issues: [{ message: "wrong" }] }
  }
  const schema = { "~standard": { version: 1, vendor: "ours", validate, jsonSchema: { input: () => ({}) } } } as const
  const fakes = [says("codex", wrong), says("codex", right)] as const
  const reported = await tell("codex", fakes, { outputSchema: schema, abortSignal: controller.signal })
  assert.deepInclude(resultOf(reported), { outcome: "aborted" })
  assert.lengthOf(reported.calls, 1)
})

it("gates and observers see one run", async () => {
  const known: Array<string> = []
  const gate = {
    name: "count",
    admit: () => {
      known.push("admitted")
      return { starting: () => void known.push("starting"), release: () => void known.push("released") }
    }
  }
  const observer = { name: "count", begin: () => ({ end: () => void known.push("ended") }) }
  await tell(
    "codex",
    [says("codex", wrong), says("codex", right)],
    {},
    { options: { gates: [gate], observers: [observer] } }
  )
  assert.deepStrictEqual(known.toSorted(), ["admitted", "ended", "released", "starting"])
})

it("a further process has what is left of the budget", async () => {
  const reported = await tell("claude", [says("claude", wrong), says("claude", right)], { maxBudgetUsd: 0.0015 })
  const budgets = reported.calls.map(({ arguments: input }) => input.find((text) => text.includes("budget")))
  assert.deepStrictEqual(budgets, ["--max-budget-usd=0.0015", "--max-budget-usd=0.0005"])
  const spent = await tell("claude", [says("claude", wrong), says("claude", right)], { maxBudgetUsd: 0.001 })
  assert.strictEqual(resultOf(spent).reason, "schema_not_met")
  assert.lengthOf(spent.calls, 1)
})

it("a forked session is asked again in the fork", async () => {
  const sessionId = "11111111-2222-4333-8444-555555555555"
  const reported = await tell("claude", [says("claude", wrong), says("claude", right)], {
    sessionId,
    forkSession: true
  })
  const { outcome, sessionId: forked } = resultOf(reported)
  assert.strictEqual(outcome, "completed")
  const again = reported.calls[1]?.arguments ?? []
  assert.include(again, `--resume=${forked}`)
  assert.notInclude(again, "--fork-session")
})

it("no secret of the run is in a notice, an error or the next prompt, when an answer has it for a name", async () => {
  const secret = "s3cret-of-the-run"
  const telling = JSON.stringify({ [secret]: 1 })
  const env = { MY_TOKEN: secret }
  const reported = await tell("codex", [says("codex", telling)], { env })
  assert.strictEqual(resultOf(reported).reason, "schema_not_met")
  const visible = reported.events.filter(({ type }) => type === "notice" || type === "error")
  assert.include(JSON.stringify(visible), "<redacted>")
  assert.notInclude(JSON.stringify(visible), secret)
  assert.notInclude(reported.calls[1]?.stdin ?? "", secret)
})

it("the reason has the problems, bounded in number and length", async () => {
  await using cli = await FakeCli.install(
    says(
      "codex",
      JSON.stringify(Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`${"x".repeat(1_000)}${n}`, n])))
    )
  )
  await using agent = createAgent("codex", { command: cli.command })
  const error: unknown = await agent.run({ prompt: "go", outputSchema, retries: 0 }).catch((error: unknown) => error)
  assert.instanceOf(error, AgentError)
  const reason = error instanceof AgentError ? error.reason : undefined
  if (reason?._tag !== "SchemaNotMet") return assert.fail("another reason")
  assert.lengthOf(reason.errors, 16)
  assert.isBelow(JSON.stringify(reason).length, 10_000)
})
