/** A live session of a real CLI with a scripted model, by the plain door, in a sandbox of its own. */

import type { CliId } from "../../../src/cli/clis.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { createAgent, type PlainOpenParams, type PlainSession } from "../../../src/promise.ts"
import { chatCompletions, gemini, messages, responses } from "../../../src/testing/ModelServer.ts"
import { makeSandbox } from "../../../src/testing/sandbox/sandbox.ts"
import { type Answer, tool } from "../../../src/testing/servers/Answer.ts"
import type { ModelRequest } from "../../../src/testing/servers/request.ts"
import { shell } from "./codex.ts"
import { pathOf } from "./environment.ts"
import { commandFor } from "./layered.ts"

const servers = { claude: messages, gemini, codex: responses, opencode: chatCompletions, pi: messages }

/** A command that no CLI thinks harmless. */
export const command: { readonly [Id in CliId]: (text: string) => ReturnType<typeof tool> } = {
  claude: (text) => tool("Bash", { command: text, description: "as asked" }),
  gemini: (text) => tool("run_shell_command", { command: text, description: "as asked" }),
  codex: (text) => shell(text),
  opencode: (text) => tool("bash", { command: text, description: "as asked" }),
  pi: (text) => tool("bash", { command: text })
}

export const openLive = async (
  cli: CliId,
  script: ReadonlyArray<Answer> | ((request: ModelRequest) => Answer),
  params: PlainOpenParams = {}
) => {
  const stack = new AsyncDisposableStack()
  try {
    const api = stack.use(await servers[cli](script))
    const program = commandFor(cli)
    const sandbox = stack.use(await makeSandbox(cli, api, { path: pathOf([program]) }))
    const agent = stack.use(createAgent(cli, { command: program, env: sandbox.env }))
    const session = stack.use(await agent.open({ workingDirectory: sandbox.work, ...params }))
    return { api, sandbox, session, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

/** One turn must look like this: one `turn_done`, last; joined text is the result's. */
export const take = async (
  session: PlainSession,
  prompt: string,
  onEvent: (event: AgentEvent) => unknown = () => {}
) => {
  const events: Array<AgentEvent> = []
  for await (const event of session.turn(prompt)) {
    events.push(event)
    await onEvent(event)
  }
  const last = events.at(-1)
  const ends = events.filter((event) => event.type === "turn_done" || event.type === "done")
  if (last?.type !== "turn_done" || ends.length !== 1) {
    throw new Error(`no single turn_done at the end: ${events.map((event) => event.type).join(" ")}`)
  }
  return { events, result: last.result }
}
