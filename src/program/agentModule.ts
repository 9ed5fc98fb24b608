/** A CLI of the user's own, for `--agent-module`: the value of `Cli.make` that a module exports. */
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect } from "effect"
import { planless } from "../agents/approvals/planless.ts"
import type { Cli } from "../cli/Cli.ts"
import { isCli, isCliId } from "../cli/clis.ts"
import { contractProblem } from "../cli/contract.ts"
import { InvalidParams } from "../contract/AgentError.ts"
import { isAcpAgentId } from "../contract/CliSupport.ts"
import { harmless } from "../contract/text/harmless.ts"
import { untraced } from "../contract/untraced.ts"
import type { ChosenAgent } from "./chosenAgent.ts"

/** Ids that name other agents in the program and its records. */
const isTaken = (id: string) => isCliId(id) || isAcpAgentId(id) || id === "acp" || id === "demo"

/** The default export, or else the only export, that is a CLI; or the problem. */
const cliIn = (exported: Readonly<Record<string, unknown>>): Cli | string => {
  const found = Object.entries(exported).flatMap(([name, value]) => (isCli(value) ? [{ name, value }] : []))
  const chosen = found.find(({ name }) => name === "default") ?? found[0]
  if (chosen === undefined) return "exports no value of Cli.make: see docs/adding-a-cli.md"
  if (chosen.name !== "default" && found.length > 1)
    return `exports several CLIs (${found.map(({ name }) => name).join(", ")}): make one of them the default export`
  const { id } = chosen.value
  const problem = contractProblem(chosen.value)
  if (problem !== undefined) return `its CLI ${harmless(id)} ${problem}`
  return isTaken(id) ? `its CLI has the id ${id}, which names another agent: give it one of its own` : chosen.value
}

/** Runs the module, which can do all that the user can. */
export const loadCli = Effect.fn(...untraced("AgentModule.loadCli"))(function* (file: string) {
  const path = resolve(file)
  const wrong = (problem: string) => new InvalidParams({ option: "--agent-module", problem: `${file}: ${problem}` })
  const exported = yield* Effect.tryPromise({
    try: (): Promise<Readonly<Record<string, unknown>>> => import(pathToFileURL(path).href),
    catch: (error) => wrong(`cannot be loaded: ${harmless(error instanceof Error ? error.message : String(error))}`)
  })
  const cli = cliIn(exported)
  return typeof cli === "string" ? yield* wrong(cli) : cli
})

export const agentOfModule = (cli: Cli): ChosenAgent => ({
  label: cli.id,
  cli,
  options: {},
  plans: cli.live !== undefined && !planless.has(cli.id)
})
