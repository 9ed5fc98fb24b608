/**
 * The beginning of a session: `initialize`, then a new session or an old one, then the requests of the params. Lines before
 * its end are history of a loaded session, and give no events.
 */
import { Result } from "effect"
import { type FailureReason, UnsupportedOption } from "../../../contract/AgentError.ts"
import type { McpServer } from "../../../contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import { type MaybeSecret, reveal } from "../../../contract/Redacted.ts"
import type { JsonRpc, RpcError } from "../../jsonRpc.ts"
import type { DialogueContext } from "../../Live.ts"
import { type Outputs, write } from "../../outputs.ts"
import {
  decodeInitialize,
  decodeSession,
  type InitializeResult,
  type PromptCapabilities,
  type SessionResult
} from "../wire.ts"
import type { AcpFlavor, AcpRequest, AcpSession } from "./flavor.ts"
import { failureOf, protocolFailure } from "./outcomes.ts"
import { sessionEvent, sessionOf } from "./sessionFacts.ts"

/** The purpose of a request to the agent, by which its answer is understood. */
export type Purpose =
  | { readonly _tag: "Initialize" }
  | { readonly _tag: "Session" }
  | { readonly _tag: "Begin"; readonly request: AcpRequest }
  | { readonly _tag: "Prompt" }
  | { readonly _tag: "Change"; readonly changeId: string; readonly request: AcpRequest }

const pairs = (values: Readonly<Record<string, MaybeSecret>> = {}) =>
  Object.entries(values).map(([name, value]) => ({ name, value: reveal(value) }))

/** MCP servers in the form of the protocol, with their secrets. Agents require all lists, also empty ones. */
const serversOf = (servers: Readonly<Record<string, McpServer>> = {}): ReadonlyArray<unknown> =>
  Object.entries(servers).map(([name, server]) =>
    "url" in server
      ? { type: "http", name, url: server.url, headers: pairs(server.headers) }
      : { name, command: server.command, args: server.args ?? [], env: pairs(server.env) }
  )

const protocolVersion = 1
const clientInfo = { name: "reins", version: "0.1.0" }
/** No capability is offered: the agent reads, writes and runs by itself, with its own permissions and sandboxes. */
const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false }

export const initializeParams = { protocolVersion, clientCapabilities, clientInfo }

/** The facts of the session. */
export interface SessionCell {
  readonly get: () => AcpSession | undefined
  readonly set: (session: AcpSession) => void
}

export interface HandshakeOptions {
  readonly flavor: AcpFlavor
  readonly params: AgentOpenParams
  readonly context: DialogueContext
  readonly rpc: JsonRpc<Purpose>
  readonly cell: SessionCell
}

export interface Handshake {
  readonly open: () => Outputs
  readonly initialized: (result: unknown) => Outputs
  readonly began: (result: unknown) => Outputs
  readonly granted: () => Outputs
  readonly refused: (error: RpcError) => Outputs
  /** The blocks of a prompt that the agent takes beside text. */
  readonly takes: () => PromptCapabilities
  /** The agent has listed its commands. */
  readonly commands: () => Outputs
  readonly isOver: () => boolean
}

const failed = (reason: FailureReason): Outputs => [{ _tag: "Failed", reason }]
const isReason = (value: object): value is FailureReason => "_tag" in value

const beginOf = (
  { agentCapabilities: capabilities }: InitializeResult,
  { flavor, params, context }: HandshakeOptions
): AcpRequest | FailureReason => {
  const { sessionId, forkSession, mcpServers = {} } = params
  const unsupported = (option: string) => new UnsupportedOption({ option, cli: flavor.id })
  const isRemote = Object.values(mcpServers).some((server) => "url" in server)
  if (isRemote && capabilities?.mcpCapabilities?.http !== true) return unsupported("mcpServers over HTTP")
  const where = { cwd: context.workingDirectory, mcpServers: serversOf(mcpServers) }
  if (sessionId === undefined) return { method: "session/new", params: where }
  const { resume, fork } = capabilities?.sessionCapabilities ?? {}
  const old = { sessionId, ...where }
  if (forkSession === true) return fork == null ? unsupported("forkSession") : { method: "session/fork", params: old }
  const canLoad = capabilities?.loadSession === true
  const wantsLoad = flavor.resumes === "load" && canLoad
  if (resume != null && !wantsLoad) return { method: "session/resume", params: old }
  return canLoad ? { method: "session/load", params: old } : unsupported("sessionId")
}

export const makeHandshake = (options: HandshakeOptions): Handshake => {
  const { flavor, params, rpc, cell } = options
  let cliVersion: string | undefined
  let takes: PromptCapabilities = {}
  const steps = [...(flavor.begin ?? [])]
  let isGranted = false
  let hasHistory = false
  let isOver = false

  const finish = (): Outputs => {
    const session = cell.get()
    if (isOver || session === undefined || !isGranted || hasHistory) return []
    isOver = true
    return [sessionEvent(session), { _tag: "Opened" }]
  }

  const next = (): Outputs => {
    const session = cell.get()
    for (let step = steps.shift(); step !== undefined && session !== undefined; step = steps.shift()) {
      const request = step(params, session)
      if (request === undefined) continue
      if (isReason(request)) return failed(request)
      const input = { sessionId: session.sessionId, ...request.params }
      return [write(rpc.request({ _tag: "Begin", request }, request.method, input))]
    }
    isGranted = true
    return finish()
  }

  return {
    open: () => [write(rpc.request({ _tag: "Initialize" }, "initialize", initializeParams))],
    initialized: (result) => {
      const decoded = decodeInitialize(result)
      if (Result.isFailure(decoded)) return failed(protocolFailure("The answer to initialize is not an object"))
      const agent = decoded.success
      if (agent.protocolVersion != null && agent.protocolVersion !== protocolVersion) {
        return failed(protocolFailure(`The agent speaks version ${agent.protocolVersion} of the protocol, and not 1`))
      }
      cliVersion = agent.agentInfo?.version ?? undefined
      takes = agent.agentCapabilities?.promptCapabilities ?? {}
      const request = beginOf(agent, options)
      if (isReason(request)) return failed(request)
      hasHistory = request.method === "session/load" && flavor.historyEnds === "commands"
      return [write(rpc.request({ _tag: "Session" }, request.method, request.params))]
    },
    began: (result) => {
      const answer = Result.getOrElse(decodeSession(result ?? {}), (): SessionResult => ({}))
      const sessionId = answer.sessionId ?? (params.forkSession === true ? undefined : params.sessionId)
      if (sessionId === undefined) return failed(protocolFailure("The agent gave the session no id"))
      cell.set(sessionOf(answer, sessionId, cliVersion))
      return next()
    },
    granted: next,
    takes: () => takes,
    refused: (error) => failed((flavor.failure ?? failureOf)(error)),
    commands: () => {
      hasHistory = false
      return finish()
    },
    isOver: () => isOver
  }
}
