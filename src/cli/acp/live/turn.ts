/** One turn after the other: a prompt, the updates and requests of the agent meanwhile, and the answer to the prompt. */
import { Result } from "effect"
import { AttachmentRefused } from "../../../contract/AgentError.ts"
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import type { PermissionMode } from "../../../contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import type { AgentUsage } from "../../../contract/AgentRunResult.ts"
import { type AttachmentKind, base64Of, type LoadedAttachment, textOf } from "../../../contract/Attachment.ts"
import type { Decision } from "../../../contract/Rule.ts"
import { zeroWidth } from "../../commandLine.ts"
import type { RunReport } from "../../Decoder.ts"
import { answer, type JsonRpc, notification, type RpcError, type RpcId } from "../../jsonRpc.ts"
import type { Output, TurnInput } from "../../Live.ts"
import { type Outputs, refusedTurn, write } from "../../outputs.ts"
import { decodePermission, decodePrompt, decodeToolCall, type PromptCapabilities, type PromptResult } from "../wire.ts"
import type { AcpFlavor, FailedCall } from "./flavor.ts"
import type { Purpose, SessionCell } from "./handshake.ts"
import { failureOf, reportOf, usageIn, verdictOf } from "./outcomes.ts"
import { askOf, cancelled, makePermissions, type OpenAsk } from "./permissions.ts"
import { describeByKind, makeToolCalls, type ToolCalls } from "./toolCalls.ts"

/** Half a character would throw; the file system takes it for U+FFFD. */
const encoded = (part: string) => encodeURIComponent(part.toWellFormed())

const uriOf = ({ path, name }: LoadedAttachment) =>
  path === undefined ? `attachment:///${encoded(name)}` : `file://${path.split("/").map(encoded).join("/")}`

export const blockOf = (attachment: LoadedAttachment): object => {
  const { kind, mediaType: mimeType } = attachment
  if (kind === "image" || kind === "audio") return { type: kind, mimeType, data: base64Of(attachment) }
  const content = kind === "text" ? { text: textOf(attachment) } : { blob: base64Of(attachment) }
  return { type: "resource", resource: { uri: uriOf(attachment), mimeType, ...content } }
}

const capabilityOf: Readonly<Record<AttachmentKind, keyof PromptCapabilities>> = {
  image: "image",
  audio: "audio",
  pdf: "embeddedContext",
  text: "embeddedContext"
}

/** The first attachment that the agent does not take, refused. */
const refusalOf = (
  attachments: ReadonlyArray<LoadedAttachment>,
  capabilities: PromptCapabilities,
  cli: string
): AttachmentRefused | undefined => {
  const refused = attachments.find(({ kind }) => capabilities[capabilityOf[kind]] !== true)
  if (refused === undefined) return undefined
  const problem = `is of a kind (${refused.kind}) that ${cli} does not take in this version: name its path in the prompt instead`
  return new AttachmentRefused({ attachment: refused.name, problem })
}

/** For one turn: whether it had any text, and the last ended call, if that failed without being denied. */
interface LastCall {
  readonly spoke: () => void
  readonly denied: (toolId: string) => void
  readonly observe: (events: ReadonlyArray<AgentEvent>) => void
  /** Events in the place of an answer, for a turn that has ended well. */
  readonly standIn: () => ReadonlyArray<AgentEvent>
}

const makeLastCall = (flavor: AcpFlavor, params: AgentOpenParams, calls: ToolCalls): LastCall => {
  const { describe = describeByKind } = flavor
  const refused = new Set<string>()
  let hasSpoken = false
  let failed: FailedCall | undefined

  return {
    spoke: () => {
      hasSpoken = true
    },
    denied: (toolId) => {
      refused.add(toolId)
    },
    observe: (events) => {
      for (const event of events) {
        if (event.type !== "tool_result") continue
        const { toolId, output, isError } = event
        const call = isError && !refused.has(toolId) ? calls.call(toolId) : undefined
        failed = call && { toolName: describe(call, params).toolName, toolId, output }
      }
    },
    standIn: () => (hasSpoken || failed === undefined ? [] : (flavor.standIn?.(failed) ?? []))
  }
}

