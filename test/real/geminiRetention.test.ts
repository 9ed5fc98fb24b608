/**
 * Gemini CLI deletes sessions that were resumed in a later minute than they began in, at the next start in their directory
 * that does not resume. Starts of Reins do not: the names of the files are set back, so that the test need not wait a minute.
 */
import { execFile } from "node:child_process"
import { readdirSync, renameSync } from "node:fs"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { createAgent } from "../../src/promise.ts"
import { gemini } from "../../src/testing/ModelServer.ts"
import { makeSandbox } from "../../src/testing/sandbox/sandbox.ts"
import { say } from "../../src/testing/servers/Answer.ts"
import { pathOf } from "./rig/environment.ts"
import { commandFor } from "./rig/layered.ts"
import { take } from "./rig/live.ts"

const program = commandFor("gemini")

const openWorld = async () => {
  const stack = new AsyncDisposableStack()
  const api = stack.use(await gemini(() => say("Here I am.")))
  const sandbox = stack.use(await makeSandbox("gemini", api, { path: pathOf([program]) }))
  const agent = stack.use(createAgent("gemini", { command: program, env: sandbox.env }))
  const chats = join(sandbox.values["GEMINI_CLI_HOME"] ?? sandbox.home, ".gemini/tmp/work/chats")
  const names = () => readdirSync(chats).filter((name) => name.startsWith("session-"))
  return { sandbox, agent, names, chats, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** As if so many more minutes had passed since each of them was begun. */
const setBack = (chats: string, names: ReadonlyArray<string>) => {
  for (const name of names) {
    const [, minute = "", rest = ""] = /^session-(\d{4}-\d\d-\d\dT\d\d-\d\d)(-.*)$/.exec(name) ?? []
    const time = Date.parse(`${minute.slice(0, 13)}:${minute.slice(14)}:00Z`) - 60_000
    renameSync(
      join(chats, name),
      join(chats, `session-${new Date(time).toISOString().slice(0, 16).replace(":", "-")}${rest}`)
    )
  }
}

/** A session with a file for each of three minutes. */
const resumedTwice = async (world: Awaited<ReturnType<typeof openWorld>>) => {
  const { agent, sandbox, chats, names } = world
  const workingDirectory = sandbox.work
  const { sessionId = "" } = await agent.run({ prompt: "one", workingDirectory })
  for (const prompt of ["two", "three"]) {
    setBack(chats, names())
    expect(await agent.run({ prompt, workingDirectory, sessionId })).toMatchObject({ outcome: "completed", sessionId })
  }
  expect(names()).toHaveLength(3)
  return sessionId
}

describe("sessions that were resumed in a later minute", { timeout: 180_000 }, () => {
  it("are still there after every start of Reins, and the user's settings are as they were", async () => {
    await using world = await openWorld()
    const { agent, sandbox, names } = world
    const workingDirectory = sandbox.work
    const settings = join(sandbox.work, ".gemini/settings.json")
    const text = '{\n  // mine\n  "general": { "sessionRetention": { "enabled": true, "maxAge": "30d" } }\n}\n'
    await mkdir(join(sandbox.work, ".gemini"))
    await writeFile(settings, text)
    const sessionId = await resumedTwice(world)
    const before = names()
    await agent.run({ prompt: "another", workingDirectory })
    expect(names()).toEqual(expect.arrayContaining(before))
    const live = await agent.open({ workingDirectory })
    await take(live, "live")
    await live.close()
    expect(names()).toEqual(expect.arrayContaining(before))
    await agent.models({ workingDirectory })
    expect(names()).toEqual(expect.arrayContaining(before))
    expect(await agent.run({ prompt: "four", workingDirectory, sessionId })).toMatchObject({
      outcome: "completed",
      sessionId
    })
    expect(await readFile(settings, "utf8")).toBe(text)
  })

  it("are deleted by a start of the user's own", async () => {
    await using world = await openWorld()
    const { sandbox, names } = world
    await resumedTwice(world)
    const before = names()
    const own = promisify(execFile)(program, ["--skip-trust", "--prompt", "mine"], {
      cwd: sandbox.work,
      env: sandbox.values
    })
    own.child.stdin?.end()
    await own
    expect(names().filter((name) => before.includes(name)).length).toBeLessThan(before.length)
  })
})
