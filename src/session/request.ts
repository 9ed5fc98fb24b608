/** What a session asks for → params of a known form, all of which the CLI has, with the host's tools among its servers. */
import { Effect, Result } from "effect"
import type { Cli } from "../cli/Cli.ts"
import type { Live } from "../cli/Live.ts"
import { InvalidParams } from "../contract/AgentError.ts"
import { type AgentOpenParams, parseOpenParams } from "../contract/AgentOpenParams.ts"
import { hostServer } from "../contract/HostTool.ts"
import { acceptSupported } from "../engine/prepare.ts"
import { loadPart } from "./loadPart.ts"

export const acceptOpenParams = (cli: Cli, live: Pick<Live, "supports">, input: unknown) =>
  Result.flatMap(parseOpenParams(input), (params) => acceptSupported(cli, live.supports, params))

/** For agents that reach the host's tools by a server only: it listens as long as the scope is open. */
export const withHostTools = Effect.fnUntraced(function* (cli: Cli, live: Live, params: AgentOpenParams) {
  const { tools = [], mcpServers = {} } = params
  if (tools.length === 0) return params
  if (Object.hasOwn(mcpServers, hostServer)) {
    const problem = `"${hostServer}" is the name of the server of the host's own tools`
    return yield* new InvalidParams({ option: "mcpServers", problem })
  }
  if (live.hostTools === "dialogue") return params
  // Loaded when it is needed: it brings an HTTP server along.
  const { serveHostTools } = yield* loadPart(cli.command, () => import("../hostTools/hostServer.ts"))
  const server = yield* Effect.mapError(
    serveHostTools(tools),
    () => new InvalidParams({ option: "tools", problem: "no server for them can listen on 127.0.0.1" })
  )
  return { ...params, mcpServers: { ...mcpServers, [hostServer]: server } }
})
