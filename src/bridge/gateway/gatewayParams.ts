/** Params of a run or live session in a chat: the tools, permission for them, and a sign of the chat for hooks. */
import { Effect, type Redacted, type Scope } from "effect"
import { type ApprovalRule, allow } from "../../agents/Approvals.ts"
import { InvalidParams } from "../../contract/AgentError.ts"
import type { CliId } from "../../contract/CliSupport.ts"
import { type HostTool, hostServer } from "../../contract/HostTool.ts"
import { untraced } from "../../contract/untraced.ts"

/** Tells hooks and plugins of the agent that it runs for people of a chat. */
export const chatEnvironment = { REINS_SESSION: "1" } as const

/** The name of the server of tools in one-shot runs. */
const gatewayServer = "gateway"

/** Claude Code (2.1.330) denies tools without permission in a run; the others call them. Pi takes no servers. */
const allowed: { readonly [Id in Exclude<CliId, "pi">]: ReadonlyArray<string> | undefined } = {
  claude: [`mcp__${gatewayServer}`],
  gemini: undefined,
  codex: undefined,
  opencode: undefined
}

const isKnown = (cli: string): cli is keyof typeof allowed => Object.hasOwn(allowed, cli)

/** Names of host tools in a live session of each CLI; Codex does not ask about them. */
const namesOf = ({ name }: HostTool) =>
  [`mcp__${hostServer}__`, `mcp_${hostServer}_`, `${hostServer}_`].map((prefix) => `${prefix}${name}`)

/** For the `approvals` of a live session whose `tools` include the gateway's: they need no approval. */
export const allowGateway = (tools: ReadonlyArray<HostTool>): ApprovalRule => allow({ tools: tools.flatMap(namesOf) })

export interface GatewayParams {
  readonly env: typeof chatEnvironment
  readonly mcpServers?: {
    readonly [gatewayServer]: { readonly url: string; readonly headers: { readonly Authorization: Redacted.Redacted } }
  }
  readonly allowedTools?: ReadonlyArray<string>
}

/** Params of a run: its own server of tools, until the scope closes. A CLI that takes no servers gets only the sign. */
export const gatewayParams = Effect.fn(...untraced("Bridge.gatewayParams"))(function* (
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
