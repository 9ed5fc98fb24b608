/** Sums of reports of turns; pure. */
import type { RunReport } from "../../cli/Decoder.ts"
import type { UsageEvent } from "../../contract/AgentEvent.ts"
import type { ModelUsage } from "../../contract/AgentRunResult.ts"
import { addCounts, addUsage, usageOf } from "../../contract/addUsage.ts"

const optional = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: Value } // a computed key widens to string

/** A cost of which a part is unknown is unknown. */
const addCosts = (a: number | undefined, b: number | undefined) =>
  a === undefined || b === undefined ? undefined : a + b

const addModels = (a: RunReport["modelUsage"], b: RunReport["modelUsage"]) => {
  if (a === undefined || b === undefined) return a ?? b
  const sums: Record<string, ModelUsage> = { ...a }
  for (const [model, usage] of Object.entries(b)) {
    const before = Object.hasOwn(a, model) ? a[model] : undefined
    const costUsd = before === undefined ? usage.costUsd : addCosts(before.costUsd, usage.costUsd)
    sums[model] = { ...addUsage(usageOf(before ?? {}), usageOf(usage)), ...optional("costUsd", costUsd) }
  }
  return sums
}

/** The report of a session with one more turn. A cost of which a part is unknown is the sum of the rest. */
export const addReport = (before: RunReport, turn: RunReport): RunReport => ({
  ...before,
  ...optional("sessionId", turn.sessionId),
  ...optional("usage", addUsage(before.usage, turn.usage)),
  ...optional("modelUsage", addModels(before.modelUsage, turn.modelUsage)),
  ...optional("totalCostUsd", addCounts(before.totalCostUsd, turn.totalCostUsd)),
  ...optional("numTurns", addCounts(before.numTurns, turn.numTurns))
})

/** The reports of the turns of one answer as one: counts are sums, the rest is of the last turn. */
export const sumOfReports = (earlier: RunReport | undefined, last: RunReport): RunReport => {
  if (earlier === undefined) return last
  // The last turn did nothing, and cost nothing.
  if (Object.keys(last).length === 0) return earlier
  const { totalCostUsd: _cost, errorSubtype: _subtype, structuredOutput: _output, ...facts } = earlier
  const { totalCostUsd: _lastCost, ...lastFacts } = last
  const denials = [...(earlier.permissionDenials ?? []), ...(last.permissionDenials ?? [])]
  return {
    ...facts,
    ...lastFacts,
    ...optional("usage", addUsage(earlier.usage, last.usage)),
    ...optional("totalCostUsd", addCosts(earlier.totalCostUsd, last.totalCostUsd)),
    ...optional("apiDurationMs", addCounts(earlier.apiDurationMs, last.apiDurationMs)),
    ...optional("numTurns", addCounts(earlier.numTurns, last.numTurns)),
    ...optional("modelUsage", addModels(earlier.modelUsage, last.modelUsage)),
    ...(denials.length === 0 ? {} : { permissionDenials: denials })
  }
}

/** The sum of the event, and of the turns before its own. */
export const usageSince = (earlier: RunReport | undefined, event: UsageEvent): UsageEvent => {
  if (earlier === undefined || event.parentToolId !== undefined) return event
  const { totalCostUsd, ...others } = event
  return {
    ...others,
    usage: addUsage(earlier.usage, event.usage) ?? event.usage,
    ...optional("totalCostUsd", addCosts(earlier.totalCostUsd, totalCostUsd))
  }
}
