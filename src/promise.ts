/**
 * Door for plain callers: `for await` over events, `await` for a result.
 */
import { Layer, Logger, Predicate, Result } from "effect"
import { Acp, type AcpOptions } from "./Acp.ts"
import { AgentRuntime } from "./AgentRuntime.ts"
import { type CliId, clis } from "./Agents.ts"
import { type AgentOptions, parseOptions } from "./contract/AgentOptions.ts"
import { makePlainAgent, type PlainAgent } from "./plain/PlainAgent.ts"
import { nodePlatform } from "./process/nodePlatform.ts"

export type { AcpOptions } from "./Acp.ts"
export type { CliId } from "./Agents.ts"
export * as Approvals from "./Approvals.ts"
export { AgentError, type FailureReason } from "./contract/AgentError.ts"
export type {
  AgentEvent,
  DoneEvent,
  ErrorEvent,
  NoticeEvent,
  NoticeKind,
  PermissionDecisionEvent,
  PermissionRequestEvent,
  QuestionAnswerEvent,
  QuestionEvent,
  SessionEvent,
  TextEvent,
  ThinkingEvent,
  ToolKind,
  ToolResultEvent,
  ToolUseEvent,
  TurnDoneEvent,
  UnknownEvent,
  UsageEvent
} from "./contract/AgentEvent.ts"
export type { AgentExecuteParams, McpServer, PermissionMode, Timeouts } from "./contract/AgentExecuteParams.ts"
export type { AgentOptions, EnvironmentOptions, Limits } from "./contract/AgentOptions.ts"
export type {
  AgentRunResult,
  AgentUsage,
  ErrorCategory,
  ModelUsage,
  PermissionDenial,
  ProcessExit,
  RunOutcome,
  RunReason
} from "./contract/AgentRunResult.ts"
export type { Delivery } from "./contract/AgentSession.ts"
export type { Hook, HostTool } from "./contract/HostTool.ts"
export type { Answers, DecidedBy, FileEdit, PermissionScope, Question } from "./contract/SessionEvent.ts"
export type { PlainAgent } from "./plain/PlainAgent.ts"
export type { PlainOpenParams, PlainSession } from "./plain/PlainSession.ts"
export { mayRetry } from "./Retry.ts"

export interface CreateAgentOptions extends AgentOptions {
  /** The watchdog's `idle` budget in milliseconds: how long the model may be silent. `timeouts` has the others. */
  readonly timeoutMs?: number
}

/** To stderr: stdout may be a protocol of the host. */
const warnings = Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])

const isCliId = (key: string): key is CliId => Object.hasOwn(clis, key)

/** One agent for any number of runs, also at once. Nothing is started before the first run. */
export const createAgent = (name: CliId, given: CreateAgentOptions = {}): PlainAgent => {
  if (!Predicate.isObject(given)) throw new TypeError("createAgent: the options are no object")
  const { timeoutMs, ...options }: CreateAgentOptions = given
  const key = String(name).trim().toLowerCase()
  if (!isCliId(key)) {
    throw new TypeError(`createAgent: ${JSON.stringify(String(name))} is none of ${Object.keys(clis).join(", ")}`)
  }
  const id = key
  const cli = clis[id]
  const timeouts = { ...options.timeouts, idle: options.timeouts?.idle ?? timeoutMs }
  const checked = parseOptions({ ...options, timeouts })
  if (Result.isFailure(checked)) throw new TypeError(`createAgent: ${checked.failure.message}`)
  const layer = AgentRuntime.layer(cli, { ...options, timeouts }).pipe(Layer.provide([nodePlatform, warnings]))
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
