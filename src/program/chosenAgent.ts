/**
 * The agents by their names in the program: every CLI, agents of the Agent Client Protocol by name or by their program, and
 * the demo agent, which speaks like Claude Code.
 */
import { acpAgent, namedAcpAgent } from "../agents/Acp.ts"
import { type CliId, clis } from "../agents/Agents.ts"
import { planless } from "../agents/approvals/planless.ts"
import type { Cli } from "../cli/Cli.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import { acpAgentIds, isAcpAgentId, type KnownAgentId } from "../contract/CliSupport.ts"
import { packageFile } from "../system/process/packageFile.ts"
import type { Planner } from "./planMode.ts"

export const cliIds = Object.keys(clis) as ReadonlyArray<CliId>
export const agentNames = [...cliIds, ...acpAgentIds, "acp", "demo"] as const
export type AgentName = KnownAgentId | "acp" | "demo"
const demoAgent = packageFile("fixtures/programs/demo-agent.mjs")

export interface ChosenAgent extends Planner {
  readonly cli: Cli
  readonly options: AgentOptions
}

export const chosenAcpAgent = ([command = "", ...args]: ReadonlyArray<string>): ChosenAgent => ({
  label: "acp",
  ...acpAgent({ command, args }),
  plans: !planless.has("acp")
})

export const chosenAgent = (name: Exclude<AgentName, "acp">): ChosenAgent => {
  if (name === "demo") {
    const options = { command: process.execPath, baseArgs: [demoAgent] }
    return { label: "demo agent", cli: clis.claude, options, plans: true }
  }
  const agent = isAcpAgentId(name) ? namedAcpAgent(name, {}) : { cli: clis[name], options: {} }
  return { label: name, ...agent, plans: !planless.has(name) }
}

/** The demo agent with sessions apart from those of Claude Code, whose wire it speaks. */
export const demoOfConversations: ChosenAgent = { ...chosenAgent("demo"), cli: { ...clis.claude, id: "demo" } }
