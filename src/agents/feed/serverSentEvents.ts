/** Server-Sent Events: the frame of an event, and the position up to which a client says that it has them; pure. */
import { Predicate } from "effect"
import type { EventRequest } from "../../contract/EventFeed.ts"
import type { Entry } from "./eventLog.ts"

export const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  // Proxies of nginx would hold events back.
  "x-accel-buffering": "no"
} as const

/** A comment, which clients ignore. */
export const heartbeat = ":\n\n"

/** Without a name, so that `onmessage` of an EventSource gets each. JSON has no line breaks of its own. */
export const frameOf = ({ stamped, json }: Entry): string =>
  json === undefined ? `id: ${stamped.position}\n\n` : `id: ${stamped.position}\ndata: ${json}\n\n`

/** Throws if the argument is not a request. */
export const lastEventIdIn = ({ headers: input }: EventRequest): string | undefined => {
  if (!Predicate.isObject(input))
    throw new TypeError("event feed: the request has no headers; with Hono, pass c.req.raw")
  const id = typeof input.get === "function" ? input.get("last-event-id") : Reflect.get(input, "last-event-id")
  return typeof id === "string" ? id : undefined
}

/**
 * Returns 0, the beginning, for an invalid position or one that this feed never had, since that belongs to another
 * feed.
 */
export const positionOf = (lastEventId: string | null | undefined, last: number): number => {
  const position = /^\d{1,15}$/.test(lastEventId ?? "") ? Number(lastEventId) : 0
  return position > last ? 0 : position
}
