/**
 * A run with an `outputSchema`, over its processes: what each of them is asked, and what is summed. Without a schema
 * everything stays as it is.
 */

import type { Cli } from "../../cli/Cli.ts"
import type { Decoder, RunReport } from "../../cli/Decoder.ts"
import type { FailureReason } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import { type Answering, checkedDecoder } from "../answers/answering.ts"
import { sumOfReports, usageSince } from "../answers/sumOfReports.ts"

export interface Answered {
  /** The parameters as the CLI gets them: a schema for which it has no option is in the prompt. */
  readonly forCli: (params: AgentExecuteParams) => AgentExecuteParams
  readonly decoder: (params: AgentExecuteParams) => Decoder
  /** Undefined for an event that the run has emitted before. Absent without a schema. */
  readonly event?: (event: AgentEvent) => AgentEvent | undefined
  /** The sum over all processes. */
  readonly report: (report: RunReport) => RunReport
  /** The parameters of a further process, if the agent is to be asked again. */
  readonly again: (
    failure: FailureReason,
    params: AgentExecuteParams,
    report: RunReport,
    give: (event: AgentEvent) => void
  ) => AgentExecuteParams | undefined
}

/** The rest of the budget; undefined where nothing is left. */
const budgetAfter = ({ maxBudgetUsd }: AgentExecuteParams, { totalCostUsd = 0 }: RunReport) => {
  if (maxBudgetUsd === undefined) return {}
  return totalCostUsd < maxBudgetUsd ? { maxBudgetUsd: maxBudgetUsd - totalCostUsd } : undefined
}

export const makeAnswered = (cli: Cli, answering: Answering | undefined): Answered => {
  /** The report of the earlier processes of this run. */
  let earlier: RunReport | undefined

  const forCli = (params: AgentExecuteParams): AgentExecuteParams => {
    if (answering === undefined) return params
    const { outputSchema, retries: _ours, ...others } = params
    const prompt = earlier === undefined ? answering.prompt(params.prompt) : params.prompt
    return { ...others, prompt, ...(answering.by === "option" ? { outputSchema } : {}) }
  }

  const event = (event: AgentEvent) => {
    if (earlier === undefined) return event
    // The further process resumes the session, and repeats its facts.
    if (event.type === "session" && event.parentToolId === undefined) return undefined
    return event.type === "usage" ? usageSince(earlier, event) : event
  }

  return {
    ...(answering === undefined ? {} : { event }),
    forCli,
    decoder: (params) => {
      const decoder = cli.decoder(forCli(params))
      return answering === undefined ? decoder : checkedDecoder(decoder, answering)
    },
    report: (report) => sumOfReports(earlier, report),
    again: (failure, params, report, give) => {
      const sum = sumOfReports(earlier, report)
      const budget = budgetAfter(params, sum)
      if (report.sessionId === undefined || params.ephemeral === true || budget === undefined) return undefined
      const next = answering?.again(failure)
      if (next === undefined) return undefined
      for (const notice of next.notices) give(notice)
      earlier = sum
      // The session has them.
      const { attachments: _seen, forkSession: _fork, newSessionId: _new, ...others } = params
      return { ...others, prompt: next.prompt, sessionId: report.sessionId, ...budget }
    }
  }
}
