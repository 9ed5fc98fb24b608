/** One agent, four turns: a text, a command, an interrupt, a text behind it. Gives what was seen. */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { PermissionMode } from "../../../src/contract/AgentExecuteParams.ts"
import type { AcpAgentId } from "../../../src/contract/CliSupport.ts"
import { createAgent, type PlainSession } from "../../../src/promise.ts"
import { chatCompletions, messages, responses } from "../../../src/testing/ModelServer.ts"
import { makeFolders } from "../../../src/testing/sandbox/sandbox.ts"
import { cleanEnvironment } from "../../../src/testing/sandbox/surroundings.ts"
import { type Answer, type Block, call, drip, say } from "../../../src/testing/servers/Answer.ts"
import type { ModelRequest } from "../../../src/testing/servers/request.ts"
import { only, pathOf } from "../../../test/real/rig/environment.ts"
import type { Lead } from "./surroundings.ts"

const servers = { chatCompletions, messages, responses }

const steps = ["SAY-HELLO", "TOUCH-FILE", "TALK-ON", "SAY-AGAIN"] as const
type Step = (typeof steps)[number]

const file = "made.txt"

/** The answer to the newest step that stands in the conversation. Requests without tools are the agent's own, as for a title. */
const answerTo =
  (command: Block) =>
  (request: ModelRequest): Answer => {
    if (request.toolNames.length === 0) return say("A title")
    const conversation = JSON.stringify(request.body)
    const placed = steps.map((step) => [step, conversation.lastIndexOf(step)] as const).filter(([, at]) => at >= 0)
    const [step]: readonly [Step, number] = placed.toSorted((a, b) => b[1] - a[1])[0] ?? ["SAY-HELLO", 0]
    if (step === "TALK-ON") return drip()
    if (step === "TOUCH-FILE") return request.toolResults.length === 0 ? call(command) : say("Done.")
    return say(step === "SAY-HELLO" ? "Hello." : "Again.")
  }

export interface Trial {
  /** Mode in which the session began; empty if the agent tells none. */
  readonly mode: string
  readonly text: string
  /** Whether the command waited for an answer. */
  readonly isAsked: boolean
  readonly toolResult: string
  readonly isMade: boolean
  readonly interrupted: string
  readonly after: string
  /** Input tokens of each turn, as counted for it; `-` without. */
  readonly inputTokens: string
  readonly notices: ReadonlyArray<string>
  /** The tools of the model's first request. */
  readonly toolNames: ReadonlyArray<string>
}

const deadlineMs = 60_000

const turn = async (session: PlainSession, step: Step, onEvent: (event: AgentEvent) => unknown = () => {}) => {
  const events: Array<AgentEvent> = []
  const deadline = setTimeout(() => void session.close(), deadlineMs)
  try {
    for await (const event of session.turn(`${step}, please.`)) {
      events.push(event)
      await onEvent(event)
    }
  } finally {
    clearTimeout(deadline)
  }
  const last = events.at(-1)
  const result = last?.type === "turn_done" || last?.type === "done" ? last.result : undefined
  return { events, result }
}

type Turn = Awaited<ReturnType<typeof turn>>

const outcomeOf = ({ events, result }: Turn) => {
  const error = events.find((event) => event.type === "error")
  const detail = error === undefined ? "" : ` (${error.message})`
  return `${result?.outcome ?? "no end"}: ${result?.text.trim() ?? ""}${detail}`
}

export const tryAgent = async (
  id: AcpAgentId,
  program: string,
  lead: Lead,
  permissionMode?: PermissionMode
): Promise<Trial> => {
  await using stack = new AsyncDisposableStack()
  const api = stack.use(await servers[lead.protocol](answerTo(lead.command(`rm -rf gone; touch ${file}`))))
  const folders = stack.use(await makeFolders())
  const env = { ...cleanEnvironment({ ...folders, path: pathOf([program]) }), ...lead.env(api.url) }
  for (const [path, content] of Object.entries(lead.files?.(api.url) ?? {})) {
    await mkdir(dirname(join(folders.home, path)), { recursive: true })
    await writeFile(join(folders.home, path), content)
  }
  if (lead.signIn !== undefined) {
    const { status, stderr, stdout } = spawnSync(program, lead.signIn(api.url), {
      env,
      cwd: folders.work,
      encoding: "utf8"
    })
    if (status !== 0) throw new Error(`its sign-in ended with ${status}: ${stderr}${stdout}`)
  }
  let isAsked = false
  const agent = stack.use(createAgent(id, { command: program, env: only(env) }))
  const session = stack.use(
    await agent.open({
      workingDirectory: folders.work,
      ...(permissionMode === undefined ? {} : { permissionMode }),
      onPermission: async () => {
        isAsked = true
        return { decision: "allow" }
      }
    })
  )
  const all = Array.fromAsync(session.events)
  const hello = await turn(session, "SAY-HELLO")
  const touch = await turn(session, "TOUCH-FILE")
  let isInterrupted = false
  const talk = await turn(session, "TALK-ON", (event) => {
    if (event.type !== "text" || isInterrupted) return
    isInterrupted = true
    void session.interrupt()
  })
  const again = await turn(session, "SAY-AGAIN")
  const turns = [hello, touch, talk, again]
  await session.close()
  const begun = (await all).find((event) => event.type === "session")
  return {
    mode: begun?.permissionMode ?? "",
    text: outcomeOf(hello),
    isAsked,
    toolResult: touch.events.flatMap((event) => (event.type === "tool_result" ? [event.output] : [])).join("; "),
    isMade: existsSync(join(folders.work, file)),
    interrupted: talk.result?.outcome ?? "no end",
    after: outcomeOf(again),
    inputTokens: turns.map(({ result }) => result?.usage?.inputTokens ?? "-").join(" "),
    notices: turns.flatMap(({ events }) => events.flatMap((event) => (event.type === "notice" ? [event.message] : []))),
    toolNames: api.requests.find(({ toolNames }) => toolNames.length > 0)?.toolNames ?? []
  }
}
