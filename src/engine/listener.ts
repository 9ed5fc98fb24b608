/**
 * Takes each line of a run or a live session to whoever makes something of it, with what holds for both: secrets out of
 * notices, the wait that a notice announces, the CLI's version, how it is paid for, its permission mode, and one session.
 * Synchronous, since stdout is never kept waiting.
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

/** Who makes something of the lines: the run of one prompt, or a conversation. */
export interface Receiver {
  readonly stages: Stages<Output>
  /** The mode that the CLI must report; undefined where that may change. */
  readonly permissionMode?: PermissionMode | undefined
  /** `bytes`: about what the event holds in memory, where that is much. */
  readonly give: (event: AgentEvent, bytes?: number) => void
  /** Does what a dialogue wants done. */
  readonly act?: (action: Action) => void
  /** Nothing that still comes counts. */
  readonly isOver: () => boolean
  /** It must not go on. */
  readonly fail: (failure: FailureReason) => void
  /** All that the line means was given. */
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
  /** The CLI has told how it names its session: what it reads at its start, it has read. */
  readonly named: Effect.Effect<string>
  readonly hasSpoken: () => boolean
  /** What its version may have to do with a crash. */
  readonly hint: () => string | undefined
}

export const makeListener = (given: ListenerOptions): Listener => {
  const { cli, options, params, watchdog, redactor, receiver } = given
  const session = makeSessionGuard(cli, params)
  const named = Deferred.makeUnsafe<string>()
  const version = makeVersionAdvice(cli)
  let hasSpoken = false

  const onSession = (event: SessionEvent) => {
    for (const notice of version.behind(event)) receiver.give(notice)
    Deferred.doneUnsafe(named, Effect.succeed(event.sessionId))
    return billingMismatch(cli, options, event) ?? modeMismatch(cli, receiver.permissionMode, event)
  }

  /** Gives why nothing more may be taken. */
  const take = (output: Output, bytes: number | undefined): FailureReason | undefined => {
    if (isAction(output)) {
      receiver.act?.(output)
      return undefined
    }
    const event = output.type === "notice" ? redactEvent(output, redactor) : output
    receiver.give(event, bytes)
    if (event.type === "notice") watchdog.notice(event)
    return event.type === "session" ? onSession(event) : undefined
  }

  return {
    stages: session.guard(receiver.stages),
    onLine: (line) => {
      hasSpoken = true
      // However the bytes are cut: what comes after the end is recorded, and that is all.
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
    named: Deferred.await(named),
    hasSpoken: () => hasSpoken,
    hint: () => version.hint(hasSpoken)
  }
}

/** The CLI is paid for in another way than the caller wants. */
const billingMismatch = (cli: Cli, { billing }: AgentOptions, { authSource }: SessionEvent) => {
  if (authSource === undefined || billing === undefined) return undefined
  const isByKey = cli.paysByApiKey(authSource)
  return isByKey === (billing === "api-key")
    ? undefined
    : new BillingMismatch({ policy: billing, reported: authSource })
}
