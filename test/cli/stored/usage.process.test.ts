/** Usage in a stretch of time, from recorded and made-up files of the CLIs: exact, bounded, and nothing is written. */
import { appendFileSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { CliId } from "../../../src/cli/clis.ts"
import { storedUsage } from "../../../src/cli/stored/usage.ts"
import { everything, makeHome } from "./kit.ts"

const day = Date.parse("2026-11-22T00:00:00Z")

type Home = ReturnType<typeof makeHome>

const find = ({ of }: Home, sessionId: string, since = day, until = since + 86_400_000) =>
  storedUsage(
    { cli: of.cli, env: of.env ?? {}, sessionId, since, until, withAgents: true },
    new AbortController().signal
  )

const ofCodex = (turns: number) => ({
  inputTokens: 60 * turns,
  outputTokens: 20 * turns,
  cacheReadTokens: 40 * turns,
  cacheWriteTokens: 7 * turns
})
const ofGemini = (answers: number) => ({
  inputTokens: 60 * answers,
  outputTokens: 35 * answers,
  cacheReadTokens: 40 * answers
})

const thread = "01a20267-e3d3-78f1-aed7-c079fd847639"
const fork = "01a2026c-bbc2-7c41-bed8-ab596a76a936"
const chat = "11111111-1111-4111-8111-111111111111"

describe("recorded sessions", () => {
  const table: ReadonlyArray<readonly [string, CliId, string, string, string, object | undefined]> = [
    ["a thread", "codex", "resumed", thread, "2026-11-22T00:00:00Z", ofCodex(3)],
    ["its last turn", "codex", "resumed", thread, "2026-11-22T08:38:13.500Z", ofCodex(1)],
    ["a turn of three answers", "codex", "tools", "01a20267-e4d2-7431-82bb-e90eeb7587cc", "2026-11-22T00:00:00Z", ofCodex(3)],
    ["a turn that was killed", "codex", "killed", "01a20267-e89e-7353-9967-6399556ad6ee", "2026-11-22T00:00:00Z", ofCodex(1)],
    ["a fork, without its parent's", "codex", "forked", fork, "2026-11-22T00:00:00Z", ofCodex(1)],
    ["nothing since", "codex", "resumed", thread, "2026-11-22T09:00:00Z", undefined],
    ["a chat", "gemini", "resumed", chat, "2026-11-22T00:00:00Z", ofGemini(3)],
    ["its last prompt", "gemini", "resumed", chat, "2026-11-22T08:38:20Z", ofGemini(1)],
    ["a chat in two files", "gemini", "resumed-two-files", chat, "2026-11-22T00:00:00Z", ofGemini(2)],
    ["answers that are written twice", "gemini", "tools", "22222222-2222-4222-8222-222222222222", "2026-11-22T00:00:00Z", ofGemini(3)],
    ["a session that is not there", "gemini", "plain", "33333333-3333-4333-8333-333333333333", "2026-11-22T00:00:00Z", undefined]
  ] // biome-ignore format: one line each
  it.each(table)("%s of %s", async (_, cli, scenario, sessionId, since, usage) => {
    using home = makeHome(cli, scenario)
    const before = everything(home.user)
    expect((await find(home, sessionId, Date.parse(since)))?.usage).toEqual(usage)
    expect(everything(home.user)).toEqual(before)
  })

  it("no files at all", async () => {
    using home = makeHome("codex")
    expect(await find(home, thread)).toBeUndefined()
  })
})

const record = (turn: string, session: string, inputTokens: number, at = "2026-11-22T10:00:00.000Z") =>
  `${JSON.stringify({
    timestamp: at,
    type: "token_usage_record",
    payload: {
      thread_id: "any",
      turn_id: turn,
      session_id: session,
      turn_token_usage: { input_tokens: inputTokens, output_tokens: 1 }
    }
  })}\n`
const context = (turn: string, model: string, at = "2026-11-22T10:00:00.000Z") =>
  `${JSON.stringify({ timestamp: at, type: "turn_context", payload: { turn_id: turn, model } })}\n`

const inRollout = (home: Home, id: string, text: string) => {
  const folder = join(home.home, "sessions/2026/11/22")
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `rollout-2026-11-22T10-00-00-${id}.jsonl`)
  writeFileSync(path, text)
  return path
}

