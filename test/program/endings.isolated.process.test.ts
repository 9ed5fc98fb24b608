/** How the program ends: exit codes, signals, readers that leave. Real processes. */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { promisify } from "node:util"
import { describe, expect, it, vi } from "vitest"
import { eventsOf, resultOf } from "./printedEvents.ts"
import { main, runProgram, standIn, start, wire, writeTemp } from "./programProcess.ts"

const slow = { env: { REINS_DEMO_PACE_MS: "600000" } }

describe("the end of a run", () => {
  it("of a failing CLI: exit 1, with the last lines of its stderr", async () => {
    const broken = standIn("broken", `console.error("first\\n\\x1b[31mlast words"); process.exit(3)`)
    const { code, stdout, stderr } = await runProgram(["run", "--command", broken, "hi"])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain("  stderr:\n  first\n")
    expect(stderr).toMatch(/last words\n✗ failed · exited/)
    expect(stderr).not.toContain("\x1b")
  })

  it.each([
    ["as JSON", ["--json"]],
    ["for people", []]
  ])("of a session that could not be opened has what the CLI printed on stderr, %s", async (_, args) => {
    const broken = standIn("broken-chat", `console.error("the config is broken: fix it"); process.exit(3)`)
    const { code, stdout, stderr } = await runProgram(["chat", "--command", broken, ...args])
    expect(code).toBe(1)
    if (args.length === 0) expect(stderr).toContain("  stderr:\n  the config is broken: fix it\n✗ failed · exited · ")
    else expect(resultOf(stdout)).toMatchObject({ stderrTail: "the config is broken: fix it", exit: { code: 3 } })
    if (args.length > 0) expect(resultOf(stdout).durationMs).toBeGreaterThan(0)
  })

  it("by --timeout: exit 124", async () => {
    const { code, stdout } = await runProgram(["demo", "--json", "--timeout", "300ms", "hi"], slow)
    expect({ code, outcome: resultOf(stdout).outcome }).toEqual({ code: 124, outcome: "timed_out" })
  })

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("by %s: done is still printed, exit 130", async (signal) => {
    const { child, line, ended } = start(["demo", "--json", "hi"], slow)
    await line(/"type":"session"/)
    child.kill(signal)
    const { code, stdout, stderr } = await ended
    expect({ code, stderr, aborted: resultOf(stdout).aborted }).toEqual({ code: 130, stderr: "", aborted: true })
  })

  it("by Ctrl-C leaves no process behind", async () => {
    const stubborn = standIn(
      "stubborn",
      `${wire.init}; ${wire.text("pid ")}; print({ pid: process.pid }); process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)`
    )
    const { child, line, ended } = start(["run", "--json", "--kill-grace", "200ms", "--command", stubborn, "hi"])
    const reported = await line(/"pid":/)
    const pid = Number(/"pid":(\d+)/.exec(reported)?.[1])
    expect(() => process.kill(pid, 0)).not.toThrow()
    child.kill("SIGINT")
    expect((await ended).code).toBe(130)
    expect(() => process.kill(pid, 0)).toThrow("ESRCH")
  })

  it("says on stderr when a process had to be ended after its result", async () => {
    const lingers = standIn("lingers", `${wire.init}; ${wire.success}; setInterval(() => {}, 1000)`)
    const { code, stdout, stderr } = await runProgram(["run", "--json", "--linger", "50ms", "--command", lingers, "hi"])
    expect({ code, outcome: resultOf(stdout).outcome }).toEqual({ code: 0, outcome: "completed" })
    expect(stderr).toMatch(/^reins: warn: .*lingered.*\n$/)
  })

  it("by a reader that leaves: quietly, and the CLI is gone as well", async () => {
    const chatty = standIn("chatty", `print({ pid: process.pid }); setInterval(() => { ${wire.text("more ")} }, 20)`)
    const { child, line, ended } = start(["run", "--json", "--command", chatty, "hi"])
    const pid = Number(/"pid":(\d+)/.exec(await line(/"pid":/))?.[1])
    child.stdout?.destroy()
    const { code, stderr } = await ended
    expect({ code, stderr }).toEqual({ code: 130, stderr: "" })
    expect(() => process.kill(pid, 0)).toThrow("ESRCH")
  })

  it("by a second signal does not wait for a reader that has stopped", async () => {
    const full = writeTemp("full", "")
    const flood = standIn(
      "flood",
      `import { writeFileSync } from "node:fs"
       ${wire.init}
       for (let i = 0; i < 1000; i++) ${wire.text("y".repeat(5000))}
       process.stdout.write("\\n", () => writeFileSync(${JSON.stringify(full)}, "full"))
       setInterval(() => {}, 1000)`
    )
    const { child, ended } = start(["run", "--json", "--command", flood, "hi"], { unread: true })
    // More has been written to the program than its own stdout can hold.
    await vi.waitFor(() => expect(readFileSync(full, "utf8")).toBe("full"), 10_000)
    child.kill("SIGINT")
    // A third signal finds no handler: the exit code would be null.
    child.kill("SIGTERM")
    expect((await ended).code).toBe(130)
  })

  it("comes after a late reader has taken what a pipe does not hold", async () => {
    // Between what a pipe holds (64 KiB) and what Node would still take on top of it without waiting (16 KiB).
    const lines = Array.from({ length: 70 }, (_, at) => JSON.stringify({ at, filler: "z".repeat(1000) })).join("\n")
    const file = writeTemp("many.ndjson", lines)
    const script = '{ "$0" "$1" replay --json "$2"; echo "code $?" >&2; } | { sleep 1; cat; }'
    const { stdout, stderr } = await promisify(execFile)("sh", ["-c", script, process.execPath, main, file])
    const events = eventsOf(stdout)
    expect({ stderr, count: events.length, last: events.at(-1)?.type }).toEqual({
      stderr: "code 1\n",
      count: 72,
      last: "done"
    })
  })
})
