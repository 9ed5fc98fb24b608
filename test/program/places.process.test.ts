/** The program without a home, with one that cannot be used, and in a directory that was removed. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath, pathToFileURL } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { main } from "./programProcess.ts"

let place = ""
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "reins-places-"))
  chmodSync(place, 0o755)
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

const lines = [
  { type: "system", subtype: "init", session_id: "s1", model: "m", cwd: "/", tools: [] },
  { type: "assistant", session_id: "s1", message: { id: "m1", content: [{ type: "text", text: "hello" }] } },
  { type: "result", subtype: "success", is_error: false, result: "hello", session_id: "s1", num_turns: 1 }
]

/** `first`: a line of shell. */
const makeAgent = (first = ":") => {
  const file = join(place, "agent")
  const print = lines.map((line) => `echo '${JSON.stringify(line)}'`).join("\n")
  writeFileSync(file, `#!/bin/sh\ncat > /dev/null\n${first}\n${print}\n`)
  chmodSync(file, 0o755)
  return file
}

const path = { PATH: "/usr/bin:/bin" }
const runArgs = (agent: string) => ["run", "--output", "text", "--command", agent, "hi"]

interface Place {
  readonly env?: Readonly<Record<string, string>>
  /** The user's id; one without a name, unless it is left out. */
  readonly user?: number
  readonly cwd?: string
}

const run = (args: ReadonlyArray<string>, { env = {}, user, cwd = "/" }: Place = {}) => {
  const id = user === undefined ? {} : { uid: user, gid: user }
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", main, ...args],
    { cwd, env: { ...path, ...env }, ...id, encoding: "utf8", input: "" }
  )
  return { code: status, stdout, warnings: stderr.split("\n").filter(Boolean) }
}

const nameless = 54_321
// Only root may become another user, who has to be able to read the program.
const asNameless = { uid: nameless, gid: nameless, cwd: "/" }
const canBeNameless =
  process.getuid?.() === 0 &&
  [process.execPath, main].every((file) => spawnSync("test", ["-r", file], asNameless).status === 0)
if (!canBeNameless) console.warn("SKIPPED: the program cannot be run as a user without a name here")

describe("without HOME", () => {
  it("the program uses the home of the password database", () => {
    const elsewhere = { XDG_STATE_HOME: join(place, "state"), XDG_CONFIG_HOME: join(place, "config") }
    expect(run(runArgs(makeAgent()), { env: elsewhere })).toEqual({ code: 0, stdout: "hello\n", warnings: [] })
    const { code, stdout } = run(["config", "path"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\/.*\/reins\/reins\.toml\n$/)
  })

  const unusable: ReadonlyArray<readonly [string, Readonly<Record<string, string>>, RegExp]> = [
    ["without a name and without HOME", {}, /set HOME, or XDG_STATE_HOME .* nothing is configured, and no session/],
    ["with the HOME of containers, the root directory", { HOME: "/" }, /permission denied.* no session and no usage/],
    ["with a HOME that is not writable", { HOME: "/usr" }, /permission denied.* no session and no usage is kept/],
    ["with relative directories", { HOME: "a", XDG_STATE_HOME: "b", XDG_CONFIG_HOME: "c" }, /nothing is configured/]
  ]
  it.skipIf(!canBeNameless).each(unusable)("a user %s runs an agent, with one warning", (_, env, warning) => {
    const { code, stdout, warnings } = run(runArgs(makeAgent()), { user: nameless, env })
    expect({ code, stdout }).toEqual({ code: 0, stdout: "hello\n" })
    expect(warnings).toEqual([expect.stringMatching(warning)])
  })

  it.skipIf(!canBeNameless)("a user with a HOME that is closed to it runs an agent, with one warning", () => {
    const home = join(place, "closed")
    mkdirSync(home, { mode: 0o700 })
    const { code, warnings } = run(runArgs(makeAgent()), { user: nameless, env: { HOME: home } })
    expect({ code, warnings }).toEqual({ code: 0, warnings: [expect.stringMatching(/nothing is configured/)] })
  })

  it.skipIf(!canBeNameless)("a user whose store is elsewhere keeps it", () => {
    const store = join(place, "store")
    mkdirSync(store, { mode: 0o700 })
    const file = join(store, "reins.toml")
    writeFileSync(file, `[store]\ndirectory = "${store}"\n`, { mode: 0o600 })
    for (const path of [store, file]) chownSync(path, nameless, nameless)
    const args = ["run", "--config", file, ...runArgs(makeAgent()).slice(1)]
    const { code, warnings } = run(args, { user: nameless })
    expect(code).toBe(0)
    expect(warnings[0]).toMatch(/^reins: warn: no state directory is known/)
    expect(warnings.join("\n")).not.toContain("no usage is kept")
    expect(existsSync(join(store, "store.db"))).toBe(true)
  })

  it.skipIf(!canBeNameless)("a user without a name has sessions of reins acp, in memory", async () => {
    const peer = fileURLToPath(new URL("../../fixtures/programs/live/claude.mjs", import.meta.url))
    const agent = join(place, "live")
    writeFileSync(agent, `#!/bin/sh\nexec '${process.execPath}' '${peer}' "$@"\n`)
    chmodSync(agent, 0o755)
    const args = ["--disable-warning=ExperimentalWarning", main, "acp", "--agent", "claude", "--command", agent]
    const child = spawn(process.execPath, args, { cwd: "/", env: path, uid: nameless, gid: nameless })
    let warnings = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      warnings += text
    })
    const ended = once(child, "close")
    const request = (id: number, method: string, params: object) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
    request(1, "initialize", { protocolVersion: 1, clientCapabilities: {} })
    request(2, "session/new", { cwd: "/", mcpServers: [] })
    for await (const line of createInterface({ input: child.stdout })) {
      const { id, result } = JSON.parse(line)
      if (id !== 2) continue
      expect(result.sessionId).toEqual(expect.any(String))
      child.stdin.end()
    }
    await ended
    expect(warnings.trim().split("\n")).toEqual([expect.stringMatching(/nothing is configured, and no session/)])
  })

  it.skipIf(!canBeNameless)("nothing of root's is left in the home of the user who called sudo", () => {
    const home = join(place, "home")
    mkdirSync(home)
    chownSync(home, nameless, nameless)
    const state = { XDG_STATE_HOME: join(place, "state"), XDG_CACHE_HOME: join(place, "cache") }
    const { stdout } = run(["config", "path"], { env: { HOME: home, SUDO_UID: String(nameless), ...state } })
    expect(stdout).not.toContain(home)
    expect(existsSync(join(home, ".config"))).toBe(false)
  })
})

