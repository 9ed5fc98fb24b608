/**
 * The ledger of a store, after runs and live sessions of real CLIs in many processes: its entries are what the model has
 * counted, to the token. Of a host that was killed there is an estimate, or an entry of which nothing is known.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import type { CliId } from "../../src/cli/clis.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import { addUsage } from "../../src/contract/addUsage.ts"
import { type AgentUsage, openStore, type PlainStore, type UsageEntry } from "../../src/promise.ts"
import { makeSandbox } from "../../src/testing/sandbox/sandbox.ts"
import { startGuardedHost } from "../kit/guardedHost.ts"
import { countingModel } from "./rig/counted.ts"
import { pathOf } from "./rig/environment.ts"
import { commandFor } from "./rig/layered.ts"

const state = mkdtempSync(join(tmpdir(), "state-"))
// Where the program has it.
const directory = join(state, "reins/store")
afterAll(() => rmSync(state, { recursive: true, force: true }))

const program = fileURLToPath(new URL("./rig/ledgerHost.ts", import.meta.url))
const nothing = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }

interface Step {
  readonly name: string
  readonly prompt: string
  /** Goes on with the session of the first step. */
  readonly resumes?: boolean
  readonly isForked?: boolean
  /** A live session of so many turns. */
  readonly turns?: number
  readonly isKilled?: boolean
  readonly more?: Partial<AgentExecuteParams>
}

// Newer models of Codex begin sub-agents by a tool of another form.
const older = (cli: CliId) => (cli === "codex" ? { more: { model: "of-an-older-kind" } } : {})

const stepsOf = (cli: CliId): ReadonlyArray<Step> => {
  // Not of the whole run: where a CLI starts slowly, that would end before the model hangs.
  const limit = { timeouts: { idle: "6 seconds" } } as const
  return [
    { name: "new", prompt: "one DO-TOOL" },
    { name: "resumed by another process", prompt: "two DO-TOOL", resumes: true },
    ...(cli === "gemini" ? [] : [{ name: "forked by another", prompt: "three DO-SAY", resumes: true, isForked: true }]),
    { name: "retry", prompt: "four DO-RETRY", resumes: true },
    { name: "sub-agent", prompt: "five DO-SUB", ...older(cli) },
    { name: "failed in the middle", prompt: "six DO-FAIL", resumes: true },
    { name: "timed out in the middle", prompt: "seven DO-HANG", resumes: true, more: limit },
    { name: "host killed in the middle", prompt: "eight DO-HANG", resumes: true, isKilled: true },
    { name: "after that, in a new host", prompt: "nine DO-TOOL", resumes: true },
    { name: "live, resumed", prompt: "ten DO-TOOL", resumes: true, turns: 1 },
    { name: "live, with a sub-agent", prompt: "eleven DO-SUB", turns: 1, ...older(cli) },
    ...(cli === "claude" ? [{ name: "live, a turn of its own", prompt: "twelve DO-BACKGROUND", turns: 2 }] : [])
  ]
}

