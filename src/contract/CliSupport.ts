/**
 * The known CLIs, and which of them takes which option, in the tested versions: for types (`ParamsOf`), checks
 * (`UnsupportedOption`) and docs. An option that is not here works for every CLI.
 */

/** The id of a CLI that Reins knows: Claude Code, Gemini CLI, Codex, OpenCode and Pi. */
export type CliId = "claude" | "gemini" | "codex" | "opencode" | "pi"

/** A CLI, or `acp`: any agent of the Agent Client Protocol. */
export type AgentId = CliId | "acp"

/** Agents of the Agent Client Protocol that Reins knows by name. */
export const acpAgentIds = [
  "copilot",
  "qwen",
  "cursor",
  "cline",
  "kilo",
  "amp",
  "auggie",
  "droid",
  "goose",
  "grok",
  "kimi",
  "kiro",
  "junie",
  "mistral-vibe",
  "qoder",
  "codebuddy",
  "devin",
  "cortex",
  "fast-agent",
  "stakpak",
  "pi-acp",
  "claude-agent-acp",
  "codex-acp"
] as const

/** An agent of the Agent Client Protocol that Reins knows by name, such as `copilot`; `reins agents` lists all. */
export type AcpAgentId = (typeof acpAgentIds)[number]

/** An agent that Reins knows by name: a CLI, or an agent of the Agent Client Protocol. */
export type KnownAgentId = CliId | AcpAgentId

export const isAcpAgentId = (id: string): id is AcpAgentId => acpAgentIds.some((known) => known === id)

/** The id under which the table below has what an agent takes: `acp` for the named agents of the protocol. */
export const supportIdOf = (id: string): string => (isAcpAgentId(id) ? "acp" : id)

/** For messages: names without those of the table of the protocol's agents, which are too many for a line. */
export const fewNames = (names: ReadonlyArray<string>) => {
  const few = names.filter((name) => !isAcpAgentId(name))
  return { few, areAll: few.length === names.length }
}

/** `codex runs`: only in runs, although live sessions have an option of that name, too. */
type Taker = AgentId | `${AgentId} runs`

export const supports = {
  attachments: ["claude", "gemini", "codex", "opencode", "pi", "acp"],
  sessionId: ["claude", "gemini", "codex", "opencode", "pi", "acp"],
  forkSession: ["claude", "codex", "opencode", "pi", "acp"],
  newSessionId: ["claude", "gemini runs"],
  ephemeral: ["claude", "codex", "pi"],
  mcpServers: ["claude", "gemini", "codex", "opencode", "acp"],
  strictMcpServers: ["claude", "gemini"],
  additionalDirectories: ["claude", "gemini", "codex", "opencode"],
  trustWorkspace: ["claude", "gemini", "opencode", "pi"],
  settingSources: ["claude"],
  model: ["claude", "gemini", "codex", "opencode", "pi", "acp"],
  fallbackModel: ["claude"],
  effort: ["claude", "codex", "opencode", "pi", "acp"],
  systemPrompt: ["claude", "gemini", "codex", "opencode", "pi"],
  appendSystemPrompt: ["claude", "gemini", "codex", "opencode", "pi"],
  permissionMode: ["claude", "gemini", "codex", "opencode", "pi", "acp"],
  allowedTools: ["claude", "gemini", "opencode"],
  disallowedTools: ["claude", "gemini", "opencode"],
  maxTurns: ["claude", "gemini"],
  maxBudgetUsd: ["claude"],
  slashCommands: ["claude", "gemini", "opencode", "pi", "acp"],
  extraArgs: ["claude", "gemini", "codex", "opencode", "pi", "acp"],
  tools: ["claude", "gemini", "codex", "opencode", "acp"],
  hooks: ["claude"]
} as const satisfies Readonly<Record<string, ReadonlyArray<Taker>>>

/** The CLIs with an option of their own for `outputSchema`; the others are asked in the prompt. */
export const takesOutputSchema: ReadonlyArray<AgentId> = ["claude", "codex"]

/** The efforts of the CLIs that have a closed set. */
export const efforts = {
  /** Any other would be ignored, with a warning on stderr alone. */
  claude: ["low", "medium", "high", "xhigh", "max"],
  /** Any other would be sent to the model's server as it is. Not each model has all of them. */
  codex: ["none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"],
  /** Any other would be ignored, with a warning on stderr alone. */
  pi: ["off", "minimal", "low", "medium", "high", "xhigh", "max"]
} as const

type Table = typeof supports

/** No value has this type: the error of the compiler shows the reason. */
interface Unsupported<Why extends string> {
  /** The reason. */
  readonly "~unsupported": Why
}

type SupportId<Id extends string> = Id extends AcpAgentId ? "acp" : Id

/** The value of an option for a CLI; `undefined` where unsupported. A union of CLIs supports all of their options. */
export type Supported<Id extends string, Option extends keyof Table, Value, As extends string = Id> = [
  Extract<Table[Option][number], SupportId<As>>
] extends [never]
  ? Unsupported<`${Id} does not support ${Option}`>
  : Value

/** A word for the reasoning effort. */
export type EffortOf<Id> = Id extends keyof typeof efforts ? (typeof efforts)[Id][number] : string

/** The name of a model; OpenCode's begins with its provider. */
export type ModelOf<Id> = Id extends "opencode" ? `${string}/${string}` : string
