/**
 * Params that a run or live session in a chat gets: the tools, permission for them, and the sign by which hooks and
 * plugins of a CLI know that they run in a chat and not at a terminal.
 */
import { Effect, type Redacted, type Scope } from "effect"
import { type ApprovalRule, allow } from "../../agents/Approvals.ts"
import { InvalidParams } from "../../contract/AgentError.ts"
import type { CliId } from "../../contract/CliId.ts"
import { type HostTool, hostServer } from "../../contract/HostTool.ts"

/** For `env` of a run or a session. */
const chatEnvironment = { REINS_SESSION: "1" } as const

/** The name of the server of tools in one-shot runs. */
const gatewayServer = "gateway"

/** Claude Code (2.1.330) denies tools without permission in a run; the others call them. */
const allowed: { readonly [Id in CliId]: ReadonlyArray<string> | undefined } = {
  claude: [`mcp__${gatewayServer}`],
  gemini: undefined,
  codex: undefined,
  opencode: undefined
}

const isKnown = (cli: string): cli is CliId => Object.hasOwn(allowed, cli)

/** Names of host tools in a live session of each CLI; Codex does not ask about them. */
const namesOf = ({ name }: HostTool) => [
  `mcp__${hostServer}__${name}`,
  `mcp_${hostServer}_${name}`,
  `${hostServer}_${name}`
]

/** For the `approvals` of a live session whose `tools` include the gateway's: they need no approval. */
export const allowGateway = (tools: ReadonlyArray<HostTool>): ApprovalRule => allow({ tools: tools.flatMap(namesOf) })

export interface GatewayParams {
  readonly env: typeof chatEnvironment
  readonly mcpServers?: {
    readonly [gatewayServer]: { readonly url: string; readonly headers: { readonly Authorization: Redacted.Redacted } }
  }
  readonly allowedTools?: ReadonlyArray<string>
}

/**
 * Params of a one-shot run: its own server of tools, until the scope closes. To be joined with those of the run. Of a CLI
 * that is not known to take servers, the sign alone.
 */
export const gatewayParams = Effect.fnUntraced(function* (
  cli: string,
  tools: ReadonlyArray<HostTool>
): Effect.fn.Return<GatewayParams, InvalidParams, Scope.Scope> {
  if (tools.length === 0 || !isKnown(cli)) return { env: chatEnvironment }
  const { serveHostTools } = yield* Effect.promise(() => import("../../agents/hostTools/hostServer.ts"))
  const server = yield* Effect.mapError(
    serveHostTools(tools),
    () => new InvalidParams({ option: "mcpServers", problem: "the server of the tools cannot listen on 127.0.0.1" })
  )
  const allowedTools = allowed[cli]
  return {
    env: chatEnvironment,
    mcpServers: { [gatewayServer]: server },
    ...(allowedTools === undefined ? {} : { allowedTools })
  }
})
