/** The sums of a session over its turns. What is found of the usage of a turn after its end replaces what it had reported. */

import type { RunReport } from "../../cli/Decoder.ts"
import { addUsage } from "../../contract/addUsage.ts"
import { addModels } from "../answers/sumOfReports.ts"

export interface SessionTotals {
  /** Adds a turn; gives what replaces its report later. */
  readonly add: (report: RunReport) => (completed: RunReport) => void
  readonly sum: () => RunReport
}

const addReport = (
  before: RunReport,
  { sessionId, usage, modelUsage, totalCostUsd, numTurns }: RunReport
): RunReport => {
  const allUsage = addUsage(before.usage, usage)
  const models = addModels(before.modelUsage, modelUsage)
  const cost = totalCostUsd === undefined ? before.totalCostUsd : (before.totalCostUsd ?? 0) + totalCostUsd
  const count = numTurns === undefined ? before.numTurns : (before.numTurns ?? 0) + numTurns
  return {
    ...before,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(allUsage === undefined ? {} : { usage: allUsage }),
    ...(models === undefined ? {} : { modelUsage: models }),
    ...(cost === undefined ? {} : { totalCostUsd: cost }),
    ...(count === undefined ? {} : { numTurns: count })
  }
}

export const makeSessionTotals = (): SessionTotals => {
  /** Of all turns but the last few, which may still change. */
  let older: RunReport = {}
  const last: Array<{ report: RunReport }> = []
  return {
    add: (report) => {
      const entry = { report }
      last.push(entry)
      const oldest = last.length > mostOpen ? last.shift() : undefined
      if (oldest !== undefined) older = addReport(older, oldest.report)
      return (completed) => {
        entry.report = completed
      }
    },
    sum: () => last.reduce((sum, { report }) => addReport(sum, report), older)
  }
}

/** A turn is completed within a second of its end. */
const mostOpen = 16
