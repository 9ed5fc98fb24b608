/** `reins sessions` and `reins export`, over a store of their own. */
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import type { SessionInfo } from "../../src/contract/Sessions.ts"
import { eventsOf, resultOf } from "./printedEvents.ts"
import { runHere } from "./programHere.ts"
import { runProgram, writeTemp } from "./programProcess.ts"

const file = writeTemp("sessions.toml", "")
const directory = dirname(file)
writeFileSync(file, `[store]\ndirectory = "${join(directory, "store")}"\n`)
chmodSync(file, 0o600)

const demo = (...args: ReadonlyArray<string>) =>
  runProgram(["run", "--agent", "demo", "--json", "--config", file, ...args])

const sessions = (...args: ReadonlyArray<string>) => runHere(["sessions", ...args, "--config", file])

const listed = async (...args: ReadonlyArray<string>): Promise<ReadonlyArray<SessionInfo>> => {
  const { stdout } = await sessions("list", "--json", ...args)
  return stdout.split("\n").flatMap((line): ReadonlyArray<SessionInfo> => (line === "" ? [] : [JSON.parse(line)]))
}

it("says how the first conversation begins", async () => {
  const { code, stdout } = await runHere(["sessions", "--config", file])
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: "No sessions yet. reins run --conversation NAME begins one; --outside shows those of the CLIs themselves.\n"
  })
})

