/** A layer of `AgentRuntime` for each supported CLI. */
import type { Layer } from "effect"
import { AgentRuntime } from "./AgentRuntime.ts"
import type { Cli } from "./cli/Cli.ts"
import { clis } from "./cli/clis.ts"
import type { AgentOptions } from "./contract/AgentOptions.ts"
import type { Platform } from "./process/Platform.ts"

export { type CliId, clis } from "./cli/clis.ts"

export interface Agent {
  /** `AgentRuntime` for this CLI. Needs a spawner, a file system and paths (`NodeServices.layer`). */
  readonly layer: (options?: AgentOptions) => Layer.Layer<AgentRuntime, never, Platform>
}

const agent = (cli: Cli): Agent => ({ layer: (options) => AgentRuntime.layer(cli, options) })

/** Claude Code. */
export const Claude: Agent = agent(clis.claude)

/** Gemini CLI. */
export const Gemini: Agent = agent(clis.gemini)

/** OpenCode. */
export const OpenCode: Agent = agent(clis.opencode)

/** Codex. */
export const Codex: Agent = agent(clis.codex)
