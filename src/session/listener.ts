/** Hears what the process of a live session prints: lines go to the dialogue, and what it says to the conversation. */
import { Deferred, Effect } from "effect"
import type { Cli } from "../cli/Cli.ts"
import { type Dialogue, isAction, type Output } from "../cli/Live.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import { makeReader } from "../engine/reader.ts"
import { redactEvent } from "../engine/redact.ts"
import type { SessionGuard } from "../engine/sessionGuard.ts"
import { makeVersionAdvice } from "../engine/versionAdvice.ts"
import type { Watchdog } from "../engine/watchdog.ts"
import type { Line } from "../process/lines.ts"
import type { Redactor } from "../process/redactor.ts"
import { billingMismatch } from "../run/listener.ts"
import type { Conversation } from "./conversation.ts"

export interface SessionListenerOptions {
  readonly cli: Cli
  readonly options: AgentOptions
  readonly dialogue: Dialogue
  readonly session: SessionGuard
  readonly conversation: Conversation
  readonly watchdog: Pick<Watchdog, "notice">
  readonly record: (line: string) => void
  readonly redactor: Redactor
}

export const makeSessionListener = (given: SessionListenerOptions) => {
  const { cli, options, dialogue, session, conversation, watchdog, record, redactor } = given
  const named = Deferred.makeUnsafe<string>()
  let hasSpoken = false
  const reader = makeReader({ push: session.guard(dialogue.push) }, options.maxLineBytes)

  const version = makeVersionAdvice(cli)

  const checked = (output: Output): ReadonlyArray<Output> => {
    if (isAction(output)) return [output]
    const event = redactEvent(output, redactor)
    watchdog.notice(event)
    if (event.type === "session") Deferred.doneUnsafe(named, Effect.succeed(event.sessionId))
    const mismatch = billingMismatch(cli, options, event)
    if (mismatch !== undefined) conversation.giveUp(mismatch)
    return [event, ...version.behind(event)]
  }

  const hear = (line: Line) => {
    hasSpoken = true
    if (line._tag === "Line") record(line.text)
    // A decoded line takes about twice its length.
    const bytes = line._tag === "Line" ? 2 * line.text.length : undefined
    conversation.hear(reader.read(line).flatMap(checked), bytes)
    const changed = session.changed()
    if (changed !== undefined) conversation.giveUp(changed)
  }

  return {
    push: (chunk: Uint8Array) => reader.split(chunk).forEach(hear),
    /** The process is gone: the line it had not finished is the last. */
    end: () => reader.rest().forEach(hear),
    hasSpoken: () => hasSpoken,
    hint: () => version.hint(hasSpoken),
    /** The CLI has told how it names the session. */
    named: Deferred.await(named)
  }
}
