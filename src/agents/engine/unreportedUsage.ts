/**
 * Usage of a run or turn that the CLI's lines leave out, such as that of sub-agents or of a run that was ended: read from
 * the CLI's own files once it is over, for a moment, and only where something may be missing.
 */
import { Effect } from "effect"
import type { Cli, ReportedUsage } from "../../cli/Cli.ts"
import type { RunReport } from "../../cli/Decoder.ts"
import type { StoreOf } from "../../cli/stored/find.ts"
import type { FoundSum } from "../../cli/stored/sumOfUsage.ts"
import type { AgentUsage } from "../../contract/AgentRunResult.ts"

/** A look that takes longer is given up. */
const longestMs = 1_000

export interface Spent {
  readonly sessionId: string | undefined
  /** In ms since 1970. */
  readonly since: number
  readonly until: number
  readonly usage: AgentUsage | undefined
  readonly hadSubAgent: boolean
  readonly isPartial?: boolean
}

export const mayLack = (reported: ReportedUsage, { usage, hadSubAgent, isPartial = false }: Spent): boolean =>
  reported === "part" || usage === undefined || isPartial || (reported === "main" && hadSubAgent)

/** Returns undefined if nothing can be missing. */
export const unreportedUsage = (
  { cli, env }: StoreOf & { readonly cli: Pick<Cli, "reportsUsage"> },
  type: "run" | "live",
  spent: Spent
): Effect.Effect<FoundSum | undefined> | undefined => {
  const { sessionId, since, until } = spent
  const reported = cli.reportsUsage?.[type]
  if (reported === undefined || cli.stored === undefined || sessionId === undefined || !mayLack(reported, spent))
    return undefined
  // Sub-agents write their usage to other files of the session.
  const withAgents = spent.hadSubAgent
  const question = { cli, env, sessionId, since, until, withAgents }
  return Effect.promise((signal) =>
    import("../../cli/stored/usage.ts")
      .then(({ storedUsage }) => storedUsage(question, AbortSignal.any([signal, AbortSignal.timeout(longestMs)])))
      .catch(() => undefined)
  )
}

const inputOf = ({ inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 }: AgentUsage) =>
  inputTokens + cacheReadTokens + cacheWriteTokens

/** Files that were not written to their end have less than the lines. */
const isLess = (found: AgentUsage, reported: AgentUsage | undefined) =>
  reported !== undefined &&
  (inputOf(found) < inputOf(reported) || (found.outputTokens ?? 0) < (reported.outputTokens ?? 0))

type Sums = Pick<RunReport, "modelUsage" | "totalCostUsd"> & { readonly usage?: AgentUsage | undefined }

/** The report with the sums of the files. */
export const withFound = <Report extends Sums>(report: Report, found: FoundSum | undefined): Report =>
  found === undefined || isLess(found.usage, report.usage) ? report : { ...report, ...found }
