/** The options of a feed, checked, and the entries of its log: events with what is sent for them; pure. */
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { EventFeedOptions, Stamped } from "../../contract/EventFeed.ts"
import { eventJson, plainJson } from "../../contract/eventJson.ts"
import { hintFor } from "../../contract/suggestions.ts"
import type { Entry } from "./eventLog.ts"

export interface Settings extends EventFeedOptions {
  readonly keep: number
  readonly heartbeatMs: number
}

/** The longest delay of a timer in Node. */
const mostMs = 2 ** 31 - 1
const names = ["keep", "heartbeatMs", "abandonAfterMs", "encode"]

/** Throws for invalid numbers and unknown names. */
export const settingsOf = (options: EventFeedOptions): Settings => {
  if (typeof options !== "object" || options === null) throw new TypeError("event feed: the options are not an object")
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    throw new TypeError(`event feed: ${unknown} is not a known option${hintFor(unknown, names)}`)
  }
  const { keep = 16 * 1024 * 1024, heartbeatMs = 15_000, ...rest } = options
  const { abandonAfterMs = mostMs, encode } = rest
  const check = (name: string, value: unknown, most: number) => {
    if (typeof value === "number" && value > 0 && value <= most) return
    throw new TypeError(`event feed: ${name} is not a number above 0 and up to ${most}`)
  }
  check("keep", keep, Number.MAX_SAFE_INTEGER)
  check("heartbeatMs", heartbeatMs, mostMs)
  check("abandonAfterMs", abandonAfterMs, mostMs)
  if (encode !== undefined && typeof encode !== "function") throw new TypeError("event feed: encode is not a function")
  return { keep, heartbeatMs, ...rest }
}

/** Some clients take these for the end of a line. */
const lineBreaks = /[\u0085\u2028\u2029]/g
const escapeOf = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

const jsonOf = (stamped: Stamped, { encode }: Settings): string | undefined =>
  encode === undefined ? eventJson(stamped.event) : plainJson(encode(stamped))

const warning = (message: string, data: { readonly [fact: string]: unknown } = {}): AgentEvent => ({
  type: "notice",
  kind: "warning",
  message,
  data
})

/** The notice in place of the events before the oldest that is kept. */
export const missed = (oldest: Stamped, count: number): Stamped => ({
  position: oldest.position - 1,
  at: oldest.at,
  event: warning(`${count} events before this were dropped: they are not kept any more`, { events: count })
})

/** The last event of a feed that was left. */
export const abandoned = (afterMs: number): AgentEvent =>
  warning(`The feed closed its source: it had no readers for ${afterMs / 1000} s`)

export const entryOf = (stamped: Stamped, settings: Settings): Entry => ({
  stamped,
  json: jsonOf(stamped, settings)?.replaceAll(lineBreaks, escapeOf)
})
