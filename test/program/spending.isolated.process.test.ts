/** `reins usage`, and the recording of runs and chats, over a store of their own. */
import { chmodSync, existsSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { resultOf } from "./printedEvents.ts"
import { runHere } from "./programHere.ts"
import { runProgram, standIn, writeTemp } from "./programProcess.ts"

const directory = dirname(writeTemp("spending", ""))

/** A configuration with a store of its own. */
const configured = (name: string, more = "") => {
  const file = writeTemp(`${name}.toml`, `${more}\n[store]\ndirectory = ${JSON.stringify(join(directory, name))}\n`)
  chmodSync(file, 0o600)
  return file
}

/** Claude Code that reports usage and a cost, of the model that `MODEL` names. */
const spender = standIn(
  "spender",
  `const model = process.env.MODEL ?? "claude-opus-5-5"
const cost = process.env.COST === undefined ? {} : { total_cost_usd: Number(process.env.COST) }
const costUSD = process.env.COST === undefined ? {} : { costUSD: Number(process.env.COST) }
print({ type: "system", subtype: "init", model, cwd: "/", tools: [], apiKeySource: "ANTHROPIC_API_KEY" })
print({ type: "result", subtype: "success", is_error: false, result: "", num_turns: 1, ...cost,
  usage: { input_tokens: 1000, output_tokens: 200 }, modelUsage: { [model]: { inputTokens: 1000, outputTokens: 200, ...costUSD } } })`
)

const run = (file: string, env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  runProgram(["run", "--command", spender, "--config", file, "--cwd", directory, ...args, "hi"], { env })

const usage = (file: string, ...args: ReadonlyArray<string>) => runHere(["usage", "--config", file, ...args])

const rowsOf = ({ stdout }: { readonly stdout: string }) =>
  stdout.split("\n").flatMap((line): ReadonlyArray<Record<string, unknown>> => (line === "" ? [] : [JSON.parse(line)]))

it("says so where nothing was used", async () => {
  const { code, stdout } = await usage(configured("empty"))
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: "Nothing was used yet. Each reins run and reins chat is written here.\n"
  })
})

describe("runs", () => {
  const file = configured("runs", 'zone = "UTC"\n[prices]\n"own\\u002dmodel" = { input = 10, output = 100 }')

  it("are added up by model: as reported, by prices of the user, by the table, or unpriced", async () => {
    for (const env of [
      { COST: "0.25" },
      { MODEL: "own-model" },
      { MODEL: "claude-haiku-4-5" },
      { MODEL: "claude-\u001b[2Jnew" }
    ])
      expect((await run(file, env)).code).toBe(0)
    const found = await usage(file, "--by", "model", "--json")
    const rows = rowsOf(found).filter(({ type }) => type === "row")
    expect(rows.map(({ key, micros, runs }) => [key, micros, runs])).toEqual([
      ["claude-opus-5-5", 250_000, 1],
      ["own-model", 30_000, 1],
      ["claude-haiku-4-5", 2000, 1],
      [expect.stringContaining("new"), 0, 1]
    ])
    expect(rowsOf(found).at(-1)).toMatchObject({ type: "total", micros: 282_000, unpriced: { runs: 1 } })
    const { stdout } = await usage(file, "--by", "model")
    expect(stdout).toMatch(/\nclaude.*new +unknown +1 run, 1 unpriced/)
    expect(stdout).toMatch(/\nTotal {2}≥ \$0\.28 \(1 run unpriced: claude.*new\) · 4 runs · /)
    expect(stdout).not.toContain("\u001b")
  }, 30_000)

  it("of a conversation are the cost of its session", async () => {
    await run(file, { COST: "0.5" }, "--conversation", "billing")
    const { stdout } = await runHere(["sessions", "--config", file])
    expect(stdout).toMatch(/ COST\n.* ≥ \$0\.78\n$/)
  })

  it("beyond a budget are refused: exit code 4, and when it is free again", async () => {
    const refused = await run(file, { COST: "1" }, "--json", "--budget", "day=0.3")
    expect(refused.code).toBe(4)
    expect(refused.stdout).toMatch(/free again at \d{4}-\d\d-\d\dT00:00:00/)
    expect(resultOf(refused.stdout)).toMatchObject({ outcome: "failed", reason: "budget_exceeded" })
    const { code } = await run(file, { COST: "0.01" }, "--budget", "day=9", "--budget", "run=1")
    expect(code).toBe(0)
  })

  it("are not recorded where the user wants none, and then no store is made", async () => {
    const off = configured("off", "usage = false")
    expect((await run(off, { COST: "1" })).code).toBe(0)
    expect(existsSync(join(directory, "off"))).toBe(false)
  })

  it("go on where the store cannot be opened, with a warning; with a budget they fail", async () => {
    const broken = configured("broken")
    writeFileSync(join(directory, "broken"), "a file, and no directory")
    const { code, stderr } = await run(broken, { COST: "1" })
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^reins: warn: the usage is not recorded: .*\n$/)
    })
    const refused = await run(broken, { COST: "1" }, "--json", "--budget", "day=5")
    expect({ code: refused.code, reason: resultOf(refused.stdout).reason }).toEqual({
      code: 1,
      reason: "store_unavailable"
    })
  })
})

describe("a wrong command line", () => {
  it.each([
    [["run", "--budget", "5", "hi"], /--budget.*the window is missing: run=5, day=5, month=5 or total=5/],
    [["run", "--budget", "day=5EUR", "hi"], /--budget.*budgets are in US dollars: day=5/],
    [["usage", "--by", "week"], /--by week: not known. day, month, model/],
    [["usage", "--since", "blah"], /--since blah: is not a time. 2026-11-23/],
    [["usage", "--zone", "Mars/X"], /--zone Mars\/X: is not a time zone. One such as Europe\/Berlin/],
    [
      ["usage", "--since", "2026-02-31"],
      /usage: --since: "2026-02-31" is not a time: write 2026-11-23.*\nHelp: reins usage --help/
    ]
  ] as const)("%j", async (args, problem) => {
    const { code, stderr, stdout } = await runHere([...args, "--config", configured("wrong")])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(problem)
  })
})
