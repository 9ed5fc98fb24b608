/** A resume that a real CLI never hears of, or that it cannot do: no success in another session, and the cause is told. */
import { chmod, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type CliId, clis } from "../../src/cli/clis.ts"
import { type AgentError, createAgent } from "../../src/promise.ts"
import { chatCompletions, gemini, messages, responses } from "../../src/testing/ModelServer.ts"
import { makeSandbox } from "../../src/testing/sandbox/sandbox.ts"
import { say } from "../../src/testing/servers/Answer.ts"
import { ofType } from "./rig/agent.ts"
import { pathOf } from "./rig/environment.ts"
import { commandFor } from "./rig/layered.ts"
import { take } from "./rig/live.ts"

const ids = Object.keys(clis) as ReadonlyArray<CliId> // its own keys
const servers = { claude: messages, gemini, codex: responses, opencode: chatCompletions, pi: messages }

/** Starts the program without the session that it is asked to resume. */
const forgetful = (program: string) => `#!/bin/sh
skip=0
for arg do
  shift
  if [ $skip = 1 ]; then skip=0; continue; fi
  case $arg in
    --resume=*|--session=*) continue ;;
    --resume|--session|resume) skip=1; continue ;;
  esac
  set -- "$@" "$arg"
done
exec '${program}' "$@"
`

const openWorld = async (cli: CliId) => {
  const stack = new AsyncDisposableStack()
  const api = stack.use(await servers[cli](() => say("Here I am.")))
  const program = commandFor(cli)
  const sandbox = stack.use(await makeSandbox(cli, api, { path: pathOf([program]) }))
  const wrapper = join(sandbox.work, "forgetful.sh")
  await writeFile(wrapper, forgetful(program))
  await chmod(wrapper, 0o755)
  const agentOf = (command: string) => stack.use(createAgent(cli, { command, env: sandbox.env, killGrace: 1_000 }))
  const params = { workingDirectory: sandbox.work }
  return {
    sandbox,
    params,
    agent: agentOf(program),
    forgetting: agentOf(wrapper),
    [Symbol.asyncDispose]: () => stack.disposeAsync()
  }
}

const rejected = (running: Promise<unknown>): Promise<AgentError> =>
  running.then(
    () => expect.fail("it failed"),
    (error) => error
  )

describe.each(ids)("%s", (cli) => {
  it("that goes on in another session than it was asked to resume is ended", { timeout: 180_000 }, async () => {
    await using world = await openWorld(cli)
    const { sessionId } = await world.agent.run({ ...world.params, prompt: "one" })
    const again = { ...world.params, prompt: "two", ...(sessionId && { sessionId }) }
    const events = await Array.fromAsync(world.forgetting.execute(again))
    expect(ofType(events, "session")).toEqual([])
    expect(ofType(events, "done")[0]?.result).toMatchObject({ reason: "session_changed", text: "", sessionId })
    expect(ofType(events, "error")).toMatchObject([{ code: "session_changed", category: "protocol" }])
    expect(await world.agent.run(again)).toMatchObject({ outcome: "completed", sessionId })
  })

  it("tells in the message why a session cannot be resumed", async () => {
    await using world = await openWorld(cli)
    const sessionId = cli === "opencode" ? "ses_00000000000000000000000000" : "01a1f801-5d59-7703-aad5-9b52d40c34bf"
    const { message, reason } = await rejected(world.agent.run({ ...world.params, prompt: "a secret plan", sessionId }))
    expect(reason.category).toBe("session_not_found")
    expect(message).toMatch(
      /no previous sessions|invalid session identifier|no conversation found|no rollout|no session found|not found/i
    )
    expect(message).not.toContain("secret plan")
    expect(message.length).toBeLessThan(450)
  })
})

describe("claude", () => {
  it("cannot go on in another session in a live session, either", async () => {
    await using world = await openWorld("claude")
    const { sessionId } = await world.agent.run({ ...world.params, prompt: "one" })
    await using session = await world.forgetting.open({ ...world.params, ...(sessionId && { sessionId }) })
    const { events, result } = await take(session, "two")
    expect(result).toMatchObject({ reason: "session_changed", sessionId })
    expect(ofType(events, "session")).toEqual([])
  })

  it("may print what hooks do before the session is there, and clears a session where it is told to", async () => {
    await using world = await openWorld("claude")
    const hooks = { SessionStart: [{ hooks: [{ type: "command", command: "echo hello" }] }] }
    await mkdir(join(world.sandbox.work, ".claude"), { recursive: true })
    await writeFile(join(world.sandbox.work, ".claude", "settings.json"), JSON.stringify({ hooks }))
    const { sessionId } = await world.agent.run({ ...world.params, prompt: "one" })
    const resumed = { ...world.params, ...(sessionId && { sessionId }), slashCommands: true }
    expect(await world.agent.run({ ...resumed, prompt: "two" })).toMatchObject({ outcome: "completed", sessionId })
    await using session = await world.agent.open(resumed)
    expect((await take(session, "/clear")).result.outcome).toBe("completed")
    const { result } = await take(session, "three")
    expect(result.outcome).toBe("completed")
    expect(result.sessionId).not.toBe(sessionId)
    expect(session.sessionId).toBe(result.sessionId)
  })
})
