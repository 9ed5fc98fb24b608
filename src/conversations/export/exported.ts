/** What an export is made of: a session, and its events from the transcript or from the CLI's own file. */

import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { PromptEvent, SessionInfo } from "../../contract/Sessions.ts"

/** As `TranscriptEvent`; in a CLI's own file some of it is unknown. */
export interface ExportedEvent {
  readonly position?: number
  readonly at?: number
  readonly runId?: string
  readonly event: AgentEvent | PromptEvent
}

/** The head of an export. */
export interface ExportedSession extends SessionInfo {
  /** The command by which it is continued, if its CLI has one. */
  readonly resumeLine?: string
}
