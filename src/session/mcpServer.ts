/** To be replaced. */
import type { Effect } from "effect"
import type { HostTool } from "../hostTools.ts"
export declare const makeMcpServer: (tools: ReadonlyArray<HostTool>) => (message: unknown) => Effect.Effect<unknown>
