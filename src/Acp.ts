/** Agents that Reins does not know, by the protocol that many of them speak. */
import type { Layer } from "effect"
import { AgentRuntime } from "./AgentRuntime.ts"
import { acp } from "./cli/acp/index.ts"
import type { AgentOptions } from "./contract/AgentOptions.ts"
import type { Platform } from "./process/Platform.ts"

export interface AcpOptions extends AgentOptions {
  /** The program: a name to find on PATH, or a path. */
  readonly command: string
  /** What makes it speak the protocol: `["--acp"]`. */
  readonly args?: ReadonlyArray<string>
  /** How it is named in errors. Default: `acp`. */
  readonly id?: string
}

/** The value of the agent, and its options in the form of any other's. */
export const acpAgent = ({ args = [], id = "acp", ...options }: AcpOptions) => ({
  cli: acp(id, options.command),
  options: { ...options, baseArgs: [...(options.baseArgs ?? []), ...args] }
})

/**
 * `AgentRuntime` with any agent of the Agent Client Protocol (version 1) that speaks it on stdin and stdout.
 *
 * A session has its turns, its approvals and its interrupts as with the agents that Reins knows, and so has its end:
 * nothing that it started is left. The agent gets neither files nor terminals from here; it works by itself. What it
 * says and this version does not know is an `unknown` event.
 *
 * Tools have no names in the protocol: `toolName` is the sort that is told of a call (`execute`, `edit`, `read`…). Of a
 * denial the agent hears that it is one, and not its message. `accept-edits` and `bypass` allow what the agent asks for;
 * `plan` needs a mode of that name, and a model or an effort needs that the agent offers a choice: `UnsupportedOption`.
 *
 * A run is a session of one turn. Nobody can be asked in it: `bypass` allows everything, and without it everything that
 * the agent asks for is denied.
 */
const layer = (given: AcpOptions): Layer.Layer<AgentRuntime, never, Platform> => {
  const { cli, options } = acpAgent(given)
  return AgentRuntime.layer(cli, options)
}

export const Acp = { layer }