describe("a current directory", () => {
  /** The shell removes its own directory, then becomes Node. */
  const nodeInRemoved = (args: ReadonlyArray<string>) => {
    const directory = join(place, "gone")
    mkdirSync(directory)
    const node = [process.execPath, "--disable-warning=ExperimentalWarning"]
    const { status, stdout, stderr } = spawnSync("sh", ["-c", 'rmdir "$PWD"; exec "$@"', "sh", ...node, ...args], {
      cwd: directory,
      env: { ...path, XDG_STATE_HOME: join(place, "state"), XDG_CONFIG_HOME: join(place, "config") },
      encoding: "utf8",
      input: ""
    })
    return { code: status, stdout, stderr }
  }
  const runInRemoved = (args: ReadonlyArray<string>) => nodeInRemoved([main, ...args])

  const gone = { code: 2, stdout: "", stderr: expect.stringMatching(/^reins: the current directory no longer exists/) }

  it.each([[["chat", "hi"]], [["serve", "--web=0"]], [["acp"]], [["doctor"]], [["sessions", "--here"]]])(
    "that was removed is refused by %j",
    (args) => {
      // The log of `serve` is JSON.
      const { code, stdout, stderr } = runInRemoved(args)
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
      expect(stderr).toContain("the current directory no longer exists")
      expect(stderr).not.toContain("internal error")
    }
  )

  it("that was removed is refused by doctor() of the library", () => {
    const door = pathToFileURL(main.replace("program.js", "promise.js")).href
    const file = join(place, "doctor.mjs")
    const call = "await doctor({ agents: [] }).catch((error) => console.log(String(error)))"
    writeFileSync(file, `import { doctor } from ${JSON.stringify(door)}\n${call}\n`)
    expect(nodeInRemoved([file])).toEqual({
      ...{ code: 0, stderr: "" },
      stdout: "TypeError: doctor: the current directory no longer exists: name one as workingDirectory\n"
    })
  })

  it("that was removed is refused by run, which can have another one", () => {
    const agent = makeAgent()
    expect(runInRemoved(runArgs(agent))).toEqual(gone)
    const { code, stdout } = runInRemoved(["run", "--cwd", place, ...runArgs(agent).slice(1)])
    expect({ code, stdout }).toEqual({ code: 0, stdout: "hello\n" })
  })

  it.skipIf(!canBeNameless)("that cannot be read is refused", () => {
    const closed = join(place, "closed")
    mkdirSync(closed, { mode: 0o700 })
    // Entered by root, then left to another user.
    const node = [process.execPath, "--disable-warning=ExperimentalWarning", main, ...runArgs(makeAgent())]
    const { status, stderr } = spawnSync("setpriv", [`--reuid=${nameless}`, "--clear-groups", ...node], {
      cwd: closed,
      env: { ...path, XDG_STATE_HOME: join(place, "state") },
      encoding: "utf8",
      input: ""
    })
    expect(status).toBe(2)
    expect(stderr).toMatch(/cannot be read: permission denied/)
  })

  it("that is removed during a run ends nothing", () => {
    const directory = join(place, "work")
    mkdirSync(directory)
    const env = { XDG_STATE_HOME: join(place, "state"), XDG_CONFIG_HOME: join(place, "config") }
    const { code, stdout, warnings } = run(runArgs(makeAgent('rmdir "$PWD"')), { cwd: directory, env })
    expect({ code, stdout, warnings }).toEqual({ code: 0, stdout: "hello\n", warnings: [] })
    expect(existsSync(directory)).toBe(false)
  })
})
