/**
 * Runs of real CLIs, each in a host process of its own, beside what the model has counted: new, resumed and forked by
 * another process, with a retry, with a sub-agent, failed in the middle and timed out in the middle.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import type { CliId } from "../../src/cli/clis.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import { addUsage, usageOf } from "../../src/contract/addUsage.ts"
import type { AgentRunResult } from "../../src/promise.ts"
import { makeSandbox } from "../../src/testing/sandbox/sandbox.ts"
import { startGuardedHost } from "../kit/guardedHost.ts"
import { summarize } from "./rig/agent.ts"
import { countingModel } from "./rig/counted.ts"
import { pathOf } from "./rig/environment.ts"
import { commandFor } from "./rig/layered.ts"

const state = mkdtempSync(join(tmpdir(), "state-"))
afterAll(() => rmSync(state, { recursive: true, force: true }))

const open = async (cli: CliId) => {
  const stack = new AsyncDisposableStack()
  const api = stack.use(await countingModel(cli))
  const program = commandFor(cli)
  const sandbox = stack.use(await makeSandbox(cli, api, { path: pathOf([program]), retries: 5 }))
  const run = async (prompt: string, more: Partial<AgentExecuteParams> = {}) => {
    const { ended, events } = startGuardedHost({
      id: cli,
      options: { command: program, env: sandbox.env },
      params: { prompt, workingDirectory: sandbox.work, env: { IS_SANDBOX: "1" }, permissionMode: "bypass", ...more },
      state
    })
    await ended
    return { result: summarize(events).result, counted: api.take() }
  }
  return { run, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** The counts of a result, with 0 for those that the CLI has no word for. */
const full = ({ usage }: Pick<AgentRunResult, "usage">) =>
  addUsage({ inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }, usage)

/** The parts by model make the whole. */
const expectParts = ({ usage, modelUsage }: AgentRunResult) => {
  if (modelUsage === undefined) return
  const parts = Object.values(modelUsage).map((counts) => usageOf(counts))
  expect(parts.reduce((sum, part) => addUsage(sum, part), undefined)).toEqual(usage)
}

const subAgents: { readonly [Id in CliId]: Partial<AgentExecuteParams> } = {
  claude: {},
  gemini: {},
  // Its newer models begin them by a tool of another form.
  codex: { model: "of-an-older-kind" },
  opencode: {},
  pi: {}
}

describe.each(["claude", "gemini", "codex", "opencode", "pi"] as const)("%s", (cli) => {
  it("reports what the model has counted", { timeout: 300_000 }, async () => {
    await using real = await open(cli)
    const expectRight = async (name: string, prompt: string, more: Partial<AgentExecuteParams> = {}) => {
      const { result, counted } = await real.run(prompt, more)
      expect.soft({ name, usage: full(result) }).toEqual({ name, usage: counted.sum(["main", "agent"]) })
      expectParts(result)
      return result
    }
    const first = await expectRight("new", "one DO-TOOL")
    const resume = first.sessionId === undefined ? {} : { sessionId: first.sessionId }
    await expectRight("resumed by another process", "two DO-TOOL", resume)
    if (cli !== "gemini") await expectRight("forked by another", "three DO-SAY", { ...resume, forkSession: true })
    await expectRight("retry", "four DO-RETRY", resume)
    await expectRight("sub-agent", "five DO-SUB", subAgents[cli])
    await expectRight("sub-agent of a resumed session", "six DO-SUB", { ...resume, ...subAgents[cli] })
    const failed = await expectRight("failed in the middle", "seven DO-FAIL", resume)
    expect(failed.outcome).toBe("failed")
    const timeouts = { total: cli === "opencode" || cli === "pi" ? "12 seconds" : "6 seconds" } as const
    const cut = await expectRight("timed out in the middle", "eight DO-HANG", { ...resume, timeouts })
    expect(cut.outcome).toBe("timed_out")
    await expectRight("after it", "nine DO-SAY", resume)
  })
})
