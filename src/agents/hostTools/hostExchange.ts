/**
 * The MCP server of the host's functions, one message at a time: for a CLI that carries MCP messages in its own dialogue.
 * Requests are renumbered for Effect's server, so that a client may reuse an id.
 */
import { Deferred, Effect, Exit, Layer, Queue, Schema } from "effect"
import { INTERNAL_ERROR_CODE, INVALID_REQUEST_ERROR_CODE } from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import { type FromClientEncoded, type FromServerEncoded, RequestId } from "effect/rpc/RpcMessage"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as RpcServer from "effect/rpc/RpcServer"
import type { HostTool } from "../../contract/HostTool.ts"
import { hostMcp } from "./hostMcp.ts"

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

interface State {
  /** Open requests, by the client's id. */
  readonly open: Map<Id, Open>
  readonly incoming: Queue.Queue<FromClientEncoded>
  closed: boolean
}

type Outcome = { readonly result: unknown } | { readonly error: unknown }

const answerTo = (id: Id | null, outcome: Outcome) => ({ jsonrpc: "2.0", id, ...outcome })
const problem = (code: number, message: string): Outcome => ({ error: { code, message } })
const invalid = (id: Id | null, message: string) =>
  Effect.succeed(answerTo(id, problem(INVALID_REQUEST_ERROR_CODE, message)))

export const makeHostExchange = Effect.fnUntraced(function* (tools: ReadonlyArray<HostTool>) {
  const state: State = { open: new Map(), incoming: yield* Queue.unbounded<FromClientEncoded>(), closed: false }
  yield* Layer.build(
    McpServer.layer(hostMcp(tools)).pipe(
      Layer.provide(Layer.effect(RpcServer.Protocol, makeProtocol(state))),
      Layer.orDie
    )
  )
  // Added last, so run first: before the calls are interrupted.
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      state.closed = true
      for (const { answer } of state.open.values()) Deferred.doneUnsafe(answer, Exit.succeed(undefined))
    })
  )
  const request = makeRequest(state)
  /**
   * Returns the response to a message; undefined for a notification, a response, and a request that was cancelled or is
   * still open at the end. Interrupting it cancels the call.
   */
  const respond = (message: unknown): Effect.Effect<unknown> =>
    Effect.suspend(() => {
      if (state.closed || isAnswer(message)) return Effect.undefined
      if (!isCall(message)) return invalid(hasId(message) ? message.id : null, "Invalid Request")
      if (hasId(message)) return request(message.id, message.method, message.params)
      if ("id" in message) return invalid(null, "Invalid Request: the id")
      return notify(state, message.method, message.params)
    })
  return { respond }
})

const makeRequest = ({ open, incoming }: State) => {
  let count = 0
  return (id: Id, method: string, params: unknown) => {
    if (open.has(id)) return invalid(id, "Invalid Request: the id is in use")
    const number = ++count
    const answer = Deferred.makeUnsafe<Outcome | undefined>()
    open.set(id, { number, answer })
    Queue.offerUnsafe(incoming, { _tag: "Request", id: number, tag: method, payload: params ?? null, headers: [] })
    return Deferred.await(answer).pipe(
      Effect.onInterrupt(() => Effect.sync(() => cancel(incoming, number))),
      Effect.ensuring(Effect.sync(() => open.delete(id))),
      Effect.map((outcome) => outcome && answerTo(id, outcome))
    )
  }
}

const notify = ({ open, incoming }: State, method: string, params: unknown): Effect.Effect<undefined> => {
  if (method !== "notifications/cancelled") {
    const notification = { id: "", tag: method, payload: params ?? null, headers: [], isNotification: true } as const
    Queue.offerUnsafe(incoming, { _tag: "Request", ...notification })
    return Effect.undefined
  }
  const cancelled = isCancellation(params) ? open.get(params.requestId) : undefined
  if (cancelled === undefined) return Effect.undefined
  Deferred.doneUnsafe(cancelled.answer, Exit.succeed(undefined))
  cancel(incoming, cancelled.number)
  return Effect.undefined
}

const cancel = (incoming: Queue.Enqueue<FromClientEncoded>, number: number) => {
  Queue.offerUnsafe(incoming, { _tag: "Interrupt", requestId: RequestId(number) })
}

/** A defect belongs to no particular request: it ends all of them. */
const settle = ({ open }: State, reply: FromServerEncoded) => {
  if (reply._tag !== "Exit" && reply._tag !== "Defect") return
  const outcome = reply._tag === "Exit" ? outcomeOf(reply.exit) : problem(INTERNAL_ERROR_CODE, "Internal error")
  for (const { number, answer } of open.values()) {
    if (reply._tag === "Defect" || number === reply.requestId) Deferred.doneUnsafe(answer, Exit.succeed(outcome))
  }
}

const outcomeOf = (exit: Extract<FromServerEncoded, { readonly _tag: "Exit" }>["exit"]): Outcome => {
  if (exit._tag === "Success") return { result: exit.value ?? {} }
  const failure = exit.cause.find((reason) => reason._tag === "Fail")
  return failure === undefined ? problem(INTERNAL_ERROR_CODE, "Internal error") : { error: failure.error }
}

const makeProtocol = (state: State) =>
  RpcServer.Protocol.make(
    Effect.fnUntraced(function* (write) {
      yield* Queue.take(state.incoming).pipe(
        Effect.flatMap((message) => write(0, message)),
        Effect.forever,
        Effect.forkScoped
      )
      return {
        disconnects: yield* Queue.make<number>(),
        send: (_, reply) => Effect.sync(() => settle(state, reply)),
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
