/**
 * The stages of one line of stdout: JSON, wire form, outputs. A line that cannot be read, or that the CLI's code throws on,
 * leads to a notice and does not affect later lines.
 */
import { Predicate } from "effect"
import type { Step } from "../cli/Decoder.ts"
import type { AgentEvent, NoticeEvent } from "../contract/AgentEvent.ts"
import type { Line } from "../process/lines.ts"
import { boundedDepth, mostLineDepth, shallowLength } from "../text/boundedDepth.ts"

export interface WireLine {
  /** Undefined if there is no object on the line. */
  readonly json: object | undefined
  /** Notices about unreadable parts of the line. */
  readonly notices: ReadonlyArray<NoticeEvent>
  /** Estimated memory of an event made of the line, if it is large. */
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

/** A request is still read, and answered, however deep its content is. */
const tooDeep = (text: string) =>
  malformed(text, `A line was nested deeper than ${mostLineDepth}; deeper values are left out`)

interface Parsed {
  readonly json: unknown
  /** Values that were nested too deep are left out. */
  readonly isCut: boolean
}

/** Undefined: not JSON. */
const parseJson = (text: string): Parsed | undefined => {
  try {
    const bounded = text.length < shallowLength ? text : boundedDepth(text)
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
  // JSON that is not an object is not searched for one inside.
  const found = whole === undefined ? findObject(text) : undefined
  if (found === undefined) {
    return { json: undefined, notices: [malformed(text, "A line is not a JSON object")], bytes, isUnfinished }
  }
  const foreign = malformed(found.foreign, "A line has other text around a JSON object")
  return { json: found.json, notices: found.isCut ? [foreign, tooDeep(text)] : [foreign], bytes, isUnfinished }
}

/** With the wire form of its object, or with the error of the CLI's code, which affects this line only. */
type Decoded<Wire> = WireLine & ({ readonly wire: Wire } | { readonly thrown: unknown } | { readonly json: undefined })

export const decoded =
  <Wire>(wire: (json: unknown) => Wire) =>
  (line: WireLine): Decoded<Wire> => {
    if (line.json === undefined) return { ...line, json: undefined }
    try {
      return { ...line, wire: wire(line.json) }
    } catch (thrown) {
      return { ...line, thrown }
    }
  }

/** A line, read up to its meaning. */
export interface ReadLine<Output> extends WireLine {
  /** Its meaning. Called at most once, in the order of the lines, since it advances the state of the decoder. */
  readonly outputs: () => ReadonlyArray<Output | AgentEvent>
}

export const stepped =
  <Wire, Output>(step: Step<Wire, Output>) =>
  (line: Decoded<Wire>): ReadLine<Output> => ({ ...line, outputs: () => outputsOf(step, line) })

const outputsOf = <Wire, Output>(step: Step<Wire, Output>, line: Decoded<Wire>) => {
  const outputs = translated(step, line)
  return line.notices.length === 0 ? outputs : [...line.notices, ...outputs]
}

const translated = <Wire, Output>(step: Step<Wire, Output>, line: Decoded<Wire>) => {
  if ("thrown" in line) return untranslated(line.json, line.thrown)
  if (!("wire" in line)) return []
  try {
    return step(line.wire, line.json)
  } catch (error) {
    return untranslated(line.json, error)
  }
}

const untranslated = (raw: unknown, error: unknown): ReadonlyArray<AgentEvent> => {
  const message = `A line could not be translated: ${error instanceof Error ? error.name : "unknown error"}`
  return [
    { type: "notice", kind: "warning", message },
    { type: "unknown", raw }
  ]
}
