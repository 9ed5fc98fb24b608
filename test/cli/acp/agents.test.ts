/** The table of named agents: every row can be started, installed and signed in by what it has. */
import { assert, describe, it } from "vitest"
import { namedAcpAgent } from "../../../src/agents/Acp.ts"
import { planless } from "../../../src/agents/approvals/planless.ts"
import { acpAgents } from "../../../src/cli/acp/agents.ts"
import { clis } from "../../../src/cli/clis.ts"
import { acpAgentIds } from "../../../src/contract/CliSupport.ts"

const rows = acpAgentIds.map((id) => ({ id, ...acpAgents[id] }))

describe("the named agents of the protocol", () => {
  it("have ids of their own, each with a row", () => {
    const taken = [...Object.keys(clis), "acp", "demo"]
    assert.deepStrictEqual(Object.keys(acpAgents).sort(), [...acpAgentIds].sort())
    assert.lengthOf(new Set([...acpAgentIds, ...taken]), acpAgentIds.length + taken.length)
    assert.isTrue(Object.isFrozen(acpAgents))
  })

  it("have programs and names of their own", () => {
    assert.lengthOf(new Set(rows.map(({ command }) => command)), rows.length)
    assert.lengthOf(new Set(rows.map(({ name }) => name)), rows.length)
    const ofClis = Object.values(clis).map(({ command }) => command)
    assert.isEmpty(rows.filter(({ command }) => ofClis.includes(command)))
  })

  it.each(rows)(
    "$id is a program of PATH, without a downloader",
    ({ id, command, args, install, signIn, apiKeys = [] }) => {
      assert.match(id, /^[a-z][a-z\d-]*$/)
      assert.match(command, /^[a-z][a-z\d-]*$/)
      assert.notInclude(["npx", "uvx", "bunx", "node", "sh", "bash"], command)
      for (const arg of args) assert.match(arg, /^[\w=-]+$/)
      assert.match(
        install,
        /^(npm install -g \S+|uv tool install [\w .-]+|curl .*https:\/\/\S+ \| (ba)?sh|see https:\/\/\S+)$|^curl https:/
      )
      assert.match(signIn, /^(run `|see https:\/\/)/)
      for (const key of apiKeys) assert.match(key, /^[A-Z][A-Z\d_]+$/)
    }
  )

  it("are values with the facts of their rows, which ask for no approval of a plan", () => {
    for (const { id, command, args, install, signIn, apiKeys = [] } of rows) {
      const { cli, options } = namedAcpAgent(id, { baseArgs: ["first"], command: "other" })
      assert.deepInclude(cli, { id, command, install, signIn, apiKeys, isLiveOnly: true })
      assert.deepStrictEqual(options, { baseArgs: ["first", ...args], command: "other" })
      assert.isTrue(planless.has(id))
    }
  })
})
