/**
 * Permission requests of the agent and the one answer to each. An answer of the protocol is only a choice among options: the
 * agent learns that it was denied, and the message of a denial stays in the host.
 */
import { Equal, Predicate } from "effect"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import type { Decision, PermissionAsk } from "../../../contract/Rule.ts"
import { present } from "../../jsonFields.ts"
import { answer, type RpcId } from "../../jsonRpc.ts"
import type { Output } from "../../Live.ts"
import { type Outputs, write } from "../../outputs.ts"
import { textIn } from "../../toolInputs.ts"
import type { PermissionParams, ToolCallUpdate } from "../wire.ts"
import type { AcpCall, AcpFlavor } from "./flavor.ts"
import { describeByKind, filesOf, isEmptyInput } from "./toolCalls.ts"

const quoted = (value: unknown): string => {
  try {
    return (typeof value === "string" ? value : JSON.stringify(value)).slice(0, 4_000)
  } catch {
    return "something that cannot be shown"
  }
}

const isSame = (one: unknown, other: unknown): boolean => {
  try {
    return Equal.equals(one, other)
  } catch {
    return false // nested too deep
  }
}

/** The announced input, or title for calls without one, if the request has another. */
const differing = (announced: AcpCall, request: ToolCallUpdate): unknown => {
  const [before, now] = [announced.input, request.rawInput]
  if (!isEmptyInput(before) && !isEmptyInput(now)) return isSame(before, now) ? undefined : before
  const titles = [announced.title, request.title ?? undefined]
  return titles.includes(undefined) || titles[0] === titles[1] ? undefined : announced.title
}

/** The request is decided about; if its call was announced otherwise, it is unknown which of the two the agent would do. */
const doubtOf = (announced: AcpCall | undefined, request: ToolCallUpdate): string | undefined => {
  const before = announced === undefined ? undefined : differing(announced, request)
  return before === undefined ? undefined : `Something else was announced before: ${quoted(before)}`
}

export interface OpenAsk {
  readonly requestId: string
  readonly rpcId: RpcId
  readonly wire: PermissionParams
  /** The call before the request. */
  readonly announced: AcpCall | undefined
  /** Whether the session has been asked, or the call's input is still to come. */
  readonly isAsked: boolean
}

/** With one of these, the command that runs differs from its text. */
const changing = ["args", "arguments", "argv", "env", "environment", "stdin", "shell"]

const isGiven = (value: unknown) =>
  value != null && value !== "" && (typeof value !== "object" || Object.keys(value).length > 0)

/** The command of an input, its directory, and the rest of the input. */
const commandIn = (input: unknown): Partial<PermissionAsk> => {
  const command = textIn(input, "command")
  if (command === undefined || !Predicate.isObject(input)) return {}
  const { command: _command, ...rest }: Readonly<Record<string, unknown>> = { ...input }
  const directory = textIn(input, "workdir") ?? textIn(input, "cwd")
  const isUncertain = changing.some((name) => isGiven(rest[name]))
  return { command, rest, ...(isUncertain ? { isCommandUncertain: true } : {}), ...present({ directory }) }
}

export const askOf = (
  { requestId, wire, announced }: OpenAsk,
  call: AcpCall,
  flavor: AcpFlavor,
  params: AgentOpenParams
): PermissionAsk => {
  const { paths = [], edits = [] } = filesOf({ ...call, content: wire.toolCall.content ?? call.content })
  const { paths: candidate = paths, ...more } = flavor.ask?.(call, wire.toolCall, params) ?? {}
  const doubt = flavor.doubts === false ? undefined : doubtOf(announced, wire.toolCall)
  return {
    requestId,
    toolId: call.toolId,
    input: call.input ?? {},
    ...present({ doubt }),
    ...(flavor.describe ?? describeByKind)(call, params),
    ...commandIn(call.input),
    ...(candidate.length === 0 ? {} : { paths: candidate }),
    ...(edits.length === 0 ? {} : { edits }),
    ...more,
    takesInput: false
  }
}

export const cancelled = { outcome: { outcome: "cancelled" } }

/** By kind, since names and ids are the agent's own. Options that hold for more than this request are never chosen. */
const outcomeOf = ({ options }: PermissionParams, { decision }: Decision) => {
  const kind = decision === "allow" ? "allow_once" : "reject_once"
  const option = options.find((candidate) => candidate.kind === kind)
  return option === undefined ? cancelled : { outcome: { outcome: "selected", optionId: option.optionId } }
}

export interface Permissions {
  readonly add: (rpcId: RpcId, wire: PermissionParams, announced: AcpCall | undefined, isAsked: boolean) => OpenAsk
  /** Requests whose call's input has arrived. */
  readonly due: (toolId: string) => ReadonlyArray<OpenAsk>
  /** The request and its answer; undefined if it is not open. */
  readonly decide: (requestId: string, decision: Decision) => readonly [OpenAsk, Output] | undefined
  readonly withdraw: (which?: (ask: OpenAsk) => boolean) => Outputs
}

export const makePermissions = (): Permissions => {
  const open = new Map<string, OpenAsk>()
  let count = 0

  return {
    add: (rpcId, wire, announced, isAsked) => {
      count += 1
      const ask = { requestId: `permission-${count}`, rpcId, wire, announced, isAsked }
      open.set(ask.requestId, ask)
      return ask
    },
    due: (toolId) => {
      const due = [...open.values()].filter((ask) => !ask.isAsked && ask.wire.toolCall.toolCallId === toolId)
      for (const ask of due) open.set(ask.requestId, { ...ask, isAsked: true })
      return due
    },
    decide: (requestId, decision) => {
      const ask = open.get(requestId)
      if (ask === undefined) return undefined
      open.delete(requestId)
      return [ask, write(answer(ask.rpcId, outcomeOf(ask.wire, decision)))]
    },
    withdraw: (which = () => true) =>
      [...open.values()].filter(which).flatMap(({ requestId, rpcId, isAsked }): Outputs => {
        open.delete(requestId)
        return [write(answer(rpcId, cancelled)), ...(isAsked ? [{ _tag: "Withdrawn", requestId } as const] : [])]
      })
  }
}
