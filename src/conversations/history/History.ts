/** Operations on stored sessions that need no model. */
import type { Effect, Stream } from "effect"
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
} from "../../contract/Sessions.ts"
import type { StoreError } from "../../contract/StoreError.ts"

export interface History {
  /** Ours, the last used first; with `outside` also those that were begun in the CLIs themselves. */
  readonly list: (filter?: SessionFilter) => Stream.Stream<SessionInfo, StoreError>
  /** One session, also one that only its CLI knows. Fails with `UnknownSession` and `AmbiguousSession`. */
  readonly get: (session: SessionRef) => Effect.Effect<SessionInfo, StoreError>
  /** Gives it a title: one line, at most 200 characters. */
  readonly rename: (session: SessionRef, title: string) => Effect.Effect<SessionInfo, StoreError>
  /** Removes its row, transcript and turn texts; the CLI's files stay. Fails with `SessionBusy` while it is used. */
  readonly forget: (session: SessionRef) => Effect.Effect<void, StoreError>
  /** Archives it: it is listed with `all` alone, and its conversation begins anew. `adopt` takes it back. */
  readonly archive: (session: SessionRef) => Effect.Effect<SessionInfo, StoreError>
  /**
   * Lets another conversation continue in a copy, which the CLI makes with the next turn; the session stays as it is.
   * Fails with `UnsupportedOption` where the CLI cannot fork. Returns the session that will be forked.
   */
  readonly fork: (session: SessionRef, options: ForkOptions) => Effect.Effect<SessionInfo, StoreError>
  /** Makes a session that was begun in its CLI one of ours, so that a conversation can continue it. */
  readonly adopt: (session: SessionRef, options?: AdoptOptions) => Effect.Effect<SessionInfo, StoreError>
  /** The conversation begins anew with its next turn, of one CLI or of all. Its sessions stay. */
  readonly clear: (conversation: ConversationKey, cli?: string) => Effect.Effect<void, StoreError>
  /** Entries after a position, then new ones until the session is archived or forgotten. Fails with `NotKept`. */
  readonly events: (session: SessionRef, options?: TranscriptOptions) => Stream.Stream<TranscriptEvent, StoreError>
  /** As text: from the transcript, else from the CLI's own files. */
  readonly export: (session: SessionRef, format: ExportFormat) => Stream.Stream<string, StoreError>
}
