/** Agents without support of their own, over the Agent Client Protocol that many of them speak. */
import type { Layer } from "effect"
import { acp } from "../cli/acp/index.ts"
import type { AcpOptions } from "../contract/AgentOptions.ts"
import type { Platform } from "../system/process/Platform.ts"
import { AgentRuntime } from "./AgentRuntime.ts"

/** The CLI value of the agent, and its options in the form of all others. */
export const acpAgent = ({ args = [], id = "acp", ...options }: AcpOptions) => ({
  cli: acp(id, options.command),
  options: { ...options, baseArgs: [...(options.baseArgs ?? []), ...args] }
})

/**
 * `AgentRuntime` with any agent of the Agent Client Protocol (version 1) that speaks it on stdin and stdout.
 *
 * Sessions have turns, approvals, interrupts and the guarantees at their end as with the four supported CLIs. The client
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

export const Acp = { layer }
