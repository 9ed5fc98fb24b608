/**
 * Puts one answer on the wire. Takes the open response, resolves once everything scripted was handed to the network;
 * after a stall or a silence the response stays open. How the answer looks is the protocol's `Wire`; pure.
 */
import type { ServerResponse } from "node:http"
import { setTimeout } from "node:timers/promises"
import type { Answer, Failure, Message } from "./Answer.ts"

export interface ReplyTo {
  readonly model: string
  /** Unique in the server; ids are made from it. */
  readonly serial: number
}

/** How a protocol prints an answer. */
export interface Wire {
  /** The pieces of a stream before its end; each is written to the network on its own. */
  readonly begin: (to: ReplyTo, message: Message) => ReadonlyArray<string>
  /** The end of a message that is whole. */
  readonly end: (to: ReplyTo, message: Message) => string
  /** The end of one that fails. */
  readonly error: (to: ReplyTo) => string
  /** The text before the second piece, and with every further one. */
  readonly drip: (to: ReplyTo, piece: string) => { readonly first: string; readonly next: string }
  /** A message for a client that does not stream. */
  readonly json: (to: ReplyTo, message: Message) => unknown
  readonly failure: (failure: Failure) => unknown
  /** Headers of every response. */
  readonly headers?: (to: ReplyTo) => Readonly<Record<string, string>>
}

/** Resolves once the network has the bytes, or the client has left. */
const handedOver = (response: ServerResponse, bytes: string): Promise<void> =>
  new Promise((resolve) => response.write(bytes, () => resolve()))

const streamMessage = async (
  response: ServerResponse,
  to: ReplyTo,
  wire: Wire,
  message: Message,
  beginning: ReadonlyArray<string>
): Promise<void> => {
  for (const bytes of beginning) await handedOver(response, bytes)
  if (message.ending === "stall") return
  if (message.ending === "cut") {
    await setTimeout(message.cutAfterMs)
    response.destroy()
    return
  }
  response.end(message.ending === "error" ? wire.error(to) : wire.end(to, message))
}

const streamDrip = async (response: ServerResponse, to: ReplyTo, wire: Wire, piece: string, everyMs: number) => {
  const { first, next } = wire.drip(to, piece)
  await handedOver(response, first)
  const timer = setInterval(() => response.write(next), everyMs)
  response.once("close", () => clearInterval(timer))
}

export const sendJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {}
): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(typeof body === "string" ? body : JSON.stringify(body))
}

export const reply = async (
  response: ServerResponse,
  to: ReplyTo & { readonly stream: boolean },
  wire: Wire,
  answer: Answer
): Promise<void> => {
  const headers = wire.headers?.(to)
  if (answer.type === "failure") {
    const { failure } = answer
    return sendJson(response, failure.status, failure.body ?? wire.failure(failure), { ...headers, ...failure.headers })
  }
  const isMute = answer.type === "silence" || (!to.stream && (answer.type === "drip" || answer.ending === "stall"))
  if (isMute) return
  if (to.stream) {
    // Before the status: what cannot be printed can still be told then.
    const beginning = answer.type === "message" ? wire.begin(to, answer) : []
    response.writeHead(200, { "content-type": "text/event-stream", ...headers })
    if (answer.type === "drip") return streamDrip(response, to, wire, answer.piece, answer.everyMs)
    return streamMessage(response, to, wire, answer, beginning)
  }
  if (answer.type === "drip") return
  if (answer.ending === "whole") return sendJson(response, 200, wire.json(to, answer), headers)
  response.destroy()
}
