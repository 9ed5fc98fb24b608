/**
 * The agents by their names in the program: every CLI, any agent of the Agent Client Protocol by its program, and the demo
 * agent, which speaks like Claude Code.
 */
import { acpAgent } from "../agents/Acp.ts"
import { type CliId, clis } from "../agents/Agents.ts"
import type { Cli } from "../cli/Cli.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import { packageFile } from "../system/process/packageFile.ts"

export const cliIds = Object.keys(clis) as ReadonlyArray<CliId>

export const agentNames = [...cliIds, "acp", "demo"] as const
export type AgentName = CliId | "acp" | "demo"

const demoAgent = packageFile("fixtures/programs/demo-agent.mjs")

export interface ChosenAgent {
  /** The agent's name, for people. */
  readonly label: string
  readonly cli: Cli
  readonly options: AgentOptions
  /** Whether it asks for approval of a plan. */
  readonly plans: boolean
}

const asksForPlans: Readonly<Record<AgentName, boolean>> = {
  claude: true,
  gemini: true,
  codex: false,
  opencode: false,
  acp: false,
  demo: true
}

/** Any agent of the protocol: the program that speaks it, and its arguments. */
export const chosenAcpAgent = ([command = "", ...args]: ReadonlyArray<string>): ChosenAgent => ({
  label: "acp",
  ...acpAgent({ command, args }),
  plans: asksForPlans.acp
})

export const chosenAgent = (name: Exclude<AgentName, "acp">): ChosenAgent =>
  name === "demo"
    ? {
        label: "demo agent",
        cli: clis.claude,
        options: { command: process.execPath, baseArgs: [demoAgent] },
        plans: asksForPlans[name]
      }
    : { label: name, cli: clis[name], options: {}, plans: asksForPlans[name] }

/** Its sessions are not those of Claude Code, which speaks the same. */
export const demoOfConversations: ChosenAgent = { ...chosenAgent("demo"), cli: { ...clis.claude, id: "demo" } }
