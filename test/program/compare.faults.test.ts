/** `reins compare`: answers side by side, worktrees, and the changes of one taken over. Real processes and a real git. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { beside, block, type Compared, isBesideEachOther, table } from "../../src/program/compare/rows.ts"
import { patchLines } from "../../src/program/compare/tally.ts"
import type { Surface } from "../../src/program/style.ts"
import { runProgram, standIn, start, wire } from "./programProcess.ts"
import { bare } from "./transcriptEvents.ts"

const root = mkdtempSync(join(tmpdir(), "reins-compare-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const git = (directory: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@x", ...args], { cwd: directory, encoding: "utf8" })

/** A repository with two files, and an environment of its own for the program. */
const makeRoom = (name: string, claude: string) => {
  const directory = join(root, name, "repo")
  const inside = join(directory, "inside")
  mkdirSync(inside, { recursive: true })
  git(directory, "init", "-q")
  writeFileSync(join(directory, "a.txt"), "one\n")
  writeFileSync(join(inside, "b.txt"), "two\n")
  git(directory, "add", "-A")
  git(directory, "commit", "-qm", "first")
  const config = join(root, name, "reins.toml")
  writeFileSync(
    config,
    `[agents.claude]\ncommand = ${JSON.stringify(claude)}\n[agents.codex]\ncommand = "/bin/false"\n`
  )
  const env = { XDG_STATE_HOME: join(root, name, "state"), XDG_CONFIG_HOME: join(root, name, "none") }
  const compare = (...args: ReadonlyArray<string>) =>
    runProgram(["compare", "--cwd", directory, "--config", config, ...args], { env })
  const read = (file: string) => readFileSync(join(directory, file), "utf8")
  return { directory, config, env, compare, read }
}

const writer = standIn(
  "writer",
  `import { writeFileSync } from "node:fs"
   const mayWrite = !process.argv.join(" ").includes("plan")
   print({ type: "system", subtype: "init", model: "m", cwd: process.cwd(), tools: [], permissionMode: mayWrite ? "acceptEdits" : "plan" })
   ${wire.tool("t1", "Write", { file_path: "a.txt" })}
   if (mayWrite) { writeFileSync("a.txt", "ONE\\nmore\\n"); writeFileSync("new.txt", "new\\n") }
   print({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t1", content: "ok" }] } })
   print({ type: "assistant", message: { id: "m2", content: [{ type: "text", text: "It is louder." }] } })
   print({ type: "result", subtype: "success", is_error: false, result: "", num_turns: 3, total_cost_usd: 0.12 })`
)
const write = ["louder", "--agents", "claude,demo", "--permission-mode", "accept-edits"] as const

