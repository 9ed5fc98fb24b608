// Remarks on the cells of the table of support, by option and CLI; facts of the tested versions.
export const remarks: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sessionId: {
    gemini: "from the same directory",
    codex: "a UUID",
    opencode: "from the same directory",
    pi: "from the same directory"
  },
  newSessionId: { claude: "a UUID" },
  model: { opencode: "as `provider/model`", pi: "not in mid-session" },
  permissionMode: { pi: "`plan` and `bypass` alone: it never asks" },
  appendSystemPrompt: { gemini: "by a context file", codex: "visible in the process table" },
  allowedTools: { gemini: "by a policy file", opencode: "names of permissions" },
  disallowedTools: { gemini: "by a policy file", opencode: "names of permissions" },
  outputSchema: { claude: "visible in the process table; in the prompt of live turns" },
  slashCommands: { codex: "they are text" },
  tools: {
    claude: "in its control channel",
    gemini: "by a server on loopback",
    codex: "in its protocol; none are added to a resumed thread",
    opencode: "by a server on loopback",
    acp: "by a server on loopback"
  }
}
