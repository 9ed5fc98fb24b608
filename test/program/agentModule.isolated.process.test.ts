/** `--agent-module`: a CLI of the user's own in the program. The module imports the package, as a user's does. */
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, describe, expect, it } from "vitest"
import { programPath } from "../kit/agent.ts"
import { runProgram, standIn, wire, writeTemp } from "./programProcess.ts"
import { chatOf, makeRoom, type Room, saying, startServe } from "./serve/room.ts"

const moduleOf = (name: string) => fileURLToPath(new URL(`../package/fifthCli/${name}.ts`, import.meta.url))
const own = ["--agent-module", moduleOf("tern"), "--command", programPath("tern")]

/** Its values need no package: they have only the members that tell a CLI. */
const cliText = (id: string) => `{ id: ${JSON.stringify(id)}, plan: () => {}, decoder: () => {} }`

describe("a CLI of a module", () => {
  it("runs as any other", async () => {
    const { code, stdout } = await runProgram(["run", ...own, "--json", "hello"])
    const events = stdout.trim().split("\n")
    expect(code).toBe(0)
    expect(events[0]).toContain('"type":"session"')
    expect(JSON.parse(events.at(-1) ?? "")).toMatchObject({ type: "done", result: { text: "You said: hello" } })
  })

  it("is refused what it does not support", async () => {
    const { code, stderr } = await runProgram(["run", ...own, "--effort", "high", "hello"])
    expect([code, stderr]).toEqual([2, expect.stringMatching(/--effort/)])
  })

  it("chats, where it has live sessions", async () => {
    const live = ["--agent-module", moduleOf("ternLive"), "--command", programPath("tern")]
    const { code, stdout } = await runProgram(["chat", ...live, "--plain", "hello"])
    expect([code, stdout]).toEqual([0, expect.stringContaining("You said: hello")])
  })

  it("is compared with another agent", async () => {
    const claude = standIn("claude-for-compare", `${wire.init}; ${wire.text("Mine.")}; ${wire.success}`)
    const file = writeTemp("compare.toml", `[agents.claude]\ncommand = ${JSON.stringify(claude)}\n`)
    const PATH = `${programs}:${process.env["PATH"]}`
    const words = ["compare", "hello", "--agents", "claude", "--agent-module", writeTemp("found.mjs", foundTern)]
    const { code, stdout } = await runProgram([...words, "--config", file, "--json"], { env: { PATH } })
    const ends = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(ends.map(({ agent, result }) => [agent, result.text])).toEqual([
      ["claude", "Mine."],
      ["tern", "You said: hello"]
    ])
    expect(code).toBe(0)
  })
})

const programs = dirname(programPath("tern"))

/** Tern, under the name of its program here. A comparison is in plan mode. */
const foundTern = `import { tern } from ${JSON.stringify(moduleOf("tern"))}
export default { ...tern, command: "tern.mjs", supports: new Set([...tern.supports, "permissionMode"]) }`

describe("a module is refused", () => {
  it.each([
    ["that is missing", "/no/such/module.mjs", /cannot be loaded: Cannot find module/],
    [
      "that throws",
      writeTemp("throws.mjs", 'throw new Error("not \\u001b[31mtoday")'),
      /cannot be loaded: not .*today/
    ],
    ["without a CLI", writeTemp("none.mjs", "export const one = 1"), /exports no value of Cli\.make/],
    [
      "with several CLIs, none of them its default export",
      writeTemp("two.mjs", `export const a = ${cliText("a")}\nexport const b = ${cliText("b")}`),
      /exports several CLIs \(a, b\): make one of them the default export/
    ],
    [
      "whose CLI has the id of another agent",
      writeTemp("taken.mjs", `export default ${cliText("claude")}`),
      /the id claude, which names another agent/
    ],
    [
      "whose CLI was made for another version of Cli",
      writeTemp("later.mjs", 'export default { id: "tern", contract: 2 }'),
      /its CLI tern was made for version 2 of Cli, and this version of Reins takes version 1: update Reins/
    ]
  ])("%s", async (_, file, problem) => {
    for (const command of ["run", "chat", "compare"]) {
      const { code, stderr } = await runProgram([command, "--agent-module", file, "hi"])
      expect([command, code, stderr]).toEqual([command, 2, expect.stringMatching(problem)])
      expect(stderr).toContain("--agent-module: ")
      expect(stderr).not.toContain("\u001b")
    }
  })

  it("beside the name of an agent", async () => {
    const { code, stderr } = await runProgram(["run", ...own, "--agent", "claude", "hi"])
    expect([code, stderr]).toEqual([2, expect.stringContaining("--agent claude names another agent")])
  })
})

describe("reins serve --agent-module", () => {
  const rooms: Array<Room> = []
  afterEach(() => {
    for (const { remove } of rooms.splice(0)) remove()
  })

  it("serves it on the page, before the installed agents", async () => {
    const room = makeRoom()
    rooms.push(room)
    const PATH = [programs, dirname(process.execPath), room.env["PATH"]].join(":")
    const host = await startServe(room, ["--web=0", "--agent-module", writeTemp("served.mjs", foundTern)], { PATH })
    try {
      const chat = chatOf(host.page)
      expect(await chat.say("hello")).toBe(202)
      await chat.shows(saying("You said: hello"))
    } finally {
      host.child.kill("SIGTERM")
    }
    expect((await host.ended).code).toBe(0)
  })
})
