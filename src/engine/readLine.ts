/**
 * The stages of one line of stdout: JSON and wire form, or a glance at its text; outputs. A line that cannot be read, or that
 * the CLI's code throws on, leads to a notice and does not affect later lines.
 */
import { Predicate } from "effect"
import type { GlanceAt, LineSession, Step } from "../cli/Decoder.ts"
import type { AgentEvent, NoticeEvent } from "../contract/AgentEvent.ts"
import type { Line } from "../process/lines.ts"
import { boundedDepth, mostLineDepth, shallowLength } from "../text/boundedDepth.ts"

export interface WireLine {
  /** Undefined if there is no object on the line, or if it was read at a glance. */
  readonly json: object | undefined
  /** Of a line that was read at a glance: what `lineSession` gives of any other. */
  readonly glance?: LineSession | undefined
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

/** A decoded line takes about twice its length. */
const bytesOf = (text: string) => 2 * text.length

export const parsed = (line: Line): WireLine => {
  const isUnfinished = line.isUnfinished === true
  if (line._tag === "Oversize") {
    const message = `A line of ${line.bytes} bytes was dropped`
    const data = { bytes: line.bytes, head: line.head }
    const notices = [{ type: "notice", kind: "oversize_line", message, data } as const]
    return { json: undefined, notices, bytes: undefined, isUnfinished }
  }
  const { text } = line
  const bytes = bytesOf(text)
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

/** With its wire form, or with the error of the CLI's code, which affects this line only. */
type Decoded<Wire> = WireLine & {
  readonly form: { readonly wire: Wire } | { readonly thrown: unknown } | undefined
  /** The line's JSON, for an event of unknown meaning. */
  readonly raw: () => unknown
}

export const decoded = <Wire>(wire: (json: unknown) => Wire, line: WireLine): Decoded<Wire> => {
  const { json } = line
  return { ...line, form: json && formOf(wire, json), raw: () => json }
}

const formOf = <Wire>(wire: (json: unknown) => Wire, json: object) => {
  try {
    return { wire: wire(json) }
  } catch (thrown) {
    return { thrown }
  }
}

/** Undefined for a line that is to be parsed. */
export const glancing =
  <Wire>(glance: GlanceAt<Wire> | undefined) =>
  (line: Line): Decoded<Wire> | undefined => {
    if (glance === undefined || line._tag === "Oversize") return undefined
    const { text, isUnfinished = false } = line
    const form = glanceAt(glance, text)
    if (form === undefined) return undefined
    const raw = () => parseJson(text)?.json
    return { json: undefined, glance: form, notices: none, bytes: bytesOf(text), isUnfinished, form, raw }
  }

/** One that throws is none. */
const glanceAt = <Wire>(glance: GlanceAt<Wire>, text: string) => {
  try {
    return glance(text)
  } catch {
    return undefined
  }
}

/** A line, read up to its meaning. */
export interface ReadLine<Output> extends WireLine {
  /** Its meaning. Called at most once, in the order of the lines, since it advances the state of the decoder. */
  readonly outputs: () => ReadonlyArray<Output | AgentEvent>
}

export const stepped = <Wire, Output>(step: Step<Wire, Output>, line: Decoded<Wire>): ReadLine<Output> => ({
  ...line,
  outputs: () => outputsOf(step, line)
})

const outputsOf = <Wire, Output>(step: Step<Wire, Output>, line: Decoded<Wire>) => {
  const outputs = translated(step, line)
  return line.notices.length === 0 ? outputs : [...line.notices, ...outputs]
}

const translated = <Wire, Output>(step: Step<Wire, Output>, { form, json, raw }: Decoded<Wire>) => {
  if (form === undefined) return []
  if ("thrown" in form) return untranslated(json, form.thrown)
  try {
    return step(form.wire, json)
  } catch (error) {
    return untranslated(raw(), error)
  }
}

const untranslated = (raw: unknown, error: unknown): ReadonlyArray<AgentEvent> => {
  const message = `A line could not be translated: ${error instanceof Error ? error.name : "unknown error"}`
  return [
    { type: "notice", kind: "warning", message },
    { type: "unknown", raw }
  ]
}
