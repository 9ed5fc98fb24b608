/** What was said in a session, as updates: from its transcript, or from what its CLI keeps. */
import { Option, Predicate, Schema, Stream } from "effect"
import { AgentEvent } from "../../contract/AgentEvent.ts"
import type { Update } from "./update.ts"
import { makeUpdates, promptChunk } from "./updates.ts"

const decodeEvent = Schema.decodeUnknownOption(AgentEvent)

const eventIn = (line: string): unknown => {
  try {
    const json: unknown = JSON.parse(line)
    return Predicate.hasProperty(json, "event") ? json.event : undefined
  } catch {
    return undefined
  }
}

/** Of the lines of an export as JSON. */
export const replayed = <E, R>(lines: Stream.Stream<string, E, R>): Stream.Stream<Update, E, R> =>
  Stream.suspend(() => {
    const updates = makeUpdates({ takesNotices: false })
    const of = (line: string): ReadonlyArray<Update> => {
      const event = eventIn(line)
      if (!Predicate.hasProperty(event, "type")) return []
      if (event.type === "prompt") {
        return Predicate.hasProperty(event, "text") && Predicate.isString(event.text) ? [promptChunk(event.text)] : []
      }
      return Option.match(decodeEvent(event), { onNone: () => [], onSome: updates.push })
    }
    return Stream.flatMap(Stream.splitLines(lines), (line) => Stream.fromIterable(of(line)))
  })
