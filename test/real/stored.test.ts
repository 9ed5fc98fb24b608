/**
 * Sessions that the real CLIs began by themselves are found where each keeps them, by the variables that it obeys, and read
 * as what was asked and answered; nothing there is written.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { Effect, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { type CliId, clis } from "../../src/cli/clis.ts"
import { findOutside, listOutside, readOutside } from "../../src/conversations/turns/outside.ts"
import { createAgent } from "../../src/promise.ts"
import { chatCompletions, gemini, messages, responses } from "../../src/testing/ModelServer.ts"
import { makeSandbox } from "../../src/testing/sandbox/sandbox.ts"
import { call, say } from "../../src/testing/servers/Answer.ts"
import { pathOf } from "./rig/environment.ts"
import { commandFor } from "./rig/layered.ts"
import { command } from "./rig/live.ts"

const ids = Object.keys(clis) as ReadonlyArray<CliId> // its own keys
const servers = { claude: messages, gemini, codex: responses, opencode: chatCompletions, pi: messages }

/** The variable that moves the home of the CLI, the folder that it has without, and where its content goes. */
const movedBy: Readonly<Record<CliId, readonly [variable: string, folder: string, below: string]>> = {
  claude: ["CLAUDE_CONFIG_DIR", ".claude", "."],
  gemini: ["GEMINI_CLI_HOME", ".gemini", ".gemini"],
  codex: ["CODEX_HOME", ".codex", "."],
  opencode: ["XDG_DATA_HOME", ".local/share", "."],
  pi: ["PI_CODING_AGENT_DIR", ".pi/agent", "."]
}

const openWorld = async (cli: CliId, script: ReadonlyArray<ReturnType<typeof say>>) => {
  const stack = new AsyncDisposableStack()
  const api = stack.use(await servers[cli](script))
  const program = commandFor(cli)
  const sandbox = stack.use(await makeSandbox(cli, api, { path: pathOf([program]) }))
  return { sandbox, program, stack, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

const namesBelow = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(jsonl|sqlite|db)|-wal|-shm/.test(name))
    .map((name) => `${name} ${statSync(join(directory, name)).size}`)
    .sort()

describe.each(ids)("%s", (cli) => {
  it("a session of two turns is listed, found and read", { timeout: 180_000 }, async () => {
    const tool = call(command[cli]("echo forty-two"))
    await using world = await openWorld(cli, [tool, say("The first."), say("The second."), say("spare"), say("spare")])
    const { sandbox, program } = world
    const agent = world.stack.use(createAgent(cli, { command: program, env: sandbox.env }))
    // As root, Claude Code does not bypass.
    const allowed = cli === "claude" ? { allowedTools: ["Bash"] } : { permissionMode: "bypass" as const }
    const params = { workingDirectory: sandbox.work, ...allowed }
    const { sessionId = "" } = await agent.run({ ...params, prompt: "Say one, please" })
    await agent.run({ ...params, prompt: "Say two, please", sessionId })
    const of = { cli: clis[cli], env: sandbox.values }
    const before = namesBelow(sandbox.home)
    const { sessions, warnings } = await Effect.runPromise(listOutside([of]))
    expect(warnings).toEqual([])
    expect(sessions).toMatchObject([
      { cli, sessionId, origin: "outside", state: "live", directory: sandbox.work, turns: 2 }
    ])
    expect(sessions[0]?.title).toBe(cli === "opencode" ? sessions[0]?.title : "Say one, please")
    expect(sessions[0]?.title).toBeDefined()
    expect(sessions[0]?.model).toBeDefined()
    expect(Math.abs((sessions[0]?.usedAt ?? 0) - Date.now())).toBeLessThan(60_000)
    expect(await Effect.runPromise(findOutside(of, sessionId))).toEqual(sessions[0])
    const stream = (await Effect.runPromise(readOutside(of, sessionId))) ?? Stream.empty
    const items = await Effect.runPromise(Stream.runCollect(stream))
    const lines = items.flatMap((item) => {
      if ("prompt" in item) return [`> ${item.prompt}`]
      const { event } = item
      if (event.type === "text") return [event.text.trim()]
      if (event.type === "tool_use") return [`${event.kind} ${event.title}`.replace("sleep 0.3; ", "")]
      return event.type === "tool_result" ? [/forty-two/.exec(event.output)?.[0] ?? event.output] : []
    })
    expect(lines).toEqual([
      "> Say one, please",
      "command echo forty-two",
      "forty-two",
      "The first.",
      "> Say two, please",
      "The second."
    ])
    expect(namesBelow(sandbox.home)).toEqual(before)
    const other = join(sandbox.work, "other")
    mkdirSync(other)
    const elsewhere = agent.run({ prompt: "Say three", sessionId, workingDirectory: other })
    if (cli === "claude" || cli === "codex") expect(await elsewhere).toMatchObject({ sessionId })
    else
      await expect(elsewhere).rejects.toMatchObject({ reason: { _tag: "SessionElsewhere", directory: sandbox.work } })
  })

  it("is found where the variable of its home leads", { timeout: 120_000 }, async () => {
    await using world = await openWorld(cli, [say("Here."), say("spare"), say("spare")])
    const { sandbox, program } = world
    const moved = join(sandbox.work, "moved")
    const [variable, folder, below] = movedBy[cli]
    mkdirSync(join(moved, below), { recursive: true })
    if (existsSync(join(sandbox.home, folder)))
      cpSync(join(sandbox.home, folder), join(moved, below), { recursive: true })
    const values = { ...sandbox.values, [variable]: moved }
    const env = { policy: "allow-list", allow: [], values } as const
    const agent = world.stack.use(createAgent(cli, { command: program, env }))
    const { sessionId } = await agent.run({ workingDirectory: sandbox.work, prompt: "Where?" })
    const { sessions } = await Effect.runPromise(listOutside([{ cli: clis[cli], env: values }]))
    expect(sessions.map((session) => session.sessionId)).toEqual([sessionId])
    expect((await Effect.runPromise(listOutside([{ cli: clis[cli], env: sandbox.values }]))).sessions).toEqual([])
  })
})
