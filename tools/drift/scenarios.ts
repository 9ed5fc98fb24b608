// The fixed scenarios of each CLI: what the scripted model answers, and what is asked of the CLI. The names are those of
// `order` in the vocabulary.

import type { CliId } from "../../src/cli/clis.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import type { AgentEvent, PlainSession } from "../../src/promise.ts"
import { type Answer, call, fail, message, say, stall, think, thought, tool } from "../../src/testing/servers/Answer.ts"
import type { ModelRequest } from "../../src/testing/servers/request.ts"
import type { Script } from "../../src/testing/servers/script.ts"
import { command } from "../../test/real/rig/live.ts"

/** The set-up of a scenario. */
export interface Stage {
  /** Gives the id of its session. */
  readonly run: (params?: Partial<AgentExecuteParams>) => Promise<string | undefined>
  /** Every request is allowed. */
  readonly open: () => Promise<PlainSession>
}

export interface Scenario {
  readonly name: string
  readonly script: Script<ModelRequest>
  /** Number of failed requests. Default: 0. */
  readonly retries?: number
  /** Files of the home. */
  readonly home?: Readonly<Record<string, string>>
  readonly play: (stage: Stage) => Promise<unknown>
}

const once =
  (params: Partial<AgentExecuteParams> = {}) =>
  ({ run }: Stage) =>
    run(params)

const take = async (
  session: PlainSession,
  prompt: string,
  onEvent: (event: AgentEvent) => unknown = () => undefined
) => {
  for await (const event of session.turn(prompt)) await onEvent(event)
}

/** So that tools run unasked. */
const free: Readonly<Record<CliId, Partial<AgentExecuteParams>>> = {
  claude: { allowedTools: ["Bash", "Agent"] },
  gemini: { permissionMode: "bypass" },
  codex: { permissionMode: "bypass" },
  opencode: {},
  pi: {}
}

const codexSubAgent = (request: ModelRequest): Answer => {
  const [spawned, ...others] = request.toolResults
  if (request.prompt === "look around") return say("Sub answer.")
  if (spawned === undefined) return call(tool("multi_agent_v1.spawn_agent", { message: "look around" }))
  if (others.length > 0) return say("All done.")
  const { agent_id } = JSON.parse(spawned.text)
  return call(tool("multi_agent_v1.wait_agent", { targets: [agent_id], timeout_ms: 20_000 }))
}

const geminiSubAgent = ({ toolNames, toolResults }: ModelRequest): Answer => {
  if (toolNames.includes("complete_task")) return call(tool("complete_task", { result: "Sub answer." }))
  if (toolResults.length > 0) return say("All done.")
  return call(tool("invoke_agent", { agent_name: "generalist", prompt: "look around" }))
}

const agentCall = tool("Agent", {
  description: "d",
  prompt: "look",
  subagent_type: "general-purpose",
  run_in_background: false
})
const taskCall = tool("task", { description: "sub work", prompt: "look", subagent_type: "general" })

const subAgents: Readonly<Partial<Record<CliId, Scenario>>> = {
  claude: {
    name: "sub-agent",
    script: { main: [call(agentCall), say("All done.")], agents: [say("Sub answer.")] },
    play: once(free.claude)
  },
  gemini: { name: "sub-agent", script: geminiSubAgent, play: once(free.gemini) },
  codex: { name: "sub-agent", script: codexSubAgent, play: once({ ...free.codex, model: "of-an-older-kind" }) },
  opencode: {
    name: "sub-agent",
    script: { main: [call(taskCall), say("All done.")], agents: [say("Sub answer.")] },
    play: once()
  }
}

const later = tool("Bash", { command: "sleep 2", description: "work", run_in_background: true })
const left = tool("exec_command", { cmd: "sleep 600", yield_time_ms: 600 })

const backgrounds: Readonly<Partial<Record<CliId, Scenario>>> = {
  claude: {
    name: "background",
    script: [call(later), say("Started it."), say("It has finished.")],
    play: once(free.claude)
  },
  codex: { name: "background", script: [call(left), say("Left it.")], play: once(free.codex) }
}

/** Asks before a command, and says something. */
const piExtension = `export default (pi) => {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash") return
    ctx.ui.notify("about to run", "warning")
    if (!(await ctx.ui.confirm("Careful", "Run it?"))) return { block: true, reason: "not allowed" }
  })
}`

const dialogs: Readonly<Partial<Record<CliId, Scenario>>> = {
  pi: {
    name: "live: dialog of an extension, steering",
    script: [call(command.pi("echo hi")), say("done"), say("after")],
    home: { ".pi/agent/extensions/careful.ts": piExtension },
    play: async ({ open }) => {
      const session = await open()
      await take(session, "one", ({ type }) => {
        if (type === "tool_use") void session.send("two")
      })
      await session.close()
    }
  }
}

/** OpenCode cannot be told how often to try again: it is told when, and then it gets an answer. */
const tooMany = (id: CliId): ReadonlyArray<Answer> =>
  id === "opencode" ? [fail(429, { headers: { "retry-after": "1" } }), say("ok")] : [fail(429)]

const playLive = async ({ open }: Stage) => {
  const session = await open()
  await take(session, "one")
  await take(session, "two", ({ type }) => {
    if (type === "text") void session.interrupt()
  })
  await take(session, "three")
  await session.close()
}

export const scenariosOf = (id: CliId): ReadonlyArray<Scenario> => {
  const [subAgent, background, dialog] = [subAgents[id], backgrounds[id], dialogs[id]]
  return [
    { name: "text", script: [say(["Hel", "lo"])], play: once() },
    {
      name: "thinking and tool",
      script: [message([thought("hm"), command[id]("echo hi")]), think("hm", "done")],
      play: once(free[id])
    },
    { name: "failing tool", script: [call(command[id]("exit 3")), say("done")], play: once(free[id]) },
    ...(subAgent === undefined ? [] : [subAgent]),
    ...(background === undefined ? [] : [background]),
    ...(dialog === undefined ? [] : [dialog]),
    {
      name: "cut stream",
      script: [say("lost", { ending: "cut", cutAfterMs: 1_000 }), say("kept")],
      retries: 1,
      play: once()
    },
    { name: "400", script: [fail(400)], play: once() },
    { name: "429", script: tooMany(id), retries: id === "gemini" ? 0 : 1, play: once() },
    {
      name: "resume",
      script: [say("one"), say("two")],
      play: async ({ run }) => {
        const sessionId = await run()
        if (sessionId !== undefined) await run({ sessionId })
      }
    },
    {
      name: "live: approval, interrupt, failure",
      script: [call(command[id]("touch made")), say("done"), stall(["some ", "words"]), fail(400)],
      play: playLive
    }
  ]
}
