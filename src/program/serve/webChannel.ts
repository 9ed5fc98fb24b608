/**
 * The web page as `reins serve` has it: the one file that knows how the channel is made. A port that is taken is a failure
 * of its own, since another one may be tried.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo } from "node:net"
import { Clock, Effect, Queue, Schema, type Scope, Stream } from "effect"
import { renderMarkdown } from "../../bridge/plain/FromPlain.ts"
import { codeOf } from "../../errors/system.ts"
import type { Channel, Heard } from "../../messages/Channel.ts"
import type { Conversation } from "../../messages/Conversation.ts"

/** What the page says of an agent. */
export interface AgentRow {
  readonly id: string
  readonly name: string
  readonly version?: string
  readonly models?: ReadonlyArray<string>
  readonly problem?: string
  readonly install?: string
  readonly signedIn?: string
}

export interface BudgetRow {
  readonly name: string
  readonly spent: number
  readonly reserved: number
  readonly limit: number
  readonly again?: number
}

export interface WebOptions {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  readonly key: string
  readonly title: string
  /** As PEM. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  readonly agents: Effect.Effect<ReadonlyArray<AgentRow>>
  readonly directories: ReadonlyArray<{ readonly name: string; readonly path: string }>
  readonly budget: Effect.Effect<BudgetRow | undefined>
}

export interface ServedWeb {
  readonly channel: Channel
  /** For the person alone: the key is in it. */
  readonly url: string
  readonly port: number
}

export class PortTaken extends Schema.TaggedError<PortTaken>()("PortTaken", {
  host: Schema.String,
  port: Schema.Int
}) {}

/** The address cannot be listened at: it is not of this machine, the port needs rights, … */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", { code: Schema.String }) {}

/** Who has the key. */
export const personOfKey = "you"

interface Posted {
  readonly id: string
  readonly conversation: string
  readonly text: string
}

const readBody = async (request: IncomingMessage): Promise<Posted> => {
  let text = ""
  for await (const piece of request) text += String(piece)
  return JSON.parse(text)
}

export const openWeb = Effect.fnUntraced(function* (
  options: WebOptions
): Effect.fn.Return<ServedWeb, PortTaken | ListenFailed, Scope.Scope> {
  const { host, port, key, tls, agents, title } = options
  const heard = yield* Queue.unbounded<Heard>()
  const rows = new Map<string, Array<{ readonly id: number; readonly row: object }>>()
  const listeners = new Set<() => void>()
  let last = 0
  const add = (chat: string, row: object) => {
    last += 1
    rows.set(chat, [...(rows.get(chat) ?? []), { id: last, row }])
    for (const listener of listeners) listener()
  }
  const conversationOf = (id: string): Conversation => ({
    channel: "web",
    accountId: "web",
    chatId: `${personOfKey}/${id}`
  })

  const post = async (request: IncomingMessage, response: ServerResponse) => {
    const { id, conversation, text } = await readBody(request)
    const at = await Effect.runPromise(Clock.currentTimeMillis)
    add(conversation, { row: "message", message: id, text, at, by: personOfKey, state: "sent" })
    Queue.offerUnsafe(heard, {
      incoming: {
        _tag: "Message",
        message: {
          conversation: conversationOf(conversation),
          updateId: id,
          messageId: id,
          chat: "direct",
          sentAt: at,
          sender: { id: personOfKey, isBot: false },
          text,
          attachments: [],
          addressed: true
        }
      },
      confirm: Effect.void
    })
    response.writeHead(202, { "content-type": "application/json" }).end(JSON.stringify({ id, conversation }))
  }

  const events = (chat: string, after: number, response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" })
    let seen = after
    const flush = () => {
      for (const { id, row } of rows.get(chat) ?? []) {
        if (id <= seen) continue
        seen = id
        response.write(`id: ${id}\ndata: ${JSON.stringify(row)}\n\n`)
      }
    }
    response.write(`event: hello\ndata: ${JSON.stringify({ now: 0, oldest: 1, newest: last })}\n\n`)
    flush()
    listeners.add(flush)
    response.on("close", () => listeners.delete(flush))
  }

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://page")
    if (pathname === "/") return response.writeHead(200, { "content-type": "text/html" }).end(title)
    if (request.headers.authorization !== `Bearer ${key}`) return response.writeHead(401).end()
    if (pathname === "/state")
      return response.writeHead(200).end(JSON.stringify({ title, agents: await Effect.runPromise(agents) }))
    if (pathname === "/messages") return post(request, response)
    if (pathname === "/events")
      return events(searchParams.get("conversation") ?? "", Number(searchParams.get("after") ?? 0), response)
    return response.writeHead(404).end()
  }

  const handler = (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response).catch(() => response.destroy())
  }
  const server = tls === undefined ? createServer(handler) : createTlsServer(tls, handler)
  yield* Effect.acquireRelease(
    Effect.callback<void, PortTaken | ListenFailed>((resume) => {
      server.once("error", (problem) => {
        const code = codeOf(problem) ?? "UNKNOWN"
        resume(Effect.fail(code === "EADDRINUSE" ? new PortTaken({ host, port }) : new ListenFailed({ code })))
      })
      server.listen(port, host, () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  const bound = (server.address() as AddressInfo).port
  const name = host.includes(":") ? `[${host}]` : host
  const channel: Channel = {
    id: "web",
    accountId: "web",
    limits: { text: 100_000, buttons: { most: 0, label: 0, data: 0 }, pace: {}, uploadBytes: 0, downloadBytes: 0 },
    isPerson: (id) => id === personOfKey,
    incoming: () => Stream.fromQueue(heard),
    render: renderMarkdown(100_000),
    send: (to, piece, messageKey) =>
      Effect.sync(() => {
        add(to.chatId.slice(personOfKey.length + 1), { row: "said", key: messageKey, text: piece.text })
        return { conversation: to, messageId: messageKey }
      }),
    acknowledge: () => Effect.void,
    check: Effect.succeed([])
  }
  return { channel, port: bound, url: `${tls === undefined ? "http" : "https"}://${name}:${bound}/#key=${key}` }
})