describe("sessions", () => {
  beforeAll(async () => {
    for (const prompt of ["why does the build\u001b[2J fail?", "and now?"])
      await demo("--conversation", "billing", prompt)
    await demo("--conversation", "other", "hello")
  })

  it("are listed, the last used first", async () => {
    const { code, stdout } = await runHere(["sessions", "--config", file])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^ID +TITLE .*\n[\da-f]{8} +other: hello +demo .*\n[\da-f]{8} +billing: why does the build.* fail\? +demo .* just now +2\n$/
    )
    expect(stdout).not.toContain("\u001b")
    expect((await listed()).map(({ conversation, turns }) => [conversation, turns])).toEqual([
      [["other"], 1],
      [["billing"], 2]
    ])
    expect(await listed("--cli", "claude")).toEqual([])
  })

  it("are shown by their conversation, their id, the beginning of it and the CLI's own id", async () => {
    const [, billing] = await listed()
    const { id = "", sessionId = "" } = billing ?? {}
    for (const name of ["billing", id, id.slice(0, 8), sessionId]) {
      const { stdout } = await sessions("show", name)
      expect(stdout).toContain(`\nid           ${id}\n`)
      expect(stdout).toContain(`\nsession      ${sessionId}\n`)
    }
    expect((await sessions("show", "--json", "billing")).stdout).toBe(`${JSON.stringify(billing)}\n`)
    expect((await sessions("who", "billing")).stdout).toBe("it is free\n")
    expect((await sessions("who", "--json", "billing")).stdout).toBe("null\n")
  })

  it("are gone on with by the beginning of an id; an unknown one goes to the CLI as it is", async () => {
    const [, billing] = await listed()
    const { id = "", sessionId = "" } = billing ?? {}
    expect(resultOf((await demo("--resume", id.slice(0, 8), "go on")).stdout).sessionId).toBe(sessionId)
    const { stdout, stderr } = await demo("--resume", "00000000", "go on")
    expect(stdout + stderr).toContain("00000000")
  })

  it("are exported, whole or for people", async () => {
    const markdown = await runHere(["export", "--config", file, "billing"])
    expect(markdown).toMatchObject({ code: 0, stderr: "" })
    expect(markdown.stdout).toMatch(/> why does the build[\s\S]*Completed[\s\S]*> and now\?[\s\S]*Completed/)
    expect(markdown.stdout).not.toContain("\u001b")
    const json = await runHere(["export", "--config", file, "--format", "json", "billing"])
    const lines = json.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(lines[0].session.conversation).toEqual(["billing"])
    expect(lines.filter(({ event }) => event?.type === "prompt").map(({ event }) => event.text)).toEqual([
      "why does the build\u001b[2J fail?",
      "and now?"
    ])
    const out = join(directory, "billing.md")
    const toFile = (...args: ReadonlyArray<string>) =>
      runHere(["export", "--config", file, "billing", "--out", out, ...args])
    expect(await toFile()).toEqual({ code: 0, stdout: "", stderr: `reins: written to ${out}\n` })
    expect([readFileSync(out, "utf8"), statSync(out).mode & 0o777]).toEqual([markdown.stdout, 0o600])
    expect(await toFile()).toMatchObject({ code: 2, stderr: `reins: --out: ${out}: exists; --force replaces it\n` })
    expect(await toFile("--force")).toMatchObject({ code: 0 })
    const none = join(directory, "none.md")
    expect(await runHere(["export", "--config", file, "absent", "--out", none])).toMatchObject({ code: 1 })
    expect(existsSync(none)).toBe(false)
  })

  it("get a title, a copy, and are put away and forgotten", async () => {
    expect((await sessions("rename", "billing", "The bill")).stdout).toBe("billing: The bill\n")
    expect((await sessions("fork", "billing", "--conversation", "copy")).stdout).toBe(
      "copy goes on in a copy of billing: The bill, from its next turn on\n"
    )
    const [, billing] = await listed()
    const { stdout } = await demo("--conversation", "copy", "in the copy")
    expect(resultOf(stdout).sessionId).not.toBe(billing?.sessionId)
    expect((await listed())[0]).toMatchObject({ conversation: ["copy"], parent: billing?.id })
    expect((await sessions("archive", "other")).stdout).toMatch(/^other: hello: archived/)
    expect((await listed()).map(({ conversation }) => conversation)).toEqual([["copy"], ["billing"]])
    expect((await sessions("adopt", "other", "--cli", "demo", "--conversation", "again")).stdout).toBe(
      "again goes on with again: hello\n"
    )
    expect((await sessions("forget", "billing")).stdout).toBe(
      "billing: The bill: forgotten; the files of demo are as they were\n"
    )
    expect((await listed("--all")).map(({ conversation }) => conversation?.join())).not.toContain("billing")
  })

  it("are gone on with by chats: --continue", async () => {
    const chat = (...args: ReadonlyArray<string>) =>
      runProgram(["chat", "--agent", "demo", "--json", "--config", file, ...args], {
        input: '{"type":"turn","prompt":"hi"}\n'
      })
    const first = resultOf((await chat("--conversation", "chat")).stdout)
    const next = await chat("--continue")
    expect(next).toMatchObject({ code: 0 })
    expect(resultOf(next.stdout).sessionId).toBe(first.sessionId)
    const turns = (await listed()).find(({ sessionId }) => sessionId === first.sessionId)?.turns
    expect(turns).toBe(2)
    expect(eventsOf(next.stdout).some(({ type }) => type === "turn_done")).toBe(true)
  })

  it.each([
    [["sessions", "show", "absent"], 1, 'No session is known as "absent"'],
    [["sessions", "show", "x\u001b[2J\ny"], 1, "No session is known as"],
    [["sessions", "show", "../../etc/passwd"], 1, "No session is known as"],
    [["sessions", "show", "a".repeat(1_000_000)], 1, "No session is known as"],
    [["sessions", "show", ""], 1, ""],
    [["sessions", "rename", "other", "\u200b"], 1, ""],
    [["sessions", "fork", "copy"], 2, "--conversation"],
    [["sessions", "frob"], 2, "frob"],
    [["sessions", "move", "copy"], 2, "--to"],
    [["sessions", "move", "copy", "--to", "x"], 1, "is of this home alone"],
    [["sessions", "move", "absent", "--to", "x"], 1, 'No session is known as "absent"'],
    [["sessions", "show", "copy", "--cli", "codex"], 1, 'No session is known as "copy"'],
    [["export", "copy", "--format", "pdf"], 2, "pdf"],
    [["export", "copy", "--out", "/nowhere/x.md"], 2, "/nowhere/x.md: cannot be written"],
    [["chat", "--agent", "demo", "--resume"], 2, "--resume needs an id where no list can be shown"],
    [["chat", "--agent", "demo", "--continue", "--conversation", "x"], 2, "use only one of them"],
    [["chat", "--agent", "demo", "--continue", "--cwd", "/usr"], 1, "demo has no session in /usr yet"]
  ])("%j ends with a message", async (args, code, problem) => {
    const [command = "", ...rest] = args
    const ended = await runHere([command, ...rest, "--config", file])
    expect(ended.stderr).toContain(problem)
    expect(ended.stderr.length).toBeLessThan(1000)
    expect(ended.stderr).not.toContain("\u001b")
    if (problem !== "") expect(ended.code).toBe(code)
    else expect(ended.code).not.toBe(0)
  })
})
