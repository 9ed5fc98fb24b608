/** A session that a CLI keeps for another directory is refused before anything is started. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import type { CliId } from "../../../src/cli/clis.ts"
import { createAgent } from "../../../src/promise.ts"
import { programPath } from "../../kit/agent.ts"
import { makeHome } from "./kit.ts"

const inGemini = "11111111-1111-4111-8111-111111111111"
const inOpencode = "ses_dfd981528ffeouO87uhi4W1nWT"

const inPi = "01a2246d-fecc-7482-aa5e-ab33d349188a"

const cases: ReadonlyArray<readonly [CliId, string, string]> = [
  ["gemini", "plain", inGemini],
  ["opencode", "list", inOpencode],
  ["pi", "plain", inPi]
]

const makeWorld = (cli: CliId, scenario: string) => {
  const made = makeHome(cli, scenario)
  const there = join(made.user, "there")
  const here = join(made.user, "here")
  mkdirSync(there)
  mkdirSync(here)
  const agent = createAgent(cli, {
    command: process.execPath,
    baseArgs: [programPath("exits-1"), "--"],
    env: {
      values: { HOME: made.user, XDG_DATA_HOME: undefined, GEMINI_CLI_HOME: undefined, PI_CODING_AGENT_DIR: undefined }
    },
    killGrace: 300
  })
  return { ...made, agent, there, here }
}

/** The CLI keeps the session for this directory. */
const belongsTo = (cli: CliId, home: string, directory: string) => {
  if (cli === "gemini") return writeFileSync(join(home, "tmp/workspace/.project_root"), directory)
  if (cli === "pi") {
    const folder = join(home, "sessions/--workspace--")
    const [file = ""] = readdirSync(folder)
    const lines = readFileSync(join(folder, file), "utf8")
    return writeFileSync(join(folder, file), lines.replace(/"cwd":"[^"]*"/, `"cwd":${JSON.stringify(directory)}`))
  }
  const db = new DatabaseSync(join(home, "opencode.db"))
  db.prepare("UPDATE session SET directory = ?").run(directory)
  db.close()
}

const failure = (running: Promise<unknown>): Promise<{ readonly reason: { readonly _tag: string } }> =>
  running.then(
    () => expect.fail("it did not fail"),
    (error) => error
  )

describe.each(cases)("%s", (cli, scenario, sessionId) => {
  it("names the session's directory, of a run and of a live session", async () => {
    using world = makeWorld(cli, scenario)
    const { agent, there, here, home } = world
    belongsTo(cli, home, there)
    const reason = { _tag: "SessionElsewhere", sessionId, directory: there, asked: here }
    expect(await failure(agent.run({ prompt: "on", sessionId, workingDirectory: here }))).toMatchObject({ reason })
    expect(await failure(agent.open({ sessionId, workingDirectory: here }))).toMatchObject({ reason })
    await agent[Symbol.asyncDispose]()
  })

  it("asks the CLI in the session's own directory, by any of its names, and where it is not known", async () => {
    using world = makeWorld(cli, scenario)
    const { agent, there, here, home, user } = world
    belongsTo(cli, home, there)
    const link = join(user, "link")
    symlinkSync(there, link)
    for (const params of [
      { sessionId, workingDirectory: there },
      { sessionId, workingDirectory: link },
      { sessionId: `${sessionId.slice(0, -2)}00`, workingDirectory: here },
      { workingDirectory: here }
    ]) {
      expect(await failure(agent.run({ prompt: "on", ...params }))).toMatchObject({ reason: { _tag: "Exited" } })
    }
    await agent[Symbol.asyncDispose]()
  })
})

it("Claude Code and Codex go on anywhere", async () => {
  using world = makeWorld("claude", "plain")
  const { agent, here } = world
  const running = agent.run({ prompt: "on", sessionId: inGemini, workingDirectory: here })
  expect(await failure(running)).toMatchObject({ reason: { _tag: "Exited" } })
  await agent[Symbol.asyncDispose]()
})
