// `node tools/agents/registry.ts DIRECTORY`: how the rows of `src/cli/acp/agents.ts` differ from a local copy of the
// protocol's registry (github.com/agentclientprotocol/registry), for the person who curates them. No network.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { acpAgents } from "../../src/cli/acp/agents.ts"
import { acpAgentIds } from "../../src/contract/CliSupport.ts"
import { differencesOf } from "./differences.ts"

const [directory] = process.argv.slice(2)
if (directory === undefined || !existsSync(join(directory, "agent.schema.json"))) {
  process.stderr.write("node tools/agents/registry.ts DIRECTORY: a copy of github.com/agentclientprotocol/registry\n")
  process.exit(2)
}

const registered = (id: string): unknown => {
  const file = join(directory, id, "agent.json")
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined
}

for (const id of acpAgentIds) {
  const row = acpAgents[id]
  const found = registered(row.registryId ?? id)
  const differences =
    found === undefined ? ["not in the registry"] : (differencesOf(row, found) ?? ["in a form that is not known"])
  for (const difference of differences) process.stdout.write(`${id}: ${difference}\n`)
}
