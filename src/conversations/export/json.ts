/**
 * A session as JSON, one object a line: `{"session":…}`, then each event with its position and time, as far as they are
 * known. Nothing is cut. For `jq`, each line is a value of its own.
 */

import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { eventJson, plainJson } from "../../contract/eventJson.ts"
import type { ExportedEvent, ExportedSession } from "./exported.ts"

export const jsonHead = (session: ExportedSession): string => `${plainJson({ session }) ?? "{}"}\n`

/** Our own, not of a run. */
const isOfRun = (event: ExportedEvent["event"]): event is AgentEvent => event.type !== "prompt"

export const jsonLine = ({ event, ...stamp }: ExportedEvent): string => {
  const own = isOfRun(event) ? eventJson(event) : (plainJson(event) ?? "null")
  const facts = (plainJson(stamp) ?? "{}").slice(0, -1)
  return `${facts}${facts === "{" ? "" : ","}"event":${own}}\n`
}
