/** To be replaced. */
import type { Effect, Scope } from "effect"
import type { McpServer } from "../AgentExecuteParams.ts"
import type { HostTool } from "../hostTools.ts"
export declare const serveHostTools: (tools: ReadonlyArray<HostTool>) => Effect.Effect<McpServer, never, Scope.Scope>
