/**
 * Requests of Codex that wait for an answer. Each gets one at most: the first, and none once Codex has taken it back.
 * Its ids count from 0 in each process, so that they identify a request as long as the session lives.
 */
import { answer, type RpcId } from "../../jsonRpc.ts"
import type { Output } from "../../Live.ts"
import type { WireQuestion } from "./wire.ts"

export type OpenRequest =
  | {
      readonly _tag: "Approval"
      readonly threadId: string
      readonly toolId: string
      readonly title: string
      readonly isElicited: boolean
    }
  | { readonly _tag: "Questions"; readonly questions: ReadonlyArray<WireQuestion> }
  | { readonly _tag: "ToolCall" }

export type Outputs = ReadonlyArray<Output>

export interface OpenRequests {
  /** Its id in the session; undefined where the same id is open already. */
  readonly add: (id: RpcId, request: OpenRequest) => string | undefined
  readonly has: (id: RpcId) => boolean
  readonly get: <Tag extends OpenRequest["_tag"]>(
    key: string,
    tag: Tag
  ) => Extract<OpenRequest, { _tag: Tag }> | undefined
  readonly settle: (key: string, result: unknown) => Outputs
  /** Codex waits no longer. */
  readonly withdraw: (id: RpcId) => Outputs
  readonly withdrawAll: () => Outputs
  /** Each gets an answer that does nothing, and is withdrawn. */
  readonly abandon: () => Outputs
}

export const approval = (request: Extract<OpenRequest, { _tag: "Approval" }>, word: "accept" | "decline" | "cancel") =>
  request.isElicited ? { action: word === "accept" ? word : "decline", content: null, _meta: null } : { decision: word }

const nothingDone = (request: OpenRequest): unknown => {
  switch (request._tag) {
    case "Approval":
      return approval(request, "cancel")
    case "Questions":
      return { answers: {} }
    case "ToolCall":
      return { contentItems: [{ type: "inputText", text: "The turn was interrupted" }], success: false }
  }
}

export const keyOf = (id: RpcId) => JSON.stringify(id)

export const makeOpenRequests = (): OpenRequests => {
  const open = new Map<string, { readonly id: RpcId; readonly request: OpenRequest }>()

  const settle = (key: string, result: unknown): Outputs => {
    const found = open.get(key)
    if (found === undefined) return []
    open.delete(key)
    return [{ _tag: "Write", json: answer(found.id, result) }]
  }
  const withdrawKey = (key: string): Outputs => (open.delete(key) ? [{ _tag: "Withdrawn", requestId: key }] : [])

  return {
    add: (id, request) => {
      const key = keyOf(id)
      if (open.has(key)) return undefined
      open.set(key, { id, request })
      return key
    },
    has: (id) => open.has(keyOf(id)),
    get: (key, tag) => {
      const request = open.get(key)?.request
      return request !== undefined && isOf(request, tag) ? request : undefined
    },
    settle,
    withdraw: (id) => withdrawKey(keyOf(id)),
    withdrawAll: () => [...open.keys()].flatMap(withdrawKey),
    abandon: () =>
      [...open].flatMap(([key, { request }]) => [
        ...settle(key, nothingDone(request)),
        { _tag: "Withdrawn", requestId: key } as const
      ])
  }
}

const isOf = <Tag extends OpenRequest["_tag"]>(
  request: OpenRequest,
  tag: Tag
): request is Extract<OpenRequest, { _tag: Tag }> => request._tag === tag
