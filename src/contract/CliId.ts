/** The CLIs that Reins knows. */

/** The id of a CLI that Reins knows: Claude Code, Gemini CLI, Codex and OpenCode. */
export type CliId = "claude" | "gemini" | "codex" | "opencode"

/** A CLI, or `acp`: any agent of the Agent Client Protocol. */
export type AgentId = CliId | "acp"
