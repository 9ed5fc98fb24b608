/**
 * The server: lines of stdin → requests, each answered when it is done → lines of stdout. Ends with stdin, or when
 * stdout is closed, after all requests, sessions and CLIs have ended.
 */
import { Cause, Effect, Fiber, FiberSet, type FileSystem, Queue, type Scope, Stdio, Stream } from "effect"
import { internalError, invalidRequest, methodNotFound, type RpcError, type RpcId } from "../../cli/jsonRpc.ts"
import { shortLine } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import { type Line, linesOf } from "../../system/process/lines.ts"
import { type Connection, makeConnection, maxLineBytes } from "./connection.ts"
import { cancelled } from "./failures.ts"
import { type Methods, makeMethods } from "./methods.ts"
import { parse } from "./requests.ts"
import type { AcpServerOptions } from "./serverOptions.ts"

const mostRequests = 256
/** Limit of lines that the client has not read yet. */
const mostLines = 64
/** For the client to read the last lines. */
const patience = "1 second"

const tooMany: RpcError = {
  code: internalError,
  message: `${mostRequests} requests are not yet answered. Wait for their answers.`
}
const inUse: RpcError = { code: invalidRequest, message: "A request of this id is not yet answered. Use another id." }
const withdrawn: RpcError = { code: cancelled, message: "The request was cancelled" }
const unknown = (method: string): RpcError => ({
  code: methodNotFound,
  message: `The method ${shortLine(method, 100)} is not known here`
})

/** Handles each line as it comes, and waits for no answer. */
const makeTake = Effect.fn(...untraced("ServeAcp.makeTake"))(function* (
  connection: Connection,
  methods: Methods
): Effect.fn.Return<(line: Line) => Effect.Effect<void>, never, Scope.Scope> {
  const begin = FiberSet.run(yield* FiberSet.make<void>(), { startImmediately: true })
  const running = new Map<RpcId, Fiber.Fiber<void> | undefined>()
  const { refuse } = connection

  const answered = (id: RpcId, work: Effect.Effect<unknown, RpcError>) =>
    Effect.matchCauseEffect(work, {
      onSuccess: (result) => connection.reply(id, result),
      onFailure: (cause) => {
        const [failure] = cause.reasons.filter(Cause.isFailReason)
        if (failure !== undefined) return refuse(id, failure.error)
        const wrong = refuse(id, { code: internalError, message: "Reins failed, and has logged why" })
        return Effect.andThen(Effect.logError("a request failed", Cause.squash(cause)), wrong)
      }
    }).pipe(Effect.onInterrupt(() => refuse(id, withdrawn)))

  const request = (id: RpcId, name: string, params: unknown) =>
    Effect.suspend(() => {
      if (running.has(id)) return refuse(id, inUse)
      if (running.size >= mostRequests) return refuse(id, tooMany)
      const method = methods.of(name)
      if (method === undefined) return refuse(id, unknown(name))
      running.set(id, undefined)
      const done = Effect.sync(() => running.delete(id))
      return Effect.map(begin(Effect.ensuring(answered(id, method(params)), done)), (fiber) => {
        if (running.has(id)) running.set(id, fiber)
      })
    })

  const cancel = (params: unknown) =>
    Effect.suspend(() => {
      const input = parse.cancelRequest(params)
      const fiber = input._tag === "Success" ? running.get(input.success.requestId) : undefined
      return fiber === undefined ? Effect.void : Effect.asVoid(begin(Fiber.interrupt(fiber)))
    })

  return (line) =>
    Effect.suspend(() => {
      const received = connection.receive(line)
      switch (received._tag) {
        case "Request":
          return request(received.id, received.method, received.params)
        case "Notification":
          if (received.method === "session/cancel") return methods.cancel(received.params)
          return received.method === "$/cancel_request" ? cancel(received.params) : Effect.void
        case "Malformed":
          return refuse(null, received.error)
        case "Nothing":
          return Effect.void
      }
    })
})

export const serveAcp = Effect.fn(...untraced("Api.serveAcp"))(function* (
  options: AcpServerOptions
): Effect.fn.Return<void, never, Scope.Scope | Stdio.Stdio | FileSystem.FileSystem> {
  const { stdin, stdout } = yield* Stdio.Stdio
  const lines = yield* Queue.bounded<string, Cause.Done>(mostLines)
  const writing = yield* Effect.forkScoped(Stream.run(Stream.fromQueue(lines), stdout()))
  const serving = Effect.gen(function* () {
    const connection = makeConnection((line) => Effect.asVoid(Queue.offer(lines, line)))
    const take = yield* makeTake(connection, yield* makeMethods(connection, options))
    const reading = Stream.runForEach(linesOf(stdin, maxLineBytes), take)
    yield* Effect.raceFirst(Effect.ignore(reading), Effect.asVoid(Fiber.await(writing)))
  })
  yield* Effect.scoped(serving)
  yield* Queue.end(lines)
  yield* Effect.ignore(Effect.timeout(Fiber.await(writing), patience))
})
