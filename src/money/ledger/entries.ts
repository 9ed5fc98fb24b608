/** The end of a run or turn → an entry for each model, with the reported cost as their sum; pure. */
import type { AgentRunResult, AgentUsage, ModelUsage } from "../../contract/AgentRunResult.ts"
import type { FailureReason } from "../../contract/FailureReason.ts"
import type { Entry, OpenRun, Sums } from "./rows.ts"

/** A million dollars, or a million million tokens: larger counts are invalid, and would make sums overflow. */
const most = 1e12

const countOf = (value: number | undefined | null): number | null =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 && value <= most ? Math.round(value) : null

const microsOf = (usd: number | undefined): number | null => countOf(usd === undefined ? undefined : usd * 1e6)

const mostCharacters = 1024

/** A database takes no NUL in a text. */
export const boundedText = (text: string | undefined): string | null =>
  text === undefined || text === "" ? null : text.replaceAll("\0", "").slice(0, mostCharacters)

export const sumsOf = (
  usage: AgentUsage | undefined,
  costUsd: number | undefined,
  model: string | undefined
): Sums => ({
  model: boundedText(model),
  input: countOf(usage?.inputTokens),
  output: countOf(usage?.outputTokens),
  cacheRead: countOf(usage?.cacheReadTokens),
  cacheWrite: countOf(usage?.cacheWriteTokens),
  micros: microsOf(costUsd)
})

export interface EndedUsage {
  readonly run: OpenRun
  readonly result: Pick<AgentRunResult, "outcome" | "usage" | "totalCostUsd" | "modelUsage" | "numTurns">
  readonly failure: FailureReason | undefined
  /** The newest sum before the end. */
  readonly last: Sums | undefined
  /** In ms since 1970. */
  readonly at: number
  readonly assumed: number
}

const hasCounts = ({ input, output, cacheRead, cacheWrite, micros }: Sums) =>
  [input, output, cacheRead, cacheWrite, micros].some((count) => count !== null)

/** The newest sum; what it does not tell is as it was before. */
export const soFar = (before: Sums | undefined, now: Sums): Sums => ({
  model: now.model ?? before?.model ?? null,
  input: now.input ?? before?.input ?? null,
  output: now.output ?? before?.output ?? null,
  cacheRead: now.cacheRead ?? before?.cacheRead ?? null,
  cacheWrite: now.cacheWrite ?? before?.cacheWrite ?? null,
  micros: now.micros ?? before?.micros ?? null
})

/** Whether the CLI has reported the end itself, with all that it had used. */
const isComplete = ({ result, failure }: EndedUsage, parts: ReadonlyArray<Sums>) =>
  parts.some(hasCounts) && (result.outcome === "completed" || failure?._tag === "AgentFailed")

const costOfModels = (parts: ReadonlyArray<Sums>) => parts.reduce((sum, { micros }) => sum + (micros ?? 0), 0)

/** The parts have the total as their sum: what it has beyond them is of a part without a cost, else of the largest. */
const withTotal = (parts: ReadonlyArray<Sums>, total: number | null): ReadonlyArray<Sums> => {
  if (total === null || parts.length === 0) return parts
  const rest = total - costOfModels(parts)
  const largest = parts.reduce((a, b) => ((b.micros ?? 0) > (a.micros ?? 0) ? b : a))
  const taker = parts.find(({ micros }) => micros === null) ?? largest
  // Parts of more than the total are more than roundings: they are what the models have cost.
  const added = rest < -parts.length ? 0 : rest
  return parts.map((part) => ({ ...part, micros: Math.max(0, (part.micros ?? 0) + (part === taker ? added : 0)) }))
}

const ofModel = ([model, usage]: readonly [string, ModelUsage]): Sums => sumsOf(usage, usage.costUsd, model)

/** By model where the CLI tells them apart. */
const reported = ({ result, last, run }: EndedUsage): ReadonlyArray<Sums> => {
  const models = Object.entries(result.modelUsage ?? {}).map(ofModel)
  if (models.length > 0) return withTotal(models, microsOf(result.totalCostUsd))
  return [sumsOf(result.usage, result.totalCostUsd, last?.model ?? run.model)]
}

const beyond = (whole: number | null, parts: number): number | null =>
  whole === null || whole <= parts ? null : whole - parts

/** The rest of the sum beyond its models: answers after the last report by model. */
const restOfModels = (parts: ReadonlyArray<Sums>, whole: Sums): Sums => {
  const sum = (name: "input" | "output" | "cacheRead" | "cacheWrite") =>
    beyond(
      whole[name],
      parts.reduce((all, part) => all + (part[name] ?? 0), 0)
    )
  const counts = {
    input: sum("input"),
    output: sum("output"),
    cacheRead: sum("cacheRead"),
    cacheWrite: sum("cacheWrite")
  }
  return { ...counts, model: whole.model, micros: null }
}

/** For a run that was cut off, the CLI's last report. */
const cutOff = (parts: ReadonlyArray<Sums>, { result, last, run }: EndedUsage): ReadonlyArray<Sums> => {
  const reply = sumsOf(result.usage, result.totalCostUsd, last?.model ?? run.model)
  const whole = last === undefined ? reply : soFar(last, reply)
  if (result.modelUsage === undefined) return [whole]
  const rest = restOfModels(parts, whole)
  return hasCounts(rest) ? [...parts, rest] : parts
}

/** `run/turn/model`: of one model twice, the place of the second follows. */
const entryId = ({ runId, id, kind }: OpenRun, model: string | null, place: number, isSecond: boolean) =>
  `${runId}/${kind === "run" ? "run" : kind === "session" ? "rest" : id}/${model ?? ""}${isSecond ? `/${place}` : ""}`

export const entryOf = (
  run: OpenRun,
  sums: Sums,
  facts: Pick<Entry, "at" | "assumed" | "turns"> & { readonly isFinal: boolean },
  place = 0,
  isSecond = false
): Entry => ({
  ...sums,
  id: entryId(run, sums.model, place, isSecond),
  at: facts.at,
  runId: run.runId,
  turnId: run.kind === "turn" ? run.id : null,
  sessionId: boundedText(run.sessionId),
  cli: run.cli,
  home: run.home,
  project: boundedText(run.project),
  user: boundedText(run.user),
  assumed: sums.micros === null ? facts.assumed : null,
  source: sums.micros === null ? "none" : facts.isFinal ? "cli" : "estimate",
  priceVersion: null,
  billing: run.billing,
  turns: facts.turns
})

/** At least one. Costs that no CLI has reported are still unknown: `priced` looks them up. */
export const entriesOf = (ended: EndedUsage) => {
  const { run, result, at, assumed } = ended
  const parts = reported(ended)
  const isFinal = isComplete(ended, parts)
  const all = isFinal ? parts : cutOff(parts, ended)
  const entries = all.map((sums, index) => {
    const [assumedHere, turns] = index === 0 ? [assumed, countOf(result.numTurns)] : [0, null]
    const isSecond = all.findIndex(({ model }) => model === sums.model) < index
    return entryOf(run, sums, { at, assumed: assumedHere, turns, isFinal }, index, isSecond)
  })
  return { entries, isFinal }
}