export interface TurnOptions {
  readonly flavor: AcpFlavor
  readonly params: AgentOpenParams
  readonly rpc: JsonRpc<Purpose>
  readonly cell: SessionCell
  readonly takes: () => PromptCapabilities
  readonly mode: () => PermissionMode | undefined
}

export interface AcpTurn {
  readonly begin: (prompt: string, input?: TurnInput) => Outputs
  readonly isUnderWay: () => boolean
  /** The agent has sent text. */
  readonly spoke: () => void
  /** Returns undefined if this is not a tool call. */
  readonly tool: (update: unknown, isNew: boolean) => Outputs | undefined
  readonly cost: (amount: number) => void
  /** Returns undefined if this is not a permission request. */
  readonly permission: (id: RpcId, params: unknown) => Outputs | undefined
  readonly withdraw: (rpcId: unknown) => Outputs
  readonly decide: (requestId: string, decision: Decision) => Outputs
  readonly interrupt: () => Outputs
  readonly ended: (result: unknown) => Outputs
  readonly failed: (error: RpcError) => Outputs
  readonly report: () => RunReport
}

const promptOf = (text: string, slashCommands: boolean): ReadonlyArray<unknown> => [
  { type: "text", text: !slashCommands && /^\s*\//.test(text) ? `${zeroWidth}${text}` : text }
]

const noUsage: AgentUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
const notEnded = "The turn ended before the call did"
const rejected = "The call was denied"

export const makeTurn = ({ flavor, params, rpc, cell, takes, mode }: TurnOptions): AcpTurn => {
  const permissions = makePermissions()
  let calls = makeToolCalls(flavor, params)
  let lastCall = makeLastCall(flavor, params, calls)
  let isUnderWay = false
  let isInterrupted = false
  // Undefined where unknown: for a resumed session, and after a turn that did not report it.
  let costBefore: number | undefined = params.sessionId === undefined ? 0 : undefined
  let costAfter: number | undefined
  let isUnaskedTold = false
  let usageBefore: AgentUsage | undefined = params.sessionId === undefined ? noUsage : undefined

  const sessionId = () => cell.get()?.sessionId ?? ""
  const cancel = () => write(notification("session/cancel", { sessionId: sessionId() }))

  const askOutputs = (ask: OpenAsk): Outputs => {
    const call = calls.call(ask.wire.toolCall.toolCallId)
    if (call === undefined) return []
    const request = askOf(ask, call, flavor, params)
    const use = calls.give(call.toolId)
    if (flavor.allows?.(mode(), request) !== true) return [...use, { _tag: "Asked", ask: request }]
    const allowed = permissions.decide(ask.requestId, { decision: "allow" })
    return allowed === undefined ? use : [...use, allowed[1]]
  }

  /** The notice of calls that were done without a request; `results` are those that have just ended. */
  const tellUnasked = (results: ReadonlyArray<AgentEvent>): ReadonlyArray<AgentEvent> => {
    if (isUnaskedTold || flavor.unasked === undefined) return []
    for (const event of results) {
      if (event.type !== "tool_result" || event.isError || calls.wasAsked(event.toolId)) continue
      const call = calls.call(event.toolId)
      const described = call && (flavor.describe ?? describeByKind)(call, params)
      const notice = described && flavor.unasked(mode(), { ...described, toolId: event.toolId })
      if (notice === undefined) continue
      isUnaskedTold = true
      return [notice]
    }
    return []
  }

  /** Withdraws the requests of a call that is over. */
  const release = (toolId: string): Outputs =>
    calls.isEnded(toolId) ? permissions.withdraw(({ wire }) => wire.toolCall.toolCallId === toolId) : []

  const report = (result: PromptResult): RunReport =>
    (flavor.report ?? reportOf)(result, { toolCount: calls.count(), costBefore, costAfter, usageBefore })

  const finish = (end: Extract<Output, { _tag: "TurnEnded" }>, before: Outputs = []): Outputs => {
    isUnderWay = false
    costBefore = costAfter
    costAfter = undefined
    return [...permissions.withdraw(), ...calls.failAll(notEnded), ...before, end]
  }

  return {
    begin: (prompt, { attachments = [] } = {}) => {
      const reason = refusalOf(attachments, takes(), flavor.id)
      if (reason !== undefined) return [refusedTurn(reason)]
      calls = makeToolCalls(flavor, params)
      lastCall = makeLastCall(flavor, params, calls)
      isUnderWay = true
      isInterrupted = false
      const blocks = (flavor.prompt ?? promptOf)(prompt, params.slashCommands === true)
      const all = [...blocks, ...attachments.map(flavor.attachment ?? blockOf)]
      return [write(rpc.request({ _tag: "Prompt" }, "session/prompt", { sessionId: sessionId(), prompt: all }))]
    },
    isUnderWay: () => isUnderWay,
    spoke: () => lastCall.spoke(),
    tool: (update, isNew) => {
      const decoded = decodeToolCall(update)
      if (Result.isFailure(decoded)) return undefined
      const { toolCallId } = decoded.success
      const events = calls.update(decoded.success, isNew)
      lastCall.observe(events)
      const call = calls.call(toolCallId)
      const isComplete = call !== undefined && !calls.isEnded(toolCallId) && flavor.waitsForInput?.(call) !== true
      const due = isComplete ? permissions.due(toolCallId).flatMap(askOutputs) : []
      return [...release(toolCallId), ...events, ...tellUnasked(events), ...due]
    },
    cost: (amount) => {
      if (isUnderWay) costAfter = amount
      else costBefore = amount
    },
    permission: (id, value) => {
      const decoded = decodePermission(value)
      if (Result.isFailure(decoded)) return undefined
      const wire = decoded.success
      if (!isUnderWay || isInterrupted) return [write(answer(id, cancelled))]
      const announced = calls.call(wire.toolCall.toolCallId)
      const call = calls.ask(wire.toolCall)
      const mustWait = flavor.waitsForInput?.(call) === true
      const ask = permissions.add(id, wire, announced, !mustWait)
      return mustWait ? [] : askOutputs(ask)
    },
    withdraw: (rpcId) => permissions.withdraw((ask) => ask.rpcId === rpcId),
    decide: (requestId, decision) => {
      const decided = permissions.decide(requestId, decision)
      if (decided === undefined) return []
      const [{ wire }, reply] = decided
      const isDenied = decision.decision === "deny"
      const { toolCallId } = wire.toolCall
      if (isDenied) lastCall.denied(toolCallId)
      const result = isDenied && flavor.rejectsSilently === true ? calls.fail(toolCallId, rejected) : []
      if (!isDenied || decision.interrupt !== true) return [reply, ...result]
      isInterrupted = true
      return [reply, ...result, cancel(), ...permissions.withdraw()]
    },
    interrupt: () => {
      if (!isUnderWay) return []
      isInterrupted = true
      return [cancel(), ...permissions.withdraw()]
    },
    ended: (result) => {
      const answer = Result.getOrElse(decodePrompt(result ?? {}), (): PromptResult => ({}))
      const isCancelled = answer.stopReason === "cancelled" || isInterrupted
      const verdict = isCancelled ? ({ _tag: "Success" } as const) : verdictOf(answer)
      const interrupted = isCancelled ? { isInterrupted: true } : {}
      const standIn = !isCancelled && verdict._tag === "Success" ? lastCall.standIn() : []
      const end = { _tag: "TurnEnded", verdict, report: report(answer), ...interrupted } as const
      usageBefore = usageIn(answer) ?? usageBefore
      return finish(end, standIn)
    },
    failed: (error) => {
      const reason = (flavor.failure ?? failureOf)(error)
      const interrupted = isInterrupted ? { isInterrupted: true } : {}
      return finish({ _tag: "TurnEnded", verdict: { _tag: "Failure", reason }, report: report({}), ...interrupted })
    },
    report: () => (isUnderWay ? report({}) : {})
  }
}
