/** Params that make use of all that a CLI value writes somewhere or passes on: files, settings, variables, arguments. */

import type { Cli } from "../../../src/cli/Cli.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"

const params: AgentExecuteParams = {
  prompt: "hello",
  systemPrompt: "Be a good agent.",
  appendSystemPrompt: "Be brief.",
  mcpServers: {
    local: { command: "server", args: ["--fast"], env: { SERVER_TOKEN: "token-of-the-server" } },
    remote: { url: "http://127.0.0.1:1/mcp", headers: { Authorization: "Bearer of-the-header" } }
  },
  allowedTools: ["read"],
  disallowedTools: ["bash"],
  permissionMode: "accept-edits",
  maxTurns: 7,
  outputSchema: { type: "object" }
}

export const fullParamsOf = (cli: Cli): AgentExecuteParams => {
  const supported = Object.entries(params).filter(
    ([name]) => name === "prompt" || (cli.supports as ReadonlySet<string>).has(name)
  )
  // Pi keeps no mode that promises to ask.
  const mode = cli.id === "pi" ? ({ permissionMode: "plan" } as const) : {}
  return { ...Object.fromEntries(supported), ...mode, prompt: params.prompt }
}
