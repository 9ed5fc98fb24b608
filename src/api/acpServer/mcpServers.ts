/** The MCP servers of a client → those of a session; pure. Values of variables and headers are secrets. */
import { Redacted, Result } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import type { McpServer } from "../../contract/AgentExecuteParams.ts"
import type { McpServerRequest } from "./requests.ts"

const recordOf = (pairs: McpServerRequest["env"]) =>
  Object.fromEntries((pairs ?? []).map(({ name, value }) => [name, Redacted.make(value)]))

const serverOf = ({ type, command, args, env, url, headers }: McpServerRequest): McpServer | string => {
  if (type === "sse") return "is of type sse, which is not supported: offer it as http"
  if (type === "http" || (type == null && command == null)) {
    return url ? { url, headers: recordOf(headers) } : "has neither command nor url"
  }
  if (type != null && type !== "stdio") return "is neither of type stdio nor http"
  return command ? { command, args: args ?? [], env: recordOf(env) } : "has no command"
}

export const mcpServersOf = (
  servers: ReadonlyArray<McpServerRequest>
): Result.Result<Readonly<Record<string, McpServer>>, InvalidParams> => {
  const named = new Map<string, McpServer>()
  for (const [index, given] of servers.entries()) {
    const server = serverOf(given)
    const invalid = (problem: string) => Result.fail(new InvalidParams({ option: `mcpServers.${index}`, problem }))
    if (typeof server === "string") return invalid(server)
    if (named.has(given.name)) return invalid("has the name of another one")
    named.set(given.name, server)
  }
  return Result.succeed(Object.fromEntries(named))
}
