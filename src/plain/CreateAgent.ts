/** Agents of the plain door: options are checked at once, and an agent serves any number of runs and sessions. */
import { Layer, Logger, Predicate, Result } from "effect"
import { Acp, type AcpOptions } from "../Acp.ts"
import { AgentRuntime } from "../AgentRuntime.ts"
import { type CliId, clis } from "../Agents.ts"
import type { Cli } from "../cli/Cli.ts"
import { type AgentOptions, parseOptions } from "../contract/AgentOptions.ts"
import { nodePlatform } from "../process/Platform.ts"
import { makePlainAgent, type PlainAgent } from "./PlainAgent.ts"
import { type PlainSeams, seamsLayer } from "./PlainGate.ts"

export interface CreateAgentOptions extends AgentOptions, PlainSeams {
  /** Short for `timeouts.idle`, in milliseconds: how long the model may be silent. */
  readonly timeoutMs?: number
}

export interface CreateAcpAgentOptions extends AcpOptions, PlainSeams {}

/** Warnings go to stderr: the host may use stdout for a protocol. */
const warnings = Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])

/** Throws for invalid options. */
const checkedSeams = (
  name: string,
  options: AgentOptions,
  given: { [Name in keyof PlainSeams]: PlainSeams[Name] | undefined }
) => {
  const layer = Result.flatMap(parseOptions(options), () => seamsLayer(given))
  if (Result.isFailure(layer)) throw new TypeError(`${name}: ${layer.failure.message}`)
  return layer.success
}

const isCliId = (id: string): id is CliId => Object.hasOwn(clis, id)

const isCli = (given: unknown): given is Cli => Predicate.hasProperty(given, "plan") && Predicate.isFunction(given.plan)

const cliOf = (given: CliId | Cli): Cli => {
  if (isCli(given)) return given
  const key = String(given).trim().toLowerCase()
  if (isCliId(key)) return clis[key]
  throw new TypeError(`createAgent: ${JSON.stringify(String(given))} is not one of ${Object.keys(clis).join(", ")}`)
}

/**
 * One agent for any number of runs, also concurrent ones. Nothing is started before the first run. The CLI is a supported
 * one, by its id, or one of your own: the value of `Cli.make` of the Effect door.
 */
export function createAgent(name: CliId, options?: CreateAgentOptions): PlainAgent
export function createAgent(cli: Cli, options?: CreateAgentOptions): PlainAgent<string>
export function createAgent(cliOrName: CliId | Cli, given: CreateAgentOptions = {}): PlainAgent<string> {
  if (!Predicate.isObject(given)) throw new TypeError("createAgent: the options are not an object")
  const { timeoutMs, gates, observers, ...options }: CreateAgentOptions = given
  const cli = cliOf(cliOrName)
  const timeouts = { ...options.timeouts, idle: options.timeouts?.idle ?? timeoutMs }
  const seams = checkedSeams("createAgent", { ...options, timeouts }, { gates, observers })
  const layer = AgentRuntime.layer(cli, { ...options, timeouts })
  return makePlainAgent(cli.id, layer.pipe(Layer.provide([nodePlatform, warnings, seams])))
}

/** Any agent that speaks the Agent Client Protocol, as described for `Acp.layer`. */
export const createAcpAgent = (given: CreateAcpAgentOptions): PlainAgent<string> => {
  if (!Predicate.isObject(given) || typeof given.command !== "string") {
    throw new TypeError("createAcpAgent: the options are not an object with a command")
  }
  const { gates, observers, ...agent } = given
  const { args: _args, id = "acp", ...options } = agent
  const seams = checkedSeams("createAcpAgent", options, { gates, observers })
  return makePlainAgent(id, Acp.layer(agent).pipe(Layer.provide([nodePlatform, warnings, seams])))
}
