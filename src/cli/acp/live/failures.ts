/** A JSON-RPC error → a reason. */
import { Predicate } from "effect"
import { AgentFailed } from "../../../contract/AgentError.ts"
import { classify } from "../../../contract/errors/classify.ts"
import type { RpcError } from "../../jsonRpc.ts"

/** Code of the protocol: the agent requires signing in first. */
const authRequired = -32000
const resourceNotFound = -32002

const textsIn = (data: unknown): ReadonlyArray<string> => {
  if (typeof data === "string") return [data]
  if (!Predicate.isObject(data)) return []
  return ["details", "message", "errorName", "service"].flatMap((key) => {
    const value = Predicate.hasProperty(data, key) ? data[key] : undefined
    return typeof value === "string" ? [value] : []
  })
}

/** The details are used where the message is only the name of a code. */
export const detailOf = ({ message, data }: RpcError): string => {
  const details = Predicate.hasProperty(data, "details") && typeof data.details === "string" ? data.details : undefined
  return details === undefined || message.includes(details) ? message : `${message}: ${details}`
}

const codesOf = ({ code, data }: RpcError): ReadonlyArray<string> => {
  if (code === authRequired) return ["authentication_failed"]
  return textsIn(data)
}

/** Some agents give the HTTP status as the code. */
const statusOf = ({ code }: RpcError) => (code >= 400 && code < 600 ? code : undefined)

export const failureOf = (error: RpcError): AgentFailed => {
  const detail = detailOf(error)
  const isOurs = error.code === -32602 || error.code === resourceNotFound || error.code === -32601
  return new AgentFailed({
    code: String(error.code),
    category: classify({
      codes: codesOf(error),
      status: statusOf(error),
      message: [detail, ...textsIn(error.data)].join(" "),
      otherwise: isOurs ? "invalid_request" : "other"
    }),
    detail
  })
}

/** The agent answered something that the protocol does not have. */
export const protocolFailure = (detail: string) => new AgentFailed({ code: "protocol", category: "protocol", detail })
