/** The sessions of a store, by the plain door. */
import type {
  AdoptOptions,
  ConversationKey,
  ExportFormat,
  ForkOptions,
  SessionFilter,
  SessionInfo,
  SessionRef,
  TranscriptEvent,
  TranscriptOptions
} from "./Sessions.ts"

/** Lists, reads, exports and changes the sessions of a store. No model is asked. Fails with `StoreError`. */
export interface PlainSessions {
  /** Ours, the last used first; with `outside` also those that were begun in the CLIs themselves. */
  readonly list: (filter?: SessionFilter) => AsyncIterable<SessionInfo>
  /** One session, also one that only its CLI knows. Fails with `UnknownSession` and `AmbiguousSession`. */
  readonly get: (session: SessionRef) => Promise<SessionInfo>
  /** Gives it a title: one line, at most 200 characters. */
  readonly rename: (session: SessionRef, title: string) => Promise<SessionInfo>
  /**
   * Removes its row, its transcript and the texts of its turns. The files of its CLI stay. Fails with `SessionBusy` while
   * it is used.
   */
  readonly forget: (session: SessionRef) => Promise<void>
  /** Puts it away: it is listed with `all` alone, and its conversation begins anew. `adopt` takes it back. */
  readonly archive: (session: SessionRef) => Promise<SessionInfo>
  /**
   * Lets another conversation go on in a copy of the session, which its CLI makes with the next turn; the session stays as
   * it is. Fails with `UnsupportedOption` where the CLI cannot fork. Gives the session that will be forked.
   */
  readonly fork: (session: SessionRef, options: ForkOptions) => Promise<SessionInfo>
  /** Makes a session that was begun in its CLI one of ours, so that a conversation can go on with it. */
  readonly adopt: (session: SessionRef, options?: AdoptOptions) => Promise<SessionInfo>
  /** The conversation begins anew with its next turn, of one CLI or of all. Its sessions stay. */
  readonly clear: (conversation: ConversationKey, cli?: string) => Promise<void>
  /**
   * The transcript behind a position, then what is to come, until the session is archived or forgotten. Fails with
   * `NotKept` where there is none.
   */
  readonly events: (session: SessionRef, options?: TranscriptOptions) => AsyncIterable<TranscriptEvent>
  /** As text: from the transcript, else from the CLI's own files. */
  readonly export: (session: SessionRef, format: ExportFormat) => AsyncIterable<string>
}
