/** Compares the CLI's report about its session with the request: version, way of paying, permission mode. */
import type { Cli, CliFacts } from "../../cli/Cli.ts"
import { standingOf, versionIn } from "../../cli/versions.ts"
import { BillingMismatch, type FailureReason, PermissionModeMismatch } from "../../contract/AgentError.ts"
import type { AgentEvent, NoticeEvent, SessionEvent } from "../../contract/AgentEvent.ts"
import type { PermissionMode } from "../../contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../contract/AgentOptions.ts"

/**
 * Checks whether the permission mode that a CLI reports is at least as strict as the requested one; pure. An unknown
 * mode counts as the weakest. Without a requested or a reported mode nothing is compared.
 */
const freedom: Readonly<Record<PermissionMode, number>> = { plan: 0, default: 1, "accept-edits": 2, bypass: 3 }

/** The less strict of two modes. */
export const weaker = (one: PermissionMode, other: PermissionMode): PermissionMode =>
  freedom[one] >= freedom[other] ? one : other

export const modeMismatch = (
  { reportedMode }: Pick<Cli, "reportedMode">,
  requested: PermissionMode | undefined,
  event: AgentEvent
): PermissionModeMismatch | undefined => {
  if (event.type !== "session" || requested === undefined) return undefined
  const { permissionMode: reported } = event
  if (reported === undefined || reportedMode === undefined) return undefined
  const isStrict = freedom[reportedMode(reported) ?? "bypass"] <= freedom[requested]
  return isStrict ? undefined : new PermissionModeMismatch({ asked: requested, reported })
}

type Facts = Pick<CliFacts, "id" | "testedVersion" | "oldestVersion" | "belowOldest" | "install">

const reportedVersion = (event: AgentEvent): string | undefined =>
  event.type === "session" && event.parentToolId === undefined && event.cliVersion !== undefined
    ? versionIn(event.cliVersion)
    : undefined

/** For a `session` event with a version below the oldest that is known to work. */
export const versionNotice = (cli: Facts, event: AgentEvent): NoticeEvent | undefined => {
  const { id, testedVersion, oldestVersion, belowOldest, install } = cli
  const version = reportedVersion(event)
  if (version === undefined || oldestVersion === undefined) return undefined
  if (standingOf(version, { testedVersion, oldestVersion }) !== "older") return undefined
  const damage = belowOldest === undefined ? "" : `: ${belowOldest}`
  const message = `${id} ${version} is older than ${oldestVersion}, the oldest version that is known to work${damage}. Update it: ${install}@${testedVersion}`
  return { type: "notice", kind: "warning", message, data: { version, oldestVersion, testedVersion } }
}

/**
 * For a crash: undefined if the version is known to work, or if the CLI printed lines but no version. `cliVersion`: as the
 * CLI reports it.
 */
export const versionHint = (cli: Facts, cliVersion: string | undefined, hasSpoken: boolean): string | undefined => {
  const { id, testedVersion, oldestVersion } = cli
  if (oldestVersion === undefined) return undefined
  const version = cliVersion === undefined ? undefined : versionIn(cliVersion)
  if (version === undefined) {
    return hasSpoken ? undefined : `${id} ${oldestVersion} to ${testedVersion} are known to work: see reins doctor`
  }
  const standing = standingOf(version, { testedVersion, oldestVersion })
  if (standing === "older") return `${id} ${version} (oldest known good ${oldestVersion}): see reins doctor`
  return standing === "newer" ? `${id} ${version} (tested with ${testedVersion}): see reins doctor` : undefined
}

/**
 * Advice about the version of a CLI: a notice if it is too old, and a hint in the message of a failure without another
 * explanation. A version is text of the CLI: only its number is shown.
 */
interface VersionAdvice {
  /** The notice to emit after an event; at most one for a run or session. */
  readonly behind: (event: AgentEvent) => ReadonlyArray<NoticeEvent>
  readonly hint: (hasSpoken: boolean) => string | undefined
}

/** For one run or session. */
const makeVersionAdvice = (cli: Facts): VersionAdvice => {
  let cliVersion: string | undefined
  let isEmitted = false
  return {
    behind: (event) => {
      if (event.type !== "session" || event.parentToolId !== undefined) return []
      cliVersion = event.cliVersion ?? cliVersion
      const notice = isEmitted ? undefined : versionNotice(cli, event)
      isEmitted ||= notice !== undefined
      return notice === undefined ? [] : [notice]
    },
    hint: (hasSpoken) => versionHint(cli, cliVersion, hasSpoken)
  }
}

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
