// The options: each with its type and meaning, and which CLI takes it, in runs and in live sessions.
import { acp } from "../../../src/cli/acp/index.ts"
import type { Cli } from "../../../src/cli/Cli.ts"
import { clis } from "../../../src/cli/clis.ts"
import { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import { AgentOpenParams } from "../../../src/contract/AgentOpenParams.ts"
import { AgentOptions, EnvironmentOptions, Limits } from "../../../src/contract/AgentOptions.ts"
import { Budget } from "../../../src/contract/Budget.ts"
import { type Docstrings, docstringsOf } from "../kit/docstrings.ts"
import { code, table } from "../kit/markdown.ts"
import { isOptional, typeOf } from "../kit/types.ts"
import { ids, names } from "./clis.ts"
import { remarks } from "./remarks.ts"

type Fields = Readonly<Record<string, { readonly ast: Parameters<typeof typeOf>[0] }>>

const fail = (name: string) => {
  throw new Error(`${name} has no comment`)
}

const fieldsTable = (fields: Fields, { fields: comments }: Docstrings) =>
  table(
    ["option", "type", "meaning"],
    Object.entries(fields).map(([name, { ast }]) => [
      isOptional(ast) ? code(name) : `${code(name)} (required)`,
      code(typeOf(ast)),
      comments.get(name) ?? fail(name)
    ])
  )

const runFields = docstringsOf("AgentExecuteParams")
const sessionFields = docstringsOf("AgentOpenParams")
const inRuns = new Set(Object.keys(AgentExecuteParams.fields))

export const runOptionsTable = () => fieldsTable(AgentExecuteParams.fields, runFields)

/** Options that a run lacks. */
export const sessionOptionsTable = () => {
  const own = Object.entries(AgentOpenParams.fields).filter(([name]) => !inRuns.has(name))
  return fieldsTable(Object.fromEntries(own), sessionFields)
}

export const agentOptionsTable = () => fieldsTable(AgentOptions.fields, docstringsOf("AgentOptions"))
export const environmentTable = () => fieldsTable(EnvironmentOptions.fields, docstringsOf("EnvironmentOptions"))
export const budgetTable = () => fieldsTable(Budget.fields, docstringsOf("Budget"))
export const limitsTable = () => fieldsTable(Limits.fields, docstringsOf("Limits"))

const columns: ReadonlyArray<readonly [string, Cli]> = [
  ...ids.map((id) => [id, clis[id]] as const),
  ["acp", acp("acp", "agent")]
]

const isIn = (set: ReadonlySet<string> | undefined, option: string) => set?.has(option) === true
const isTakenBy = (option: string, { supports, live }: Cli) => isIn(supports, option) || isIn(live?.supports, option)

/** The options of a CLI's own; the pipeline does the others for all of them. */
export const ownOptions = [
  ...new Set([...Object.keys(AgentExecuteParams.fields), ...Object.keys(AgentOpenParams.fields)])
].filter((option) => columns.some(([, cli]) => isTakenBy(option, cli)))

const support = (option: string, id: string, { supports, live, isLiveOnly }: Cli): string => {
  const inRun = isIn(supports, option)
  const inSession = isIn(live?.supports, option)
  const remark = remarks[option]?.[id]
  const isOnlyOfOneKind = inRuns.has(option) && isLiveOnly !== true && inRun !== inSession && option !== "outputSchema"
  const where = isOnlyOfOneKind ? (inRun ? "runs only" : "live sessions only") : undefined
  // Every agent can be asked for an answer by a schema.
  const otherwise = option === "outputSchema" ? "in the prompt" : "–"
  return [inRun || inSession ? "yes" : otherwise, where, remark].filter((part) => part !== undefined).join("; ")
}

export const supportTable = () =>
  table(
    ["option", ...ids.map((id) => names[id]), "ACP agents"],
    ownOptions.map((option) => [code(option), ...columns.map(([id, cli]) => support(option, id, cli))])
  )