describe("files of strangers", () => {
  const other = "01a2026c-0000-7c41-bed8-ab596a76a936"

  it("name the model, and what sub-agents took", async () => {
    using home = makeHome("codex")
    inRollout(home, thread, context("t", "gpt-x") + record("t", thread, 5))
    inRollout(home, other, context("u", "gpt-y") + record("u", thread, 7) + record("v", "another session", 100))
    expect(await find(home, thread)).toEqual({
      usage: { inputTokens: 12, outputTokens: 2 },
      modelUsage: {
        "gpt-x": { inputTokens: 5, outputTokens: 1 },
        "gpt-y": { inputTokens: 7, outputTokens: 1 }
      }
    })
  })

  it("are read across lines that are long, cut off, nested or no JSON", async () => {
    using home = makeHome("codex")
    const long = `{"type":"token_usage_record","x":"${"x".repeat(9 * 1024 * 1024)}"}\n`
    const nested = `{"type":"token_usage_record","payload":${"[".repeat(5_000)}${"]".repeat(5_000)}}\n`
    const path = inRollout(home, thread, record("a", thread, 1) + long + record("b", thread, 2) + nested)
    appendFileSync(
      path,
      `not JSON "token_usage_record"\n\n${record("c", thread, 4)}${record("d", thread, 8).slice(0, 60)}`
    )
    expect((await find(home, thread))?.usage).toEqual({ inputTokens: 7, outputTokens: 3 })
  })

  it("are not read further than the time that is asked for", async () => {
    using home = makeHome("codex")
    const old = record("a", thread, 1, "2026-11-21T10:00:00.000Z")
    inRollout(home, thread, record("b", thread, 2) + old + record("c", thread, 4))
    expect((await find(home, thread))?.usage).toEqual({ inputTokens: 4, outputTokens: 1 })
  })

  it("that were not changed since are left alone", async () => {
    using home = makeHome("codex")
    const path = inRollout(home, thread, record("a", thread, 1))
    utimesSync(path, new Date(day - 60_000), new Date(day - 60_000))
    expect(await find(home, thread)).toBeUndefined()
  })

  it("outside of the home are not followed, and an id leads to no other folder", async () => {
    using home = makeHome("codex")
    using elsewhere = makeHome("codex")
    const path = inRollout(elsewhere, thread, record("a", thread, 1))
    mkdirSync(join(home.home, "sessions/2026/11/22"), { recursive: true })
    symlinkSync(path, join(home.home, "sessions/2026/11/22", `rollout-2026-11-22T10-00-00-${thread}.jsonl`))
    expect(await find(home, thread)).toBeUndefined()
    using gemini = makeHome("gemini", "plain")
    for (const id of ["..", "../..", ".", "/", "", "x".repeat(100_000)]) expect(await find(gemini, id)).toBeUndefined()
  })

  it("with other columns than are known have no usage", async () => {
    using home = makeHome("opencode")
    writeFileSync(join(home.home, "opencode.db"), "no database")
    expect(await find(home, "ses_x")).toBeUndefined()
    expect(readFileSync(join(home.home, "opencode.db"), "utf8")).toBe("no database")
  })

  it("are not waited for when the time is over", async () => {
    using home = makeHome("codex", "resumed")
    const question = {
      cli: home.of.cli,
      env: home.of.env ?? {},
      sessionId: thread,
      since: day,
      until: day + 86_400_000,
      withAgents: true
    }
    expect(await storedUsage(question, AbortSignal.abort())).toBeUndefined()
  })
})
