/** Agents without support of their own, over the Agent Client Protocol that many of them speak. */
import type { Layer } from "effect"
import { acpAgents } from "../cli/acp/agents.ts"
import { acp } from "../cli/acp/index.ts"
import type { Cli } from "../cli/Cli.ts"
import type { AcpOptions, AgentOptions } from "../contract/AgentOptions.ts"
import type { AcpAgentId } from "../contract/CliSupport.ts"
import type { Platform } from "../system/process/Platform.ts"
import { AgentRuntime } from "./AgentRuntime.ts"

/** The CLI value of the agent, and its options in the form of all others. */
export const acpAgent = ({ args = [], id = "acp", usage = "turn", ...options }: AcpOptions) => ({
  cli: acp(id, options.command, { usage }),
  options: { ...options, baseArgs: [...(options.baseArgs ?? []), ...args] }
})

/** The value of an agent of the table of names, and options whose arguments make it speak the protocol. */
export const namedAcpAgent = <Options extends AgentOptions>(id: AcpAgentId, options: Options) => {
  const { command, args, install, signIn, apiKeys = [], usage = "turn", modes } = acpAgents[id]
  const cli: Cli = { ...acp(id, command, { usage, modes }), install, signIn, apiKeys }
  const { baseArgs = [] } = options
  // A text of a caller in JavaScript stays one, and is refused with the other options.
  return { cli, options: { ...options, baseArgs: Array.isArray(baseArgs) ? [...baseArgs, ...args] : baseArgs } }
}

/**
 * `AgentRuntime` with any agent of the Agent Client Protocol (version 1) that speaks it on stdin and stdout.
 *
 * Sessions have turns, approvals, interrupts and the guarantees at their end as with the supported CLIs. The client
 * offers no file system and no terminals to the agent. Updates that this version does not know are `unknown` events.
 *
 * Tools have no names in the protocol: `toolName` is the kind of a call (`execute`, `edit`, `read`…). The message of a
 * denial does not reach the agent. `accept-edits` and `bypass` allow requests of the agent; `plan` needs a mode of that
 * name, and `model` and `effort` need a choice that the agent offers, or fail with `UnsupportedOption`.
 *
 * A run is a session of one turn, and unattended: its requests are denied, or allowed with `bypass`.
 */
const layer = (acpOptions: AcpOptions): Layer.Layer<AgentRuntime, never, Platform> => {
  const { cli, options } = acpAgent(acpOptions)
  return AgentRuntime.layer(cli, options)
}

/**
 * The same for an agent that Reins knows by name, such as `copilot`, with its program, arguments and variables; all names
 * are those of `AcpAgentId`. `command` replaces the program, and `baseArgs` come before its arguments.
 */
const named = (id: AcpAgentId, options: AgentOptions = {}): Layer.Layer<AgentRuntime, never, Platform> => {
  const agent = namedAcpAgent(id, options)
  return AgentRuntime.layer(agent.cli, agent.options)
}

export const Acp = { layer, named }
