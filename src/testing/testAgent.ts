/** The plain door without a process: `AgentRuntime.layerTest` for those who do not use Effect. */
import { AgentRuntime } from "../AgentRuntime.ts"
import { type CliId, clis } from "../cli/clis.ts"
import { makePlainAgent, type PlainAgent } from "../plain/PlainAgent.ts"
import { checkedId } from "./dialects.ts"
import type { ScriptedEvents } from "./doubles/scripted.ts"

/**
 * An agent each of whose runs gives these events, or those that a function makes of its params; with the guarantees of
 * `AgentRuntime.layerTest`. `cli`: whose params are accepted; default `claude`.
 */
export const testAgent = (events: ScriptedEvents, { cli = "claude" }: { readonly cli?: CliId } = {}): PlainAgent =>
  makePlainAgent(cli, AgentRuntime.layerTest(events, { cli: clis[checkedId(cli)] }))
