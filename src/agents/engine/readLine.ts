/**
 * The stages of one line of stdout: JSON and wire form, or a glance at its text; outputs. A line that cannot be read, or that
 * the CLI's code throws on, leads to a notice and does not affect later lines.
 */
import { Predicate } from "effect"
import type { GlanceAt, LineSession, Step } from "../../cli/Decoder.ts"
import type { AgentEvent, NoticeEvent } from "../../contract/AgentEvent.ts"
import { boundedDepth, mostLineDepth, shallowLength } from "../../contract/text/jsonLine.ts"
import type { Line } from "../../system/process/lines.ts"

export interface WireLine {
  /** The JSON object of the line; undefined without one, or if the line was read at a glance. */
  readonly json: object | undefined
  /** For a line read at a glance: the result of `lineSession`. */
  readonly glance?: LineSession | undefined
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
  readonly isCut: boolean
}

/** Returns undefined if the text is not JSON. */
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

const parse = (line: Line): WireLine => {
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

/** A line, read up to its wire form. */
export interface ReadLine<Output> extends WireLine {
  /** Its meaning. Called at most once, in the order of the lines, since it advances the state of the decoder. */
  readonly outputs: () => ReadonlyArray<Output | AgentEvent>
}

/**
 * Line → JSON → wire form, by the CLI's Schema. Frequent lines are read at a glance, from their text. The step to events
 * waits until `outputs` is called.
 */
export const decoding = <Wire, Output>(
  wire: (json: unknown) => Wire,
  step: Step<Wire, Output>,
  glance: GlanceAt<Wire> | undefined
) => {
  const parsed = parsing(wire, step)
  return (line: Line): ReadLine<Output> => {
    if (glance === undefined || line._tag === "Oversize") return parsed(line)
    const { text, isUnfinished = false } = line
    const glanced = glanceAt(glance, text)
    if (glanced === undefined) return parsed(line)
    const outputs = () => {
      try {
        return step(glanced.wire, undefined)
      } catch (error) {
        return untranslated(parseJson(text)?.json, error)
      }
    }
    return { json: undefined, glance: glanced, notices: none, bytes: bytesOf(text), isUnfinished, outputs }
  }
}

const noOutputs = () => []

const parsing =
  <Wire, Output>(wire: (json: unknown) => Wire, step: Step<Wire, Output>) =>
  (line: Line): ReadLine<Output> => {
    const { json, notices, bytes, isUnfinished } = parse(line)
    const translated = json === undefined ? noOutputs : translating(json, wire, step)
    const outputs = notices.length === 0 ? translated : () => [...notices, ...translated()]
    return { json, glance: undefined, notices, bytes, isUnfinished, outputs }
  }

/** Decodes at once; returns the step. */
const translating = <Wire, Output>(json: object, wire: (json: unknown) => Wire, step: Step<Wire, Output>) => {
  try {
    const decoded = wire(json)
    return () => {
      try {
        return step(decoded, json)
      } catch (error) {
        return untranslated(json, error)
      }
    }
  } catch (error) {
    return () => untranslated(json, error)
  }
}

/** A glance that throws finds nothing. */
const glanceAt = <Wire>(glance: GlanceAt<Wire>, text: string) => {
  try {
    return glance(text)
  } catch {
    return undefined
  }
}

/** An error in the CLI's code costs this line only. */
const untranslated = (raw: unknown, error: unknown): ReadonlyArray<AgentEvent> => {
  const message = `A line could not be translated: ${error instanceof Error ? error.name : "unknown error"}`
  return [
    { type: "notice", kind: "warning", message },
    { type: "unknown", raw }
  ]
}
