/**
 * A channel without a platform, outside: chats in the memory of this process behind a server on the loopback. A cut is a
 * connection that ends without an answer.
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import { Effect, Exit, Fiber, Stream } from "effect"
import type { SendError } from "../../../src/bridge/messages/SendError.ts"
import { ScriptedChannel } from "../../../src/testing/ScriptedChannel.ts"
import { type Call, channelOptions } from "./calls.ts"
import type { Outside } from "./Outside.ts"
import type { Fault, LaneKind } from "./plan.ts"

const isProgress = (key: string) => key.includes("/progress/")

export const startScripted = async (accountId: string, kind: LaneKind): Promise<Outside> => {
  const chats = ScriptedChannel.make(channelOptions(accountId, kind))
  const { channel } = chats
  const waiting = new Map<string, Fault>()
  const failed = new Map<string, number>()
  const confirms = new Map<number, Effect.Effect<void>>()
  let received = 0

  const work = (call: Call): Effect.Effect<unknown, SendError> => {
    switch (call.method) {
      case "send":
        return channel.send(call.to, call.piece, call.key)
      case "find":
        return channel.find?.(call.to, call.piece, call.key, call.after) ?? Effect.void
      case "edit":
        return channel.edit?.(call.ref, call.piece) ?? Effect.void
      case "remove":
        return channel.remove?.(call.ref) ?? Effect.void
      case "acknowledge":
        return channel.acknowledge(call.press, call.text)
      case "confirm":
        return confirms.get(call.number) ?? Effect.void
    }
  }

  const faultOf = (call: Call): Fault => {
    if (call.method !== "send" || isProgress(call.key)) return "none"
    const { chatId } = call.to
    const fault = waiting.get(chatId) ?? "none"
    waiting.delete(chatId)
    if (fault !== "none") failed.set(chatId, (failed.get(chatId) ?? 0) + 1)
    return fault
  }

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const call = (await json(request)) as Call // of this project's own host
    const fault = faultOf(call)
    if (fault === "cutBefore") return request.socket.destroy()
    if (fault === "badGateway") return response.writeHead(502).end("<h1>Bad Gateway</h1>")
    if (fault === "tooFast") return response.writeHead(429).end()
    const exit = await Effect.runPromise(Effect.exit(work(call)))
    if (fault === "cutAfter") return request.socket.destroy()
    if (Exit.isSuccess(exit)) return response.writeHead(200).end(JSON.stringify({ value: exit.value ?? null }))
    const failure = exit.cause.reasons.find((reason) => reason._tag === "Fail")
    response.writeHead(200).end(JSON.stringify({ reason: failure?.error.reason ?? { _tag: "Unknown" } }))
  }

  const stream = (mark: string | undefined, response: ServerResponse) => {
    response.writeHead(200)
    response.flushHeaders()
    const listening = Effect.runFork(
      Stream.runForEach(channel.incoming(mark), ({ incoming, confirm, mark: next }) =>
        Effect.sync(() => {
          const number = ++received
          confirms.set(number, confirm)
          response.write(`${JSON.stringify({ number, incoming, ...(next === undefined ? {} : { mark: next }) })}\n`)
        })
      )
    )
    response.on("close", () => Effect.runFork(Fiber.interrupt(listening)))
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://outside")
    if (pathname === "/incoming") return stream(searchParams.get("mark") ?? undefined, response)
    // A host that dies in the middle of a request has asked for nothing.
    answer(request, response).catch(() => request.socket.destroy())
  })
  server.keepAliveTimeout = 0
  server.listen(0, "127.0.0.1")
  await once(server, "listening")

  const run = <A>(work: Effect.Effect<A>) => Effect.runSync(work)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    personOf: (id) => id,
    say: (from, text) => run(chats.say(text, { from })),
    press: (from, messageId, label) => run(chats.press(messageId, label, { from })),
    chat: chats.chat,
    fail: (chatId, fault) => void waiting.set(chatId, fault),
    faultsOf: (chatId) => failed.get(chatId) ?? 0,
    violations: () => chats.violations().map(({ rule, detail }) => `${rule}: ${detail}`),
    calm: () => {},
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    }
  }
}
