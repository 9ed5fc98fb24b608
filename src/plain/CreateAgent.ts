/** Agents for plain callers: options in, checked at once, and an agent for any number of runs and sessions out. */
import { Layer, Logger, Predicate, Result } from "effect"
import { Acp, type AcpOptions } from "../Acp.ts"
import { AgentRuntime } from "../AgentRuntime.ts"
import { type CliId, clis } from "../Agents.ts"
import { type AgentOptions, parseOptions } from "../contract/AgentOptions.ts"
import { nodePlatform } from "../process/nodePlatform.ts"
import { makePlainAgent, type PlainAgent } from "./PlainAgent.ts"

export interface CreateAgentOptions extends AgentOptions {
  /** The watchdog's `idle` budget in milliseconds: how long the model may be silent. `timeouts` has the others. */
  readonly timeoutMs?: number
}

/** To stderr: stdout may be a protocol of the host. */
const warnings = Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])

const isCliId = (id: string): id is CliId => Object.hasOwn(clis, id)

/** One agent for any number of runs, also at once. Nothing is started before the first run. */
export const createAgent = (name: CliId, given: CreateAgentOptions = {}): PlainAgent => {
  if (!Predicate.isObject(given)) throw new TypeError("createAgent: the options are no object")
  const { timeoutMs, ...options }: CreateAgentOptions = given
  const id = String(name).trim().toLowerCase()
  if (!isCliId(id)) {
    throw new TypeError(`createAgent: ${JSON.stringify(String(name))} is none of ${Object.keys(clis).join(", ")}`)
  }
  const timeouts = { ...options.timeouts, idle: options.timeouts?.idle ?? timeoutMs }
  const checked = parseOptions({ ...options, timeouts })
  if (Result.isFailure(checked)) throw new TypeError(`createAgent: ${checked.failure.message}`)
  const layer = AgentRuntime.layer(clis[id], { ...options, timeouts }).pipe(Layer.provide([nodePlatform, warnings]))
  return makePlainAgent(id, layer)
}

/** An agent that Reins does not know, by the Agent Client Protocol that it speaks: what `Acp.layer` says holds here. */
export const createAcpAgent = (given: AcpOptions): PlainAgent<string> => {
  if (!Predicate.isObject(given) || typeof given.command !== "string") {
    throw new TypeError("createAcpAgent: the options are no object with a command")
  }
  const { args: _args, id = "acp", ...options } = given
  const checked = parseOptions(options)
  if (Result.isFailure(checked)) throw new TypeError(`createAcpAgent: ${checked.failure.message}`)
  return makePlainAgent(id, Acp.layer(given).pipe(Layer.provide([nodePlatform, warnings])))
}