describe("reins compare", () => {
  it("shows each answer, and a table, and allows no unasked writes", async () => {
    const room = makeRoom("read", writer)
    const { code, stdout, stderr } = await room.compare("louder", "--agents", "claude,demo")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toContain("\nIt is louder.\n✓ completed · ")
    expect(stdout).toMatch(/─ \d demo · demo \(no model\) ─/)
    expect(stdout).toMatch(/\n {8}time +turns +tools +tokens +cost\n/)
    expect(stdout).toMatch(/\nclaude +[\d.]+ m?s +3 +1 .* \$0\.12 +✓ completed\ndemo .*✓ completed\n$/)
    expect(git(room.directory, "status", "--porcelain")).toBe("")
  })

  it("gives each its own model", async () => {
    const teller = standIn(
      "teller",
      `print({ type: "system", subtype: "init", model: "m", tools: [], permissionMode: "plan" })
       print({ type: "assistant", message: { id: "m1", content: [{ type: "text", text: "asked for " + process.argv.slice(2).join(" ").replace(/.*--model[= ](\\S+).*/s, "$1") }] } })
       print({ type: "result", subtype: "success", is_error: false, result: "", num_turns: 1 })`
    )
    const { code, stdout } = await makeRoom("models", teller).compare(
      "x",
      "--agents",
      "claude,demo",
      "--model",
      "Claude=opus"
    )
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("\nasked for opus\n") })
  })

  it("gives each a worktree, and takes over the changes of one in one piece", async () => {
    const room = makeRoom("write", writer)
    const { code, stdout } = await room.compare(...write)
    expect(code).toBe(0)
    expect(stdout).toMatch(/\nclaude .* \$0\.12 +2 {2}\+3 -1 +✓ completed\n/)
    expect(stdout).toMatch(/\n\nreins compare --apply claude\n$/)
    expect(git(room.directory, "status", "--porcelain")).toBe("")
    expect(git(room.directory, "worktree", "list").trim().split("\n")).toHaveLength(1)

    const applied = await room.compare("--apply", "claude")
    expect(applied).toMatchObject({ code: 0, stderr: "" })
    expect(applied.stdout).toBe("✓ applied the changes of claude: 2 files\n  a.txt\n  new.txt\n")
    expect([room.read("a.txt"), room.read("new.txt")]).toEqual(["ONE\nmore\n", "new\n"])
    expect((await room.compare("--apply", "demo")).stdout).toBe("demo has changed nothing\n")
  })

  it.each([
    ["changed", "a.txt", (room: string) => writeFileSync(join(room, "a.txt"), "mine\n")],
    [
      "staged",
      "a.txt",
      (room: string) => {
        writeFileSync(join(room, "a.txt"), "mine\n")
        git(room, "add", "a.txt")
      }
    ],
    ["not known to git", "new.txt", (room: string) => writeFileSync(join(room, "new.txt"), "mine\n")],
    [
      "ignored",
      "new.txt",
      (room: string) => {
        writeFileSync(join(room, ".git", "info", "exclude"), "new.txt\n")
        writeFileSync(join(room, "new.txt"), "mine\n")
      }
    ]
  ])("never writes over a file that is %s", async (how, file, change) => {
    const room = makeRoom(`own-${how.replaceAll(" ", "-")}`, writer)
    await room.compare(...write)
    change(room.directory)
    const other = file === "a.txt" ? "new.txt" : "a.txt"
    const before = existsSync(join(room.directory, other)) ? room.read(other) : undefined
    const { code, stdout, stderr } = await room.compare("--apply", "claude")
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toMatch(/^reins: nothing was applied: 1 file .* not committed:\n {2}(a|new)\.txt\nCommit or stash/)
    expect(stderr).toContain(`  ${file}\n`)
    expect(room.read(file)).toBe("mine\n")
    expect(existsSync(join(room.directory, other)) ? room.read(other) : undefined).toBe(before)
  })

  it("takes over beside changes of other files, and refuses what does not fit any more", async () => {
    const room = makeRoom("moved", writer)
    await room.compare(...write)
    writeFileSync(join(room.directory, "inside", "b.txt"), "mine\n")
    writeFileSync(join(room.directory, "a.txt"), "another\n")
    git(room.directory, "commit", "-qm", "second", "a.txt")
    const refused = await room.compare("--apply", "claude")
    expect(refused).toMatchObject({ code: 1, stdout: "" })
    expect(refused.stderr).toMatch(
      /^reins: nothing was applied: the last commits have changed 1 file of claude, too, and the changes do not fit:\n {2}a\.txt\n/
    )
    expect(existsSync(join(room.directory, "new.txt"))).toBe(false)
    git(room.directory, "revert", "--no-edit", "HEAD")
    expect((await room.compare("--apply", "claude")).code).toBe(0)
    expect([room.read("a.txt"), room.read("inside/b.txt")]).toEqual(["ONE\nmore\n", "mine\n"])
  })

  it("shows a failure beside the others: exit 1", async () => {
    const { code, stdout } = await makeRoom("fails", writer).compare("x", "--agents", "codex,demo")
    expect(code).toBe(1)
    expect(stdout).toMatch(/─ \d codex ─+\nThe process ended with exit code 1.*\n✗ exited/)
    expect(stdout).toMatch(/\ncodex .*✗ exited\ndemo .*✓ completed\n$/)
  })

  it("--json: a line for each agent, in their order", async () => {
    const { stdout } = await makeRoom("json", writer).compare(...write, "--json")
    const lines = stdout.trimEnd().split("\n")
    expect(lines.map((line) => JSON.parse(line).agent)).toEqual(["claude", "demo"])
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ tools: 1, changes: { paths: ["a.txt", "new.txt"] } })
  })

  it("Ctrl-C ends all of them: exit 130, with what they did", async () => {
    const pids = join(root, "pids")
    const forever = standIn(
      "forever-compared",
      `import { appendFileSync } from "node:fs"
       ${wire.init}
       appendFileSync(${JSON.stringify(pids)}, process.pid + "\\n")
       setInterval(() => {}, 1000)`
    )
    const room = makeRoom("stopped", forever)
    const args = ["compare", "--cwd", room.directory, "--config", room.config, "x", "--agents", "demo,claude"]
    const { child, line, ended } = start(args, { env: room.env })
    // The demo agent is over; the other one hangs.
    await line(/✓ completed/)
    await expect.poll(() => existsSync(pids), { timeout: 10_000 }).toBe(true)
    child.kill("SIGINT")
    const { code, stdout } = await ended
    expect(code).toBe(130)
    expect(stdout).toMatch(/\ndemo .*✓ completed\nclaude .*■ aborted\n$/)
    expect(() => process.kill(Number(readFileSync(pids, "utf8")), 0)).toThrow("ESRCH")
  })
})

