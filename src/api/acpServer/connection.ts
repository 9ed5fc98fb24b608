/**
 * One connection with a client: JSON-RPC over lines, both ways. An invalid message gets an error as its answer, and
 * reading continues; an answer without a pending request is dropped.
 */
import { Deferred, Effect, Option, Predicate } from "effect"
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
  /** Refused without an id. */
  | { readonly _tag: "Malformed"; readonly error: RpcError }
  | { readonly _tag: "Nothing" }

const nothing: Received = { _tag: "Nothing" }
const malformed = (code: number, message: string): Received => ({ _tag: "Malformed", error: { code, message } })
const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const isAnswer = (json: unknown) =>
  Predicate.isObject(json) && !("method" in json) && ("result" in json || "error" in json)

/** `write` takes whole lines, in order, and waits while the client takes none. */
export const makeConnection = (write: (line: string) => Effect.Effect<void>) => {
  const rpc = makeJsonRpc<Waiting>()
  const send = (message: unknown) => write(`${plainJson(message)}\n`)

  const cancel = (waiting: Waiting) =>
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
    notify: (method: string, params: unknown) => send(notification(method, params)),
    /** Interrupting the effect cancels the request. */
    request: (method: string, params: unknown) =>
      Effect.suspend(() => {
        const waiting: Waiting = Deferred.makeUnsafe()
        const sent = send(rpc.request(waiting, method, params))
        return Effect.onInterrupt(Effect.andThen(sent, Deferred.await(waiting)), () => cancel(waiting))
      }),
    reply: (id: RpcId, result: unknown) => send(answer(id, result)),
    refuse: (id: RpcId | null, error: RpcError) => send(refusal(id, error)),
    /** Completes the pending request if the line is its answer. */
    receive: (line: Line): Received => {
      if (line._tag === "Oversize") return malformed(invalidRequest, `The message is longer than ${maxLineBytes} bytes`)
      if (line.text.trim() === "") return nothing
      return Option.match(parse(line.text), {
        onNone: () => malformed(parseError, "The line is not JSON"),
        onSome: take
      })
    }
  }
}

export type Connection = ReturnType<typeof makeConnection>
