// The named agents of the Agent Client Protocol: how each is started, installed and signed in.
import { acpAgents } from "../../../src/cli/acp/agents.ts"
import { acpAgentIds } from "../../../src/contract/CliSupport.ts"
import { code, table } from "../kit/markdown.ts"

/** A `see` of a message is a link on a page. */
const cell = (text: string) => text.replace(/see (https:\/\/[^\s,]+)/, "[its page]($1)")

const installCell = (install: string) => (install.startsWith("see ") ? cell(install) : code(install))

export const agentsTable = (): string =>
  table(
    ["name", "agent", "started as", "to install", "to sign in", "API keys", "tried with"],
    acpAgentIds.map((id) => {
      const { name, command, args, install, signIn, apiKeys = [], tried = "" } = acpAgents[id]
      const started = [command, ...args].join(" ")
      return [code(id), name, code(started), installCell(install), cell(signIn), apiKeys.map(code).join(", "), tried]
    })
  )
