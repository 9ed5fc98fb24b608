/** A session and its events as a stream of text, as they come: nothing of an export is in memory but a turn. */
import { Stream } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { eventJson, plainJson } from "../../contract/eventJson.ts"
import type { ExportFormat } from "../../contract/Sessions.ts"
import { type ExportedEvent, type ExportedSession, makeMarkdown } from "./markdown.ts"

/**
 * A session as JSON, one object a line: `{"session":…}`, then each event with its position and time, as far as they are
 * known. Nothing is cut. For `jq`, each line is a value of its own.
 */
const jsonHead = (session: ExportedSession): string => `${plainJson({ session }) ?? "{}"}\n`

/** Our own, not of a run. */
const isOfRun = (event: ExportedEvent["event"]): event is AgentEvent => event.type !== "prompt"

const jsonLine = ({ event, ...stamp }: ExportedEvent): string => {
  const own = isOfRun(event) ? eventJson(event) : (plainJson(event) ?? "null")
  const facts = (plainJson(stamp) ?? "{}").slice(0, -1)
  return `${facts}${facts === "{" ? "" : ","}"event":${own}}\n`
}

export const exportText = <E, R>(
  session: ExportedSession,
  events: Stream.Stream<ExportedEvent, E, R>,
  format: ExportFormat
): Stream.Stream<string, E, R> => {
  if (format === "json") return Stream.concat(Stream.make(jsonHead(session)), Stream.map(events, jsonLine))
  return Stream.suspend(() => {
    const writer = makeMarkdown(session)
    const pieces = Stream.map(events, writer.push)
    const whole = Stream.concat(
      pieces,
      Stream.suspend(() => Stream.make(writer.end()))
    )
    return Stream.filter(whole, (text) => text !== "")
  })
}
