/** MCP servers as the protocol takes them; the one place where their secrets are revealed. */

import type { McpServer } from "../../../contract/AgentExecuteParams.ts"
import { reveal } from "../../../contract/checkInput.ts"
import type { MaybeSecret } from "../../../contract/Input.ts"

const pairs = (values: Readonly<Record<string, MaybeSecret>> = {}) =>
  Object.entries(values).map(([name, value]) => ({ name, value: reveal(value) }))

/** Agents want all lists, also empty ones. */
export const serversOf = (servers: Readonly<Record<string, McpServer>> = {}): ReadonlyArray<unknown> =>
  Object.entries(servers).map(([name, server]) =>
    "url" in server
      ? { type: "http", name, url: server.url, headers: pairs(server.headers) }
      : { name, command: server.command, args: server.args ?? [], env: pairs(server.env) }
  )