const open = async (cli: CliId) => {
  const stack = new AsyncDisposableStack()
  const api = stack.use(await countingModel(cli))
  const command = commandFor(cli)
  const sandbox = stack.use(await makeSandbox(cli, api, { path: pathOf([command]), retries: 5 }))
  let first: string | undefined
  const run = async ({ prompt, resumes, isForked, turns, isKilled, more }: Step) => {
    const before = api.of("main").length
    const host = startGuardedHost({
      id: cli,
      options: { command, env: sandbox.env },
      params: {
        prompt,
        workingDirectory: sandbox.work,
        env: { IS_SANDBOX: "1" },
        permissionMode: "bypass",
        ...(resumes === true && first !== undefined ? { sessionId: first } : {}),
        ...(isForked === true ? { forkSession: true } : {}),
        ...more
      },
      state,
      program: [program, { directory, ...(turns === undefined ? {} : { turns }) }]
    })
    if (isKilled === true) {
      await api.arrival(before + 2)
      host.child.kill("SIGKILL")
    }
    await host.ended
    for (const event of host.events) if (event.type === "session") first ??= event.sessionId
    return api.take().sum(["main", "agent"])
  }
  return { run, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

const countsOf = ({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: UsageEntry): AgentUsage => ({
  ...(inputTokens === undefined ? {} : { inputTokens }),
  ...(outputTokens === undefined ? {} : { outputTokens }),
  ...(cacheReadTokens === undefined ? {} : { cacheReadTokens }),
  ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens })
})

const sumOf = (entries: ReadonlyArray<UsageEntry>): AgentUsage =>
  entries.map(countsOf).reduce<AgentUsage>((sum, counts) => addUsage(sum, counts) ?? sum, nothing)

/** The entries that were not there before. */
const makeReader = (store: PlainStore) => {
  const known = new Set<string>()
  return async () => {
    const all = await Array.fromAsync(store.entries())
    const added = all.filter(({ id }) => !known.has(id))
    for (const { id } of added) known.add(id)
    return added
  }
}

const reins = fileURLToPath(new URL("../../dist/program.js", import.meta.url))

/** A command of the built program, on the same store. */
const printed = (...args: ReadonlyArray<string>) => {
  const env = { PATH: process.env["PATH"], HOME: state, XDG_STATE_HOME: state, NO_COLOR: "1" }
  const { status, stdout, stderr } = spawnSync(process.execPath, [reins, ...args], { env, encoding: "utf8" })
  rows.push("", `$ reins ${args.join(" ")}`, stdout.trimEnd())
  expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: "" })
  return stdout
}

const visible = ({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: AgentUsage) =>
  [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens].map((count) => count ?? "-").join(" / ")

const rows: Array<string> = []
afterAll(() => process.stdout.write(`\n${rows.join("\n")}\n`))

describe.each(["claude", "gemini", "codex", "opencode", "pi"] as const)("%s", (cli) => {
  it("has in the ledger what the model has counted", { timeout: 300_000 }, async () => {
    await using real = await open(cli)
    await using store = await openStore({ directory })
    const read = makeReader(store)
    await read()
    rows.push(
      "",
      `| ${cli} | the model counted | the ledger has | source | micros | model |`,
      "|---|---|---|---|---|---|"
    )
    const show = (name: string, counted: AgentUsage, entries: ReadonlyArray<UsageEntry>) => {
      const sources = entries.map(({ source }) => source).join(", ")
      const micros = entries.map((entry) => entry.micros ?? "?").join(" + ")
      const models = entries.map(({ model }) => model ?? "?").join(", ")
      rows.push(`| ${name} | ${visible(counted)} | ${visible(sumOf(entries))} | ${sources} | ${micros} | ${models} |`)
    }
    let killed: { readonly name: string; readonly counted: AgentUsage } | undefined
    for (const step of stepsOf(cli)) {
      const { name } = step
      const counted = { ...nothing, ...(await real.run(step)) }
      const added = await read()
      if (step.isKilled === true) {
        killed = { name, counted }
        continue
      }
      // The next host that uses the store closes the runs of the dead.
      const lost = killed === undefined ? [] : added.filter(({ source }) => source === "estimate" || source === "none")
      const entries = added.filter((entry) => !lost.includes(entry))
      if (killed !== undefined) {
        show(killed.name, killed.counted, lost)
        expect.soft({ name: killed.name, lost: lost.length }).toEqual({ name: killed.name, lost: 1 })
        killed = undefined
      }
      show(name, counted, entries)
      expect.soft({ name, counts: sumOf(entries) }).toEqual({ name, counts: counted })
      const isCut = step.more?.timeouts !== undefined
      expect.soft({ name, isCut: entries.every(({ source }) => source === "estimate") }).toEqual({ name, isCut })
    }
  })
})

it("is what reins usage prints", async () => {
  await using store = await openStore({ directory })
  const sum = { ...nothing, ...sumOf(await Array.fromAsync(store.entries())) }
  printed("usage", "--by", "day")
  printed("usage", "--by", "cli")
  const lines = printed("usage", "--by", "model", "--json").trim().split("\n")
  const total = lines.map((line) => JSON.parse(line)).find(({ type }) => type === "total")
  expect(total.tokens).toMatchObject({
    input: sum.inputTokens,
    output: sum.outputTokens,
    cacheRead: sum.cacheReadTokens,
    cacheWrite: sum.cacheWriteTokens
  })
})
