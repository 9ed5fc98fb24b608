/** A tool of the bridge's gateway, as each CLI names it to its model: `gateway` in a run, `host` in a live session. */
import type { CliId } from "../../../src/cli/clis.ts"
import { tool } from "../../../src/testing/servers/Answer.ts"

export type GatewayServer = "gateway" | "host"

/** Pi takes no tools from elsewhere. */
export type ToolsCli = Exclude<CliId, "pi">

const nameOf: { readonly [Id in ToolsCli]: (server: GatewayServer, name: string) => string } = {
  claude: (server, name) => `mcp__${server}__${name}`,
  gemini: (server, name) => `mcp_${server}_${name}`,
  codex: (server, name) => (server === "host" ? `host.${name}` : `mcp__gateway.${name}`),
  opencode: (server, name) => `${server}_${name}`
}

export const gatewayTool = (cli: ToolsCli, server: GatewayServer, name: string, input: object) =>
  tool(nameOf[cli](server, name), input)
