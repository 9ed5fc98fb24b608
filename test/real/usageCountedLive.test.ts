/**
 * Turns of live sessions of real CLIs, beside what the model has counted: with a tool, with a sub-agent, failed, interrupted,
 * after that, of a session that is resumed or forked, and one whose process is ended.
 */
import { describe, expect, it } from "vitest"
import type { CliId } from "../../src/cli/clis.ts"
import { addUsage, usageOf } from "../../src/contract/addUsage.ts"
import { type AgentEvent, type AgentRunResult, createAgent, type PlainOpenParams } from "../../src/promise.ts"
import { makeSandbox } from "../../src/testing/sandbox/sandbox.ts"
import { countingModel } from "./rig/counted.ts"
import { pathOf } from "./rig/environment.ts"
import { commandFor } from "./rig/layered.ts"
import { take } from "./rig/live.ts"

const nothing = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

/** The counts of a result, with 0 for those that the CLI has no word for. */
const full = ({ usage }: Pick<AgentRunResult, "usage">) => addUsage(nothing, usage)

const open = async (cli: CliId) => {
  const stack = new AsyncDisposableStack()
  const api = stack.use(await countingModel(cli))
  const program = commandFor(cli)
  const sandbox = stack.use(await makeSandbox(cli, api, { path: pathOf([program]), retries: 5 }))
  const agent = stack.use(createAgent(cli, { command: program, env: sandbox.env }))
  const session = (more: PlainOpenParams = {}) =>
    agent.open({ workingDirectory: sandbox.work, env: { IS_SANDBOX: "1" }, permissionMode: "bypass", ...more })
  return { api, session, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** The result of a session, once it has ended. */
const endOf = async (session: { readonly events: AsyncIterable<AgentEvent> }) => {
  for await (const event of session.events) if (event.type === "done") return event.result
  return undefined
}

describe.each(["claude", "gemini", "codex", "opencode", "pi"] as const)("%s", (cli) => {
  it("reports what the model has counted", { timeout: 300_000 }, async () => {
    await using real = await open(cli)
    type Session = Awaited<ReturnType<typeof real.session>>
    let all: typeof nothing | undefined = nothing
    const expectRight = async (name: string, session: Session, prompt: string, hung?: () => unknown) => {
      if (hung !== undefined) void real.api.arrival(real.api.of("main").length + 2).then(hung)
      const { result } = await take(session, prompt)
      const counted = real.api.take().sum(["main", "agent"])
      all = { ...nothing, ...addUsage(all, counted) }
      expect.soft({ name, usage: full(result) }).toEqual({ name, usage: { ...nothing, ...counted } })
      const parts = Object.values(result.modelUsage ?? {}).map((counts) => usageOf(counts))
      if (parts.length > 0)
        expect.soft(parts.reduce((sum, part) => addUsage(sum, part), undefined)).toEqual(result.usage)
      return result
    }
    const first = await real.session(cli === "codex" ? { model: "of-an-older-kind" } : {})
    const { sessionId = "" } = await expectRight("new", first, "one DO-TOOL")
    await expectRight("sub-agent", first, "two DO-SUB")
    await expectRight("retry", first, "three DO-RETRY")
    await expectRight("failed", first, "four DO-FAIL")
    await expectRight("interrupted", first, "five DO-HANG", () => first.interrupt())
    await expectRight("after it", first, "six DO-TOOL")
    const ended = endOf(first)
    await first.close()
    expect
      .soft({ name: "the session", usage: full((await ended) ?? { usage: undefined }) })
      .toEqual({ name: "the session", usage: all })
    const resumed = await real.session({ sessionId })
    await expectRight("resumed", resumed, "seven DO-TOOL")
    await expectRight("ended", resumed, "eight DO-HANG", () => resumed[Symbol.asyncDispose]())
    if (cli === "gemini") return
    const forked = await real.session({ sessionId, forkSession: true })
    await expectRight("forked", forked, "nine DO-TOOL")
    await forked.close()
  })
})
