/**
 * What a CLI reports about its session, compared with what was requested: its version, the way of paying and the permission
 * mode.
 */
import type { Cli } from "../../cli/Cli.ts"
import { BillingMismatch, type FailureReason } from "../../contract/AgentError.ts"
import type { NoticeEvent, SessionEvent } from "../../contract/AgentEvent.ts"
import type { PermissionMode } from "../../contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../contract/AgentOptions.ts"
import { modeMismatch } from "./modeMismatch.ts"
import { makeVersionAdvice } from "./versionAdvice.ts"

export interface SessionChecks {
  /** Notices to emit after a `session` event, and the reason to end the run or session. */
  readonly check: (event: SessionEvent) => {
    readonly notices: ReadonlyArray<NoticeEvent>
    readonly mismatch: FailureReason | undefined
  }
  /** A note for a crash if the CLI's version may be its cause. */
  readonly hint: (hasSpoken: boolean) => string | undefined
}

/** `permissionMode`: the mode that the CLI must report; undefined if it may change. */
export const makeSessionChecks = (
  cli: Cli,
  options: AgentOptions,
  permissionMode: PermissionMode | undefined
): SessionChecks => {
  const version = makeVersionAdvice(cli)
  return {
    check: (event) => ({
      notices: version.behind(event),
      mismatch: billingMismatch(cli, options, event) ?? modeMismatch(cli, permissionMode, event)
    }),
    hint: version.hint
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
