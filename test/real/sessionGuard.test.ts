/**
 * Two hosts that resume one session of a real CLI at once, as processes of one machine and as containers: the next turn
 * sees both turns whole, one after the other.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { type CliId, clis } from "../../src/cli/clis.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { WhenBusy } from "../../src/contract/Sessions.ts"
import { type CreateAgentOptions, createAgent } from "../../src/promise.ts"
import { chatCompletions, gemini, messages, responses } from "../../src/testing/ModelServer.ts"
import { makeSandbox } from "../../src/testing/sandbox/sandbox.ts"
import { type Answer, call, say } from "../../src/testing/servers/Answer.ts"
import type { ModelRequest } from "../../src/testing/servers/request.ts"
import { ownNamespace, startGuardedHost } from "../kit/guardedHost.ts"
import { summarize } from "./rig/agent.ts"
import { pathOf } from "./rig/environment.ts"
import { commandFor } from "./rig/layered.ts"
import { command } from "./rig/live.ts"

const servers = { claude: messages, gemini, codex: responses, opencode: chatCompletions, pi: messages }
const ids = Object.keys(clis) as ReadonlyArray<CliId> // its own keys

const state = mkdtempSync(join(tmpdir(), "state-"))
afterAll(() => rmSync(state, { recursive: true, force: true }))

/** Turns B and C take their time, in a tool; each says its own name. */
const slowTurns = (cli: CliId, seconds: number) => {
  const request = new Map<string, number>()
  return ({ kind, prompts }: ModelRequest): Answer => {
    const name =
      prompts
        .join("\n")
        .match(/TURN-[A-Z]/g)
        ?.at(-1) ?? ""
    const nth = (request.get(name) ?? 0) + 1
    if (kind === "main") request.set(name, nth)
    if (kind !== "main" || name === "") return say("ok")
    const isSlow = nth === 1 && (name === "TURN-B" || name === "TURN-C")
    return isSlow ? call(command[cli](`sleep ${seconds}`)) : say(`ANSWER-${name.slice(-1)}`)
  }
}

const open = async (cli: CliId, options: CreateAgentOptions = {}, seconds = 1) => {
  const stack = new AsyncDisposableStack()
  const api = stack.use(await servers[cli](slowTurns(cli, seconds)))
  const program = commandFor(cli)
  const sandbox = stack.use(await makeSandbox(cli, api, { path: pathOf([program]) }))
  const start = (prompt: string, sessionId?: string, by: ReadonlyArray<string> = [], whenBusy?: WhenBusy) =>
    startGuardedHost({
      id: cli,
      options: { command: program, env: sandbox.env, ...options },
      params: {
        prompt,
        workingDirectory: sandbox.work,
        ...(cli === "claude" ? { allowedTools: ["Bash"] } : { permissionMode: "bypass" }),
        ...(sessionId === undefined ? {} : { sessionId }),
        ...(whenBusy === undefined ? {} : { whenBusy })
      },
      state,
      by
    })
  const run = async (...args: Parameters<typeof start>) => {
    const { ended, events } = start(...args)
    await ended
    return summarize(events)
  }
  return {
    api,
    start,
    run,
    options: { command: program, env: sandbox.env, ...options },
    work: sandbox.work,
    [Symbol.asyncDispose]: () => stack.disposeAsync()
  }
}

const noticesOf = (events: ReadonlyArray<AgentEvent>) => events.filter((event) => event.type === "notice")

/** Turns as the model saw them, in its order. */
const historyOf = (body: unknown) => [...new Set(JSON.stringify(body).match(/(?:TURN|ANSWER)-[A-Z]/g))].join(" ")

const inTurn = /^TURN-A ANSWER-A TURN-(?:B ANSWER-B TURN-C ANSWER-C|C ANSWER-C TURN-B ANSWER-B) TURN-D$/

const places: ReadonlyArray<readonly [string, ReadonlyArray<string> | undefined]> = [
  ["on one machine", []],
  ["in two containers", ownNamespace]
]
if (ownNamespace === undefined) console.warn("no pid namespaces can be made: containers on one session are not tried")

describe.each(ids)("two hosts of %s on one session", (cli) => {
  it.each(places)("wait for each other %s", { timeout: 180_000 }, async (_, by) => {
    if (by === undefined) return
    await using real = await open(cli)
    const { sessionId } = (await real.run("TURN-A")).result
    const both = await Promise.all([real.run("TURN-B", sessionId), real.run("TURN-C", sessionId, by)])
    for (const { result } of both) expect(result).toMatchObject({ outcome: "completed", sessionId })
    const waits = both.flatMap(({ events }) => noticesOf(events)).filter(({ kind }) => kind === "queued")
    expect(waits).toMatchObject([
      { message: expect.stringMatching(/^The start waits: process \d+ on .+ uses the session/) }
    ])
    await real.run("TURN-D", sessionId)
    const last = real.api.requests.findLast(({ kind, prompt }) => kind === "main" && prompt.includes("TURN-D"))
    expect(historyOf(last?.body)).toMatch(inTurn)
  })
})

describe("a Codex that is used without the guard", () => {
  it("refuses runs and live sessions, which is told as busy", { timeout: 120_000 }, async () => {
    await using real = await open("codex", { limits: { guard: "none" } }, 6)
    const { sessionId } = (await real.run("TURN-A")).result
    const first = real.start("TURN-B", sessionId)
    await first.until((events) => events.some(({ type }) => type === "tool_use"))
    const second = await real.run("TURN-C", sessionId)
    expect(second.result).toMatchObject({ outcome: "failed", reason: "session_busy" })
    expect(second.error).toMatchObject({ category: "busy", message: `The session "${sessionId}" is used` })
    await using agent = createAgent("codex", real.options)
    const opened = await agent.open({ workingDirectory: real.work, sessionId }).catch((error: unknown) => error)
    expect(opened).toMatchObject({ code: "session_busy" })
    await first.ended
    expect(summarize(first.events).result).toMatchObject({ outcome: "completed", text: "ANSWER-B" })
  })
})
