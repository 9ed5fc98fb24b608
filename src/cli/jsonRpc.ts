/** JSON-RPC 2.0 over lines; pure. Both sides number their own requests, so only a line without a method answers. */
import { Predicate } from "effect"

export type RpcId = string | number

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export type Incoming<Purpose> =
  | { readonly _tag: "Request"; readonly id: RpcId; readonly method: string; readonly params: unknown }
  | { readonly _tag: "Notification"; readonly method: string; readonly params: unknown }
  | { readonly _tag: "Answered"; readonly purpose: Purpose; readonly result: unknown }
  | { readonly _tag: "Refused"; readonly purpose: Purpose; readonly error: RpcError }
  /** Not JSON-RPC, or an answer without a pending request. */
  | { readonly _tag: "Unknown" }

export interface JsonRpc<Purpose> {
  /** The line of a request. Its answer comes with the purpose. */
  readonly request: (purpose: Purpose, method: string, params?: unknown) => unknown
  readonly receive: (json: unknown) => Incoming<Purpose>
  /** Forgets a request; returns its id, unless it was answered. */
  readonly withdraw: (purpose: Purpose) => RpcId | undefined
  /** Purposes of pending requests, the oldest first. */
  readonly waiting: () => ReadonlyArray<Purpose>
}

export const parseError = -32700
export const invalidRequest = -32600
export const methodNotFound = -32601
export const invalidParams = -32602
export const internalError = -32603
const paramsField = (params: unknown) => (params === undefined ? {} : { params })

export const notification = (method: string, params?: unknown): unknown => ({
  jsonrpc: "2.0",
  method,
  ...paramsField(params)
})

export const answer = (id: RpcId, result: unknown): unknown => ({ jsonrpc: "2.0", id, result })

/** `null`: the id of the request could not be read. */
export const refusal = (id: RpcId | null, error: RpcError): unknown => ({ jsonrpc: "2.0", id, error })

const isId = (value: unknown): value is RpcId => typeof value === "string" || typeof value === "number"
const property = (json: object, key: string): unknown => (Predicate.hasProperty(json, key) ? json[key] : undefined)

const errorOf = (error: unknown): RpcError => {
  if (!Predicate.isObject(error)) return { code: 0, message: typeof error === "string" ? error : "" }
  const code = property(error, "code")
  const message = property(error, "message")
  const data = property(error, "data")
  return {
    code: typeof code === "number" ? code : 0,
    message: typeof message === "string" ? message : "",
    ...(data === undefined ? {} : { data })
  }
}

export const makeJsonRpc = <Purpose>(firstId = 1): JsonRpc<Purpose> => {
  const waiting = new Map<RpcId, Purpose>()
  let nextId = firstId

  return {
    request: (purpose, method, params) => {
      const id = nextId
      nextId += 1
      waiting.set(id, purpose)
      return { jsonrpc: "2.0", id, method, ...paramsField(params) }
    },
    receive: (json) => {
      if (!Predicate.isObject(json) || Array.isArray(json)) return { _tag: "Unknown" }
      const id = property(json, "id")
      const method = property(json, "method")
      const params = property(json, "params")
      if (typeof method === "string") {
        return isId(id) ? { _tag: "Request", id, method, params } : { _tag: "Notification", method, params }
      }
      const purpose = isId(id) ? waiting.get(id) : undefined
      if (!isId(id) || purpose === undefined) return { _tag: "Unknown" }
      const error = property(json, "error")
      if (error == null && !("result" in json)) return { _tag: "Unknown" }
      waiting.delete(id)
      if (error != null) return { _tag: "Refused", purpose, error: errorOf(error) }
      return { _tag: "Answered", purpose, result: property(json, "result") }
    },
    withdraw: (purpose) => {
      for (const [id, waits] of waiting) {
        if (waits !== purpose) continue
        waiting.delete(id)
        return id
      }
      return undefined
    },
    waiting: () => [...waiting.values()]
  }
}
