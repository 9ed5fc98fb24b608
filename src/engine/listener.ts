/**
 * Passes each line of a run or a live session to its receiver, with the checks that both share: secrets redacted from
 * notices, announced waits, the CLI's version, the way of paying, the permission mode, and the session. Synchronous, so
 * that stdout is never blocked.
 */
import { Deferred, Effect } from "effect"
import type { Cli } from "../cli/Cli.ts"
import type { Stages } from "../cli/Decoder.ts"
import { type Action, isAction, type Output } from "../cli/Live.ts"
import { BillingMismatch, type FailureReason } from "../contract/AgentError.ts"
import type { AgentEvent, SessionEvent } from "../contract/AgentEvent.ts"
import type { PermissionMode } from "../contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import type { Redactor } from "../process/redactor.ts"
import { modeMismatch } from "./modeMismatch.ts"
import type { PipelineOptions } from "./pipeline.ts"
import { redactEvent } from "./redact.ts"
import { makeSessionGuard, type SessionParams } from "./sessionGuard.ts"
import { makeVersionAdvice } from "./versionAdvice.ts"
import type { Watchdog } from "./watchdog.ts"
import type { WireLine } from "./wireLine.ts"

/** The receiver of lines: the run of one prompt, or a conversation. */
export interface Receiver {
  readonly stages: Stages<Output>
  /** The mode that the CLI must report; undefined if it may change. */
  readonly permissionMode?: PermissionMode | undefined
  /** `bytes`: estimated memory of a large event. */
  readonly give: (event: AgentEvent, bytes?: number) => void
  /** Performs an action of a dialogue. */
  readonly act?: (action: Action) => void
  /** Further lines do not count any more. */
  readonly isOver: () => boolean
  /** Ends the run or session with a failure. */
  readonly fail: (failure: FailureReason) => void
  /** All outputs of the line were given. */
  readonly onLineEnd: (line: WireLine) => void
  /** After the lines of a chunk. */
  readonly onChunk?: () => void
}

export interface ListenerOptions {
  readonly cli: Cli
  readonly options: AgentOptions
  readonly params: SessionParams
  readonly watchdog: Pick<Watchdog, "notice">
  readonly redactor: Redactor
  readonly receiver: Receiver
}

export interface Listener extends Pick<PipelineOptions<Output>, "stages" | "onLine" | "onChunk"> {
  /** Completes when the CLI has reported its session: by then it has read its settings. */
  readonly sessionNamed: Effect.Effect<string>
  readonly hasSpoken: () => boolean
  /** A note for a crash if the CLI's version may be its cause. */
  readonly hint: () => string | undefined
}

/** The ends and errors of the events are made here alone: of a CLI they are no more than lines that nobody knows. */
export const eventOfCli = (event: AgentEvent): AgentEvent =>
  event.type === "done" || event.type === "turn_done" || event.type === "error"
    ? { type: "unknown", raw: event }
    : event

export const makeListener = (listenerOptions: ListenerOptions): Listener => {
  const { cli, options, params, watchdog, redactor, receiver } = listenerOptions
  const session = makeSessionGuard(cli, params)
  const named = Deferred.makeUnsafe<string>()
  const version = makeVersionAdvice(cli)
  let hasSpoken = false

  const onSession = (event: SessionEvent) => {
    for (const notice of version.behind(event)) receiver.give(notice)
    Deferred.doneUnsafe(named, Effect.succeed(event.sessionId))
    return billingMismatch(cli, options, event) ?? modeMismatch(cli, receiver.permissionMode, event)
  }

  /** Gives the reason to take nothing more. */
  const take = (output: Output, bytes: number | undefined): FailureReason | undefined => {
    if (isAction(output)) {
      receiver.act?.(output)
      return undefined
    }
    const event = output.type === "notice" ? redactEvent(output, redactor) : eventOfCli(output)
    receiver.give(event, bytes)
    if (event.type === "notice") watchdog.notice(event)
    return event.type === "session" ? onSession(event) : undefined
  }

  return {
    stages: session.guard(receiver.stages),
    onLine: (line) => {
      hasSpoken = true
      // Lines after the end are only recorded, however the bytes are cut.
      if (receiver.isOver()) return
      for (const output of line.outputs()) {
        const mismatch = take(output, line.bytes)
        if (mismatch !== undefined) return receiver.fail(mismatch)
      }
      const changed = session.changed()
      if (changed !== undefined) return receiver.fail(changed)
      receiver.onLineEnd(line)
    },
    onChunk: receiver.onChunk ?? (() => {}),
    sessionNamed: Deferred.await(named),
    hasSpoken: () => hasSpoken,
    hint: () => version.hint(hasSpoken)
  }
}

/** Whether the CLI uses another way of paying than the `billing` option. */
const billingMismatch = (cli: Cli, { billing }: AgentOptions, { authSource }: SessionEvent) => {
  if (authSource === undefined || billing === undefined) return undefined
  const isByKey = cli.paysByApiKey(authSource)
  return isByKey === (billing === "api-key")
    ? undefined
    : new BillingMismatch({ policy: billing, reported: authSource })
}
