/** Compares the CLI's report about its session with the request: version, way of paying, permission mode. */
import type { Cli, CliFacts } from "../../cli/Cli.ts"
import { standingOf, versionIn } from "../../cli/versions.ts"
import { BillingMismatch, PermissionModeMismatch } from "../../contract/AgentError.ts"
import type { AgentEvent, NoticeEvent, SessionEvent } from "../../contract/AgentEvent.ts"
import type { PermissionMode } from "../../contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../contract/AgentOptions.ts"

const freedom: Readonly<Record<PermissionMode, number>> = { plan: 0, default: 1, "accept-edits": 2, bypass: 3 }

/** The less strict of two modes. */
export const weaker = (one: PermissionMode, other: PermissionMode): PermissionMode =>
  freedom[one] >= freedom[other] ? one : other

/**
 * Fails a session whose reported mode is less strict than the requested one. An unknown mode counts as the weakest; without
 * a requested or a reported mode nothing is compared.
 */
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

/** For a `session` event with a version below the oldest that is known to work. */
export const versionNotice = (cli: Facts, event: AgentEvent): NoticeEvent | undefined => {
  if (event.type !== "session" || event.parentToolId !== undefined || event.cliVersion === undefined) return undefined
  const { id, testedVersion, oldestVersion, belowOldest, install } = cli
  const version = versionIn(event.cliVersion)
  if (version === undefined || oldestVersion === undefined) return undefined
  if (standingOf(version, { testedVersion, oldestVersion }) !== "older") return undefined
  const damage = belowOldest === undefined ? "" : `: ${belowOldest}`
  const message = `${id} ${version} is older than ${oldestVersion}, the oldest version that is known to work${damage}. Update it: ${install}@${testedVersion}`
  return { type: "notice", kind: "warning", message, data: { version, oldestVersion, testedVersion } }
}

/** For a crash; undefined if the version is known to work, or if the CLI printed lines but no version. */
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

/** For one run or session. `permissionMode`: the mode that the CLI must report; undefined if it may change. */
export const makeSessionChecks = (cli: Cli, options: AgentOptions, permissionMode: PermissionMode | undefined) => {
  let cliVersion: string | undefined
  let isEmitted = false
  return {
    /** Notices to emit after a `session` event, and the reason to end the run or session. */
    check: (event: SessionEvent) => {
      if (event.parentToolId === undefined) cliVersion = event.cliVersion ?? cliVersion
      const notice = isEmitted ? undefined : versionNotice(cli, event)
      isEmitted ||= notice !== undefined
      return {
        notices: notice === undefined ? [] : [notice],
        mismatch: billingMismatch(cli, options, event) ?? modeMismatch(cli, permissionMode, event)
      }
    },
    /** A note for a crash if the CLI's version may be its cause. Only its number is shown, since it is text of the CLI. */
    hint: (hasSpoken: boolean) => versionHint(cli, cliVersion, hasSpoken)
  }
}

/** The CLI uses another way of paying than the `billing` option. */
const billingMismatch = (cli: Cli, { billing }: AgentOptions, { authSource }: SessionEvent) => {
  if (authSource === undefined || billing === undefined) return undefined
  const isByKey = cli.paysByApiKey(authSource)
  return isByKey === (billing === "api-key")
    ? undefined
    : new BillingMismatch({ policy: billing, reported: authSource })
}
