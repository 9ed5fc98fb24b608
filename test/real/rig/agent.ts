/** An agent of the plain door that drives the real Claude Code against a scripted server, in a sandbox of its own. */
import {
  type AgentEvent,
  type AgentRunResult,
  type CreateAgentOptions,
  createAgent,
  type ParamsOf
} from "../../../src/promise.ts"
import { type MessagesScript, messages } from "../../../src/testing/ModelServer.ts"
import { makeFolders } from "../../../src/testing/sandbox/sandbox.ts"
import { claudeCommand, claudeEnv } from "./claude.ts"
import { only } from "./environment.ts"

interface OpenOptions {
  readonly agent?: CreateAgentOptions
  readonly env?: Readonly<Record<string, string>>
}

type Params = Partial<ParamsOf<"claude">>

export const openAgent = async (script: MessagesScript, { agent: options = {}, env = {} }: OpenOptions = {}) => {
  const stack = new AsyncDisposableStack()
  const api = stack.use(await messages(script))
  const sandbox = stack.use(await makeFolders())
  const values = claudeEnv(sandbox, api.url, env)
  const agent = stack.use(createAgent("claude", { command: claudeCommand, env: only(values), ...options }))
  const withDefaults = (params: Params): ParamsOf<"claude"> => ({
    prompt: "go on",
    workingDirectory: sandbox.work,
    ...params
  })
  const execute = (params: Params = {}) => agent.execute(withDefaults(params))
  return {
    api,
    sandbox,
    values,
    execute,
    run: (params: Params = {}) => agent.run(withDefaults(params)),
    collect: async (params: Params = {}) => summarize(await Array.fromAsync(execute(params))),
    [Symbol.asyncDispose]: () => stack.disposeAsync()
  }
}

interface Summary {
  readonly events: ReadonlyArray<AgentEvent>
  readonly result: AgentRunResult
  readonly error: Extract<AgentEvent, { type: "error" }> | undefined
}

/** Every run must look like this: one `done`, last; joined text, less what was withdrawn, is the result's text. */
export const summarize = (events: ReadonlyArray<AgentEvent>): Summary => {
  const last = events.at(-1)
  if (last?.type !== "done" || events.filter((event) => event.type === "done").length !== 1) {
    throw new Error(`no single done at the end: ${events.map((event) => event.type).join(" ")}`)
  }
  const text = events.reduce((text, event) => {
    if (event.type === "text" && event.parentToolId === undefined) return text + event.text
    const isVoid = event.type === "notice" && event.kind === "text_voided"
    return isVoid ? text.slice(0, text.length - Number(event.data?.["characters"])) : text
  }, "")
  if (text !== last.result.text)
    throw new Error(`text ${JSON.stringify(text)} is not ${JSON.stringify(last.result.text)}`)
  return { events, result: last.result, error: events.find((event) => event.type === "error") }
}

export const ofType = <Type extends AgentEvent["type"]>(events: ReadonlyArray<AgentEvent>, type: Type) =>
  events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type)
