/** Checks the parameters of a session, and adds the host's tools to its MCP servers. */
import { Effect, Result } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import type { Live } from "../../cli/Live.ts"
import { InvalidParams, SpawnFailed } from "../../contract/AgentError.ts"
import { type AgentOpenParams, parseOpenParams } from "../../contract/AgentOpenParams.ts"
import { codeOf, explain } from "../../contract/errors/system.ts"
import { hostServer } from "../../contract/HostTool.ts"
import { acceptSupported } from "../engine/prepare.ts"

/** Loads a rarely needed module. Without free file descriptors the session fails, and the next one tries again. */
export const loadPart = <Part>(command: string, load: () => Promise<Part>): Effect.Effect<Part, SpawnFailed> =>
  Effect.catch(
    Effect.tryPromise({ try: load, catch: (error) => error }),
    (error): Effect.Effect<never, SpawnFailed> => {
      const errno = codeOf(error)
      if (errno === undefined) return Effect.die(error)
      return Effect.fail(new SpawnFailed({ command, problem: `its tools cannot be offered: ${explain(errno)}`, errno }))
    }
  )

export const acceptOpenParams = (cli: Cli, live: Pick<Live, "supports">, input: unknown) =>
  Result.flatMap(parseOpenParams(input), (params) => acceptSupported(cli, live.supports, params))

/** For agents that reach the host's tools only over HTTP: the server listens as long as the scope is open. */
export const withHostTools = Effect.fnUntraced(function* (cli: Cli, live: Live, params: AgentOpenParams) {
  const { tools = [], mcpServers = {} } = params
  if (tools.length === 0) return params
  if (Object.hasOwn(mcpServers, hostServer)) {
    const problem = `the name "${hostServer}" is reserved for the server of \`tools\`; use another name`
    return yield* new InvalidParams({ option: "mcpServers", problem })
  }
  if (live.hostTools === "dialogue") return params
  // Loaded on demand, since it imports an HTTP server.
  const { serveHostTools } = yield* loadPart(cli.command, () => import("../hostTools/hostServer.ts"))
  const server = yield* Effect.mapError(
    serveHostTools(tools),
    () => new InvalidParams({ option: "tools", problem: "their server cannot listen on 127.0.0.1" })
  )
  return { ...params, mcpServers: { ...mcpServers, [hostServer]: server } }
})
