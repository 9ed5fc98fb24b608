/** How Claude Code holds a live session: one process, JSON lines both ways (2.1.328). */
import type { Live } from "../Live.ts"
import { makeDialogue } from "./dialogue.ts"
import { livePlan } from "./liveCommand.ts"

export const live: Live = {
  supports: new Set([
    "sessionId",
    "forkSession",
    "newSessionId",
    "mcpServers",
    "strictMcpServers",
    "additionalDirectories",
    "trustWorkspace",
    "settingSources",
    "model",
    "fallbackModel",
    "effort",
    "systemPrompt",
    "appendSystemPrompt",
    "permissionMode",
    "allowedTools",
    "disallowedTools",
    "maxTurns",
    "maxBudgetUsd",
    "slashCommands",
    "extraArgs",
    "approvals",
    "questions",
    "tools",
    "hooks"
  ]),
  plan: livePlan,
  dialogue: (params) => makeDialogue(params),
  hostTools: "dialogue",
  leavesAtEndOfInput: true
}
