/**
 * One connection with a client: JSON-RPC over lines, both ways. An invalid message gets an error as its answer, and
 * reading continues; an answer without a pending request is dropped.
 */
import { Deferred, Effect, Predicate } from "effect"
import {
  answer,
  type Incoming,
  invalidRequest,
  makeJsonRpc,
  notification,
  parseError,
  type RpcError,
  type RpcId,
  refusal
} from "../../cli/jsonRpc.ts"
import { plainJson } from "../../contract/eventJson.ts"
import type { Line } from "../../system/process/lines.ts"

/** In bytes: prompts carry images. The SDK of the protocol has the same limit. */
export const maxLineBytes = 32 * 1024 * 1024

type Waiting = Deferred.Deferred<unknown, RpcError>

type Received =
  | Extract<Incoming<never>, { readonly _tag: "Request" | "Notification" }>
  /** To be refused, without an id. */
  | { readonly _tag: "Malformed"; readonly error: RpcError }
  | { readonly _tag: "Nothing" }

export interface Connection {
  readonly notify: (method: string, params: unknown) => Effect.Effect<void>
  /** Interrupting the effect cancels the request. */
  readonly request: (method: string, params: unknown) => Effect.Effect<unknown, RpcError>
  readonly reply: (id: RpcId, result: unknown) => Effect.Effect<void>
  readonly refuse: (id: RpcId | null, error: RpcError) => Effect.Effect<void>
  /** An answer goes to who waits for it. */
  readonly receive: (line: Line) => Received
}

const nothing: Received = { _tag: "Nothing" }

const malformed = (code: number, message: string): Received => ({ _tag: "Malformed", error: { code, message } })

const parsed = (text: string): { readonly json: unknown } | undefined => {
  try {
    return { json: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const isAnswer = (json: unknown) =>
  Predicate.isObject(json) && !("method" in json) && ("result" in json || "error" in json)

/** `write` takes whole lines, in order, and waits while the client takes none. */
export const makeConnection = (write: (line: string) => Effect.Effect<void>): Connection => {
  const rpc = makeJsonRpc<Waiting>()
  const send = (message: unknown) => write(`${plainJson(message)}\n`)

  const withdraw = (waiting: Waiting) =>
    Effect.suspend(() => {
      const requestId = rpc.withdraw(waiting)
      return requestId === undefined ? Effect.void : send(notification("$/cancel_request", { requestId }))
    })

  const take = (json: unknown): Received => {
    const message = rpc.receive(json)
    switch (message._tag) {
      case "Request":
      case "Notification":
        return message
      case "Answered":
        Deferred.doneUnsafe(message.purpose, Effect.succeed(message.result))
        return nothing
      case "Refused":
        Deferred.doneUnsafe(message.purpose, Effect.fail(message.error))
        return nothing
      case "Unknown":
        return isAnswer(json) ? nothing : malformed(invalidRequest, "This is not a message of JSON-RPC 2.0")
    }
  }

  return {
    notify: (method, params) => send(notification(method, params)),
    request: (method, params) =>
      Effect.suspend(() => {
        const waiting: Waiting = Deferred.makeUnsafe()
        const sent = send(rpc.request(waiting, method, params))
        return Effect.onInterrupt(Effect.andThen(sent, Deferred.await(waiting)), () => withdraw(waiting))
      }),
    reply: (id, result) => send(answer(id, result)),
    refuse: (id, error) => send(refusal(id, error)),
    receive: (line) => {
      if (line._tag === "Oversize") return malformed(invalidRequest, `The message is longer than ${maxLineBytes} bytes`)
      if (line.text.trim() === "") return nothing
      const value = parsed(line.text)
      return value === undefined ? malformed(parseError, "The line is not JSON") : take(value.json)
    }
  }
}
