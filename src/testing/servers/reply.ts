/** Puts one answer on the wire; resolves when all of it was handed over. A stalled or silent response stays open. */
import type { ServerResponse } from "node:http"
import { setTimeout } from "node:timers/promises"
import type { Answer, Message } from "./Answer.ts"
import type { ReplyTo, Wire } from "./request.ts"

/** Deltas of an uncut text: at most about 50 pieces of at least 8 characters, never inside one. */
export const inPieces = (words: string): ReadonlyArray<string> => {
  const characters = Array.from(words)
  const size = Math.max(8, Math.ceil(characters.length / 50))
  const count = Math.ceil(characters.length / size)
  return Array.from({ length: count }, (_, index) => characters.slice(index * size, (index + 1) * size).join(""))
}

/** Pads made-up ids to one length. */
export const padded = (serial: number): string => String(serial).padStart(4, "0")

export const sse = (data: unknown, type?: string): string =>
  `${type === undefined ? "" : `event: ${type}\n`}data: ${JSON.stringify(data)}\n\n`

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
    // Before the status, so that a failure can still be reported.
    const beginning = answer.type === "message" ? wire.begin(to, answer) : []
    response.writeHead(200, { "content-type": "text/event-stream", ...headers })
    if (answer.type === "drip") return streamDrip(response, to, wire, answer.piece, answer.everyMs)
    return streamMessage(response, to, wire, answer, beginning)
  }
  if (answer.type === "drip") return
  if (answer.ending === "whole") return sendJson(response, 200, wire.json(to, answer), headers)
  response.destroy()
}
