/** The facts, the plan and the decoder of every CLI value. A CLI is tested by being in the list. */
import { Duration, Result } from "effect"
import { assert, describe, it } from "vitest"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import { fixturesOf, runFixture } from "../cli/fixtures.ts"
import { everyCli } from "../kit/clis.ts"
import { translate } from "../kit/translate.ts"

/** One value for each option a CLI may have. */
const options: Omit<
  Required<AgentExecuteParams>,
  | "prompt"
  | "attachments"
  | "abortSignal"
  | "workingDirectory"
  | "env"
  | "timeouts"
  | "record"
  | "retries"
  | "whenBusy"
  | "account"
> = {
  sessionId: "11111111-2222-4333-8444-555555555555",
  forkSession: true,
  newSessionId: "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
  ephemeral: true,
  mcpServers: { tiny: { command: "tiny" } },
  strictMcpServers: true,
  additionalDirectories: ["/more"],
  trustWorkspace: false,
  settingSources: ["user"],
  model: "provider/some-model",
  fallbackModel: "other-model",
  effort: "high",
  systemPrompt: "Be brief.",
  appendSystemPrompt: "Be kind.",
  permissionMode: "plan",
  allowedTools: ["Read"],
  disallowedTools: ["Write"],
  maxTurns: 3,
  maxBudgetUsd: 1,
  outputSchema: { type: "object" },
  slashCommands: true,
  extraArgs: ["--some-flag"]
}

const { newSessionId, ephemeral, trustWorkspace, ...inOldSession } = options
const { sessionId, forkSession, mcpServers, maxTurns, ...inNewSession } = options

/** All options, in two parts: an old session cannot be a new one, and some settings need a trusted directory. */
const together = [inOldSession, inNewSession]

const context = { env: {}, workingDirectory: "/project", privateDirectory: "/private" }

/** Other options that an option needs. */
const companions: Partial<Record<keyof typeof options, Partial<AgentExecuteParams>>> = {
  forkSession: { sessionId: "11111111-2222-4333-8444-555555555555" }
}

describe.each(Object.entries(everyCli))("%s", (name, cli) => {
  const prompt = "/hello"
  const plan = (params: Partial<AgentExecuteParams>) => Result.getOrThrow(cli.plan({ prompt, ...params }, {}, context))

  it("has an id and the facts to find its program", () => {
    assert.strictEqual(cli.id, name)
    assert.match(cli.testedVersion, /^\d+\.\d+\.\d+$/)
    for (const text of [cli.command, cli.install, cli.signIn]) assert.isAbove(text.length, 0)
    assert.isAtLeast(Duration.toMillis(cli.idle), 300_000)
    assert.isAbove(cli.apiKeys.length, 0)
  })

  it.each(Object.keys(options) as ReadonlyArray<keyof typeof options>)(
    "does something with %s, or lacks it",
    (option) => {
      const without = companions[option] ?? {}
      const changed = JSON.stringify(plan({ ...without, [option]: options[option] }))
      const isChanged = changed !== JSON.stringify(plan(without))
      assert.strictEqual(isChanged, cli.supports.has(option))
    }
  )

  it.each(together)("plans the same for the same params, and does not change them: %#", (allOptions) => {
    const supported = Object.entries(allOptions).filter(([option]) => (cli.supports as ReadonlySet<string>).has(option))
    const params: AgentExecuteParams = { prompt, ...Object.fromEntries(supported) }
    const before = JSON.stringify(params)
    const planned = cli.plan(params, {}, context)
    assert.isTrue(Result.isSuccess(planned), JSON.stringify(planned))
    assert.deepStrictEqual(cli.plan(params, {}, context), planned)
    assert.strictEqual(JSON.stringify(params), before)
  })

  it("runs of one value share nothing", () => {
    const [first, second] = fixturesOf(cli)
    if (first === undefined || second === undefined) return assert.fail("two recordings are needed")
    const alone = runFixture(cli, first)
    const lines = new TextDecoder().decode(second.bytes).split("\n").filter(Boolean)
    const [busy, idle] = [cli.decoder({ prompt }), cli.decoder({ prompt })]
    for (const line of lines) translate(busy, JSON.parse(line))
    assert.deepStrictEqual(idle.report(), cli.decoder({ prompt }).report())
    assert.deepStrictEqual(runFixture(cli, first), alone)
  })

  it("reports nothing before the first line", () => {
    const decoder = cli.decoder({ prompt })
    assert.strictEqual(decoder.standing(), "working")
    assert.isUndefined(decoder.verdict(undefined))
    assert.isUndefined(decoder.report().sessionId)
  })

  it.each(
    [{}, [], null, 7, "text", { type: null }, { type: "" }, { type: "brand_new", deep: [1] }].map((json) => [json])
  )("keeps unknown lines in full: %j", (json) => {
    const decoder = cli.decoder({ prompt })
    assert.deepStrictEqual(translate(decoder, json), [{ type: "unknown", raw: json }])
    assert.strictEqual(decoder.standing(), "working")
  })
})
