/**
 * Hears what the process prints: events go to the outbox, every line calms the watchdog, and what makes the end certain
 * completes `certain`. Synchronous, since stdout is never kept waiting.
 */
import { Deferred, Effect } from "effect"
import type { Cli, Decoder, Standing } from "../cli/Cli.ts"
import { BillingMismatch } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { PermissionMode } from "../contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import { type Ending, endingOf } from "../engine/judge.ts"
import { modeMismatch } from "../engine/modeMismatch.ts"
import type { Outbox } from "../engine/outbox.ts"
import { makeReader } from "../engine/reader.ts"
import { redactEvent } from "../engine/redact.ts"
import type { SessionGuard } from "../engine/sessionGuard.ts"
import { makeVersionAdvice } from "../engine/versionAdvice.ts"
import type { Phase, Watchdog } from "../engine/watchdog.ts"
import type { Line } from "../process/lines.ts"
import type { Redactor } from "../process/redactor.ts"

export interface Listener {
  readonly push: (chunk: Uint8Array) => void
  /** The process is gone: the line it had not finished is the last. Tells whether that was no whole one. */
  readonly end: () => boolean
  /** The CLI has said how the run came out, and nothing can follow; or it must not go on. */
  readonly certain: Effect.Effect<Ending>
  /** The CLI has opened its session, by this name: what it reads at its start, it has read. */
  readonly opened: Effect.Effect<string>
  readonly hasSpoken: () => boolean
  /** What its version may have to do with a crash. */
  readonly hint: () => string | undefined
}

export interface ListenerOptions {
  readonly cli: Cli
  readonly options: AgentOptions
  readonly permissionMode: PermissionMode | undefined
  readonly decoder: Decoder
  readonly session: Pick<SessionGuard, "changed">
  readonly outbox: Outbox
  readonly watchdog: Watchdog
  readonly record: (line: string) => void
  /** For what is told of the run, not by the agent. */
  readonly redactor: Redactor
}

export const makeListener = ({
  cli,
  options,
  permissionMode,
  decoder,
  session,
  outbox,
  watchdog,
  record,
  redactor
}: ListenerOptions): Listener => {
  const certain = Deferred.makeUnsafe<Ending>()
  const opened = Deferred.makeUnsafe<string>()
  const conclude = (ending: Ending) => {
    Deferred.doneUnsafe(certain, Effect.succeed(ending))
  }
  let hasSpoken = false
  const reader = makeReader(decoder, options.maxLineBytes)
  const version = makeVersionAdvice(cli)

  /** Gives whether the line could be read. */
  const hear = (line: Line): boolean => {
    hasSpoken = true
    if (line._tag === "Line") record(line.text)
    // However the bytes are cut: what comes after the end is recorded, and that is all.
    if (Deferred.isDoneUnsafe(certain)) return true
    // A decoded line takes about twice its length.
    const bytes = line._tag === "Line" ? 2 * line.text.length : undefined
    let isRead = true
    for (const raw of reader.read(line)) {
      const event = redactEvent(raw, redactor)
      outbox.give(event, bytes)
      watchdog.notice(event)
      for (const notice of version.behind(event)) outbox.give(notice)
      isRead &&= !isUnread(event)
      if (event.type === "session") Deferred.doneUnsafe(opened, Effect.succeed(event.sessionId))
      const mismatch = billingMismatch(cli, options, event) ?? modeMismatch(cli, permissionMode, event)
      if (mismatch !== undefined) {
        conclude({ failure: mismatch })
        return true
      }
    }
    const changed = session.changed()
    if (changed !== undefined) conclude({ failure: changed })
    return isRead
  }
  return {
    push: (chunk) => {
      const lines = reader.split(chunk)
      for (const line of lines) {
        hear(line)
        if (decoder.standing() === "ended") conclude(endingOf(decoder.verdict(undefined)))
      }
      if (lines.length > 0) watchdog.touch(phaseOf(decoder.standing(), outbox.isToolOpen()))
    },
    end: () => !reader.rest().every(hear),
    certain: Deferred.await(certain),
    opened: Deferred.await(opened),
    hasSpoken: () => hasSpoken,
    hint: () => version.hint(hasSpoken)
  }
}

const isUnread = (event: AgentEvent) =>
  event.type === "notice" && (event.kind === "malformed_line" || event.kind === "oversize_line")

const phaseOf = (standing: Standing, isToolOpen: boolean): Phase => {
  if (standing === "background" || (isToolOpen && standing === "working")) return "tool"
  return standing === "working" ? "idle" : "linger"
}

/** The CLI is paid for in another way than the caller wants. */
export const billingMismatch = (cli: Cli, { billing }: AgentOptions, event: AgentEvent) => {
  if (event.type !== "session" || event.authSource === undefined || billing === undefined) return undefined
  const isByKey = cli.paysByApiKey(event.authSource)
  if (isByKey === (billing === "api-key")) return undefined
  return new BillingMismatch({ policy: billing, reported: event.authSource })
}