const compared = (agent: string, text: string, more: Partial<Compared> = {}): Compared => ({
  agent,
  model: "m",
  tools: 9,
  text,
  result: {
    outcome: "completed",
    reason: "completed",
    text,
    sessionId: "s",
    durationMs: 41_000,
    totalCostUsd: 0.12,
    numTurns: 5,
    usage: { inputTokens: 1200, outputTokens: 80 },
    aborted: false
  },
  ...more
})

const at = (columns: number): Surface => ({ live: true, columns })
const wide = (lines: ReadonlyArray<string>) => Math.max(...lines.map((line) => bare(line).length))

describe("the answers on a terminal", () => {
  const two = [compared("claude", "The price\u001b[2J depends. ".repeat(20)), compared("codex", "Rounded.")] as const

  it("of two agents are side by side from 100 columns on", () => {
    expect([isBesideEachOther(2, at(100)), isBesideEachOther(2, at(99)), isBesideEachOther(3, at(200))]).toEqual([
      true,
      false,
      false
    ])
    const lines = beside(two, at(120)).map(bare)
    expect(lines[0]).toMatch(/^claude · m +│ codex · m$/)
    expect(lines[1]).toMatch(/ │ Rounded\.$/)
    expect(wide(lines)).toBeLessThan(120)
    expect(lines.join("")).not.toContain("\u001b")
  })

  it.each([50, 80, 120])("have facts that fit at %i columns", (columns) => {
    const changes = { base: "b", commit: "c", paths: ["a"], patch: "diff --git a b\n@@ -1 +1 @@\n-a\n+b\n" }
    const lines = table([{ ...two[0], changes }, two[1]], at(columns))
    expect(wide(lines)).toBeLessThan(columns)
    expect(bare(lines.join("\n"))).toMatch(/claude[\s\S]*41 s[\s\S]*1\.2k in 80 out[\s\S]*\$0\.12[\s\S]*1 {2}\+1 -1/)
    expect(wide([block(two[1], 1, at(columns))[0] ?? ""])).toBeLessThan(columns)
  })

  it("count the lines of a patch, and not those of its head", () => {
    const patch =
      "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n--- b\n+++ c\n+d\ndiff --git a/y b/y\n--- /dev/null\n+++ b/y\n"
    expect(patchLines(patch)).toEqual({ added: 2, removed: 1 })
  })
})
