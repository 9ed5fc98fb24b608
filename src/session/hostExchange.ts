/**
 * The server of the host's functions, one message at a time: for a CLI that carries messages of MCP in its own
 * dialogue. To Effect's server each request has a number of its own here, so that a client may use an id again.
 */
import { Deferred, Effect, Exit, Layer, Queue, Schema } from "effect"
import { INTERNAL_ERROR_CODE, INVALID_REQUEST_ERROR_CODE } from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import { type FromClientEncoded, type FromServerEncoded, RequestId } from "effect/rpc/RpcMessage"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as RpcServer from "effect/rpc/RpcServer"
import type { HostTool } from "../hostTools.ts"
import { hostMcp } from "./hostMcp.ts"

export interface HostExchange {
  /**
   * The answer to a message; undefined where there is none: to a notification, an answer, a request that was cancelled
   * or is still open at the end. Interrupting it gives the call up.
   */
  readonly respond: (message: unknown) => Effect.Effect<unknown>
}

const Id = Schema.Union([Schema.String, Schema.Finite])
type Id = typeof Id.Type

const jsonrpc = Schema.Literal("2.0")
const isCall = Schema.is(Schema.Struct({ jsonrpc, method: Schema.String, params: Schema.optionalKey(Schema.Unknown) }))
const hasId = Schema.is(Schema.Struct({ id: Id }))
const isAnswer = Schema.is(
  Schema.Union([
    Schema.Struct({ jsonrpc, id: Id, result: Schema.Unknown }),
    Schema.Struct({ jsonrpc, id: Schema.NullOr(Id), error: Schema.Unknown })
  ])
)
const isCancellation = Schema.is(Schema.Struct({ requestId: Id }))

interface Open {
  readonly number: number
  readonly answer: Deferred.Deferred<Outcome | undefined>
}

/** How a request came out, in the words of JSON-RPC. */
type Outcome = { readonly result: unknown } | { readonly error: unknown }

const answerTo = (id: Id | null, outcome: Outcome) => ({ jsonrpc: "2.0", id, ...outcome })
const problem = (code: number, message: string): Outcome => ({ error: { code, message } })
const invalid = (id: Id | null, message: string) =>
  Effect.succeed(answerTo(id, problem(INVALID_REQUEST_ERROR_CODE, message)))

export const makeHostExchange = Effect.fnUntraced(function* (tools: ReadonlyArray<HostTool>) {
  const open = new Map<Id, Open>()
  const incoming = yield* Queue.unbounded<FromClientEncoded>()
  let requests = 0
  let closed = false

  const settle = (number: number, outcome: Outcome) => {
    for (const request of open.values()) {
      if (request.number === number) Deferred.doneUnsafe(request.answer, Exit.succeed(outcome))
    }
  }
  const onReply = (reply: FromServerEncoded) => {
    if (reply._tag === "Exit") return settle(Number(reply.requestId), outcomeOf(reply.exit))
    if (reply._tag !== "Defect") return
    for (const { number } of open.values()) settle(number, problem(INTERNAL_ERROR_CODE, "Internal error"))
  }
  yield* Layer.build(
    McpServer.layer(hostMcp(tools)).pipe(
      Layer.provide(Layer.effect(RpcServer.Protocol, makeProtocol(incoming, onReply))),
      Layer.orDie
    )
  )
  // Added last, so run first: before the calls are interrupted.
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      closed = true
      for (const { answer } of open.values()) Deferred.doneUnsafe(answer, Exit.succeed(undefined))
    })
  )

  const giveUp = (number: number) =>
    Effect.sync(() => Queue.offerUnsafe(incoming, { _tag: "Interrupt", requestId: RequestId(number) }))
  const request = (id: Id, method: string, params: unknown) => {
    if (open.has(id)) return invalid(id, "Invalid Request: the id is in use")
    const number = ++requests
    const answer = Deferred.makeUnsafe<Outcome | undefined>()
    open.set(id, { number, answer })
    Queue.offerUnsafe(incoming, { _tag: "Request", id: number, tag: method, payload: params ?? null, headers: [] })
    return Deferred.await(answer).pipe(
      Effect.onInterrupt(() => giveUp(number)),
      Effect.ensuring(Effect.sync(() => open.delete(id))),
      Effect.map((outcome) => outcome && answerTo(id, outcome))
    )
  }
  const notify = (method: string, params: unknown) => {
    if (method !== "notifications/cancelled") {
      const notification = { id: "", tag: method, payload: params ?? null, headers: [], isNotification: true } as const
      Queue.offerUnsafe(incoming, { _tag: "Request", ...notification })
      return Effect.undefined
    }
    const cancelled = isCancellation(params) ? open.get(params.requestId) : undefined
    if (cancelled === undefined) return Effect.undefined
    Deferred.doneUnsafe(cancelled.answer, Exit.succeed(undefined))
    return Effect.as(giveUp(cancelled.number), undefined)
  }
  const respond = (message: unknown): Effect.Effect<unknown> =>
    Effect.suspend(() => {
      if (closed || isAnswer(message)) return Effect.undefined
      if (!isCall(message)) return invalid(hasId(message) ? message.id : null, "Invalid Request")
      if (hasId(message)) return request(message.id, message.method, message.params)
      return "id" in message ? invalid(null, "Invalid Request: the id") : notify(message.method, message.params)
    })
  return { respond } satisfies HostExchange
})

const outcomeOf = (exit: Extract<FromServerEncoded, { readonly _tag: "Exit" }>["exit"]): Outcome => {
  if (exit._tag === "Success") return { result: exit.value ?? {} }
  const failure = exit.cause.find((reason) => reason._tag === "Fail")
  return failure === undefined ? problem(INTERNAL_ERROR_CODE, "Internal error") : { error: failure.error }
}

const makeProtocol = (incoming: Queue.Dequeue<FromClientEncoded>, onReply: (reply: FromServerEncoded) => void) =>
  RpcServer.Protocol.make(
    Effect.fnUntraced(function* (write) {
      yield* Queue.take(incoming).pipe(
        Effect.flatMap((message) => write(0, message)),
        Effect.forever,
        Effect.forkScoped
      )
      return {
        disconnects: yield* Queue.make<number>(),
        send: (_, reply) => Effect.sync(() => onReply(reply)),
        end: () => Effect.void,
        clientIds: Effect.succeed(new Set([0])),
        initialMessage: Effect.succeedNone,
        supportsAck: false,
        supportsTransferables: false,
        supportsSpanPropagation: false,
        supportsNotifications: false,
        codecFor: RpcSerialization.jsonRpc().codecFor
      }
    })
  )
