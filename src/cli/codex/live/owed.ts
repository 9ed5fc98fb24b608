/**
 * What Codex has asked and still waits for. Each request gets one answer at most: the first, and none once Codex has taken
 * it back. Its ids count from 0 in each process, so that they name a request as long as the session lives.
 */
import { answer, type RpcId } from "../../jsonRpc.ts"
import type { Output } from "../../Live.ts"
import type { WireQuestion } from "./wire.ts"

export type Owed =
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

export interface Ledger {
  /** Its name in the session; undefined where this id is owed an answer already. */
  readonly add: (id: RpcId, owed: Owed) => string | undefined
  readonly has: (id: RpcId) => boolean
  readonly get: <Tag extends Owed["_tag"]>(key: string, tag: Tag) => Extract<Owed, { _tag: Tag }> | undefined
  readonly settle: (key: string, result: unknown) => Outputs
  /** Codex waits no longer. */
  readonly withdraw: (id: RpcId) => Outputs
  readonly withdrawAll: () => Outputs
  /** Each gets an answer that does nothing, and is withdrawn. */
  readonly abandon: () => Outputs
}

export const approval = (owed: Extract<Owed, { _tag: "Approval" }>, word: "accept" | "decline" | "cancel") =>
  owed.isElicited ? { action: word === "accept" ? word : "decline", content: null, _meta: null } : { decision: word }

const nothingDone = (owed: Owed): unknown => {
  switch (owed._tag) {
    case "Approval":
      return approval(owed, "cancel")
    case "Questions":
      return { answers: {} }
    case "ToolCall":
      return { contentItems: [{ type: "inputText", text: "The turn was interrupted" }], success: false }
  }
}

export const keyOf = (id: RpcId) => JSON.stringify(id)

export const makeLedger = (): Ledger => {
  const open = new Map<string, { readonly id: RpcId; readonly owed: Owed }>()

  const settle = (key: string, result: unknown): Outputs => {
    const found = open.get(key)
    if (found === undefined) return []
    open.delete(key)
    return [{ _tag: "Write", json: answer(found.id, result) }]
  }
  const withdrawKey = (key: string): Outputs => (open.delete(key) ? [{ _tag: "Withdrawn", requestId: key }] : [])

  return {
    add: (id, owed) => {
      const key = keyOf(id)
      if (open.has(key)) return undefined
      open.set(key, { id, owed })
      return key
    },
    has: (id) => open.has(keyOf(id)),
    get: (key, tag) => {
      const owed = open.get(key)?.owed
      return owed !== undefined && isOf(owed, tag) ? owed : undefined
    },
    settle,
    withdraw: (id) => withdrawKey(keyOf(id)),
    withdrawAll: () => [...open.keys()].flatMap(withdrawKey),
    abandon: () =>
      [...open].flatMap(([key, { owed }]) => [
        ...settle(key, nothingDone(owed)),
        { _tag: "Withdrawn", requestId: key } as const
      ])
  }
}

const isOf = <Tag extends Owed["_tag"]>(owed: Owed, tag: Tag): owed is Extract<Owed, { _tag: Tag }> => owed._tag === tag
