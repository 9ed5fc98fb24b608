/**
 * A line of stdout → the JSON object on it; pure. What cannot be read is told by a notice and never hides what comes
 * after it.
 */
import { Predicate } from "effect"
import type { NoticeEvent } from "../contract/AgentEvent.ts"
import type { Line } from "../process/lines.ts"
import { boundedDepth, mostLineDepth } from "../text/boundedDepth.ts"

export interface WireLine {
  /** Undefined where there is no object on the line. */
  readonly json: object | undefined
  /** What of the line could not be read. */
  readonly notices: ReadonlyArray<NoticeEvent>
  /** About what an event made of it holds in memory, where that is much. */
  readonly bytes: number | undefined
  /** stdout ended before its newline. */
  readonly isUnfinished: boolean
}

const excerptLength = 1_000

const malformed = (text: string, message: string): NoticeEvent => ({
  type: "notice",
  kind: "malformed_line",
  message,
  data: { characters: text.length, text: text.slice(0, excerptLength) }
})

/** A request stays one, and is answered, however deep what it asks about. */
const tooDeep = (text: string) =>
  malformed(text, `A line nested deeper than ${mostLineDepth}: what is deeper is left out`)

interface Parsed {
  readonly json: unknown
  /** What was nested too deep is left out. */
  readonly isCut: boolean
}

/** Undefined: not JSON. */
const parseJson = (text: string): Parsed | undefined => {
  try {
    const bounded = boundedDepth(text)
    return { json: JSON.parse(bounded), isCut: bounded !== text }
  } catch {
    return undefined
  }
}

/** Tolerates text around an object. */
const findObject = (text: string) => {
  const to = text.lastIndexOf("}") + 1
  for (const from of new Set([text.indexOf("{"), text.indexOf('{"')])) {
    const parsed = from >= 0 && from < to ? parseJson(text.slice(from, to)) : undefined
    if (Predicate.isObject(parsed?.json)) {
      return { json: parsed.json, isCut: parsed.isCut, foreign: text.slice(0, from) + text.slice(to) }
    }
  }
  return undefined
}

const none: ReadonlyArray<NoticeEvent> = []

export const parseLine = (line: Line): WireLine => {
  const isUnfinished = line.isUnfinished === true
  if (line._tag === "Oversize") {
    const message = `A line of ${line.bytes} bytes was dropped`
    const data = { bytes: line.bytes, head: line.head }
    const notices = [{ type: "notice", kind: "oversize_line", message, data } as const]
    return { json: undefined, notices, bytes: undefined, isUnfinished }
  }
  const { text } = line
  // A decoded line takes about twice its length.
  const bytes = 2 * text.length
  const whole = parseJson(text)
  if (Predicate.isObject(whole?.json)) {
    return { json: whole.json, notices: whole.isCut ? [tooDeep(text)] : none, bytes, isUnfinished }
  }
  // JSON that is no object has none inside that is meant.
  const found = whole === undefined ? findObject(text) : undefined
  if (found === undefined) {
    return { json: undefined, notices: [malformed(text, "A line that is no JSON object")], bytes, isUnfinished }
  }
  const foreign = malformed(found.foreign, "Foreign text around a JSON object")
  return { json: found.json, notices: found.isCut ? [foreign, tooDeep(text)] : [foreign], bytes, isUnfinished }
}
