/** The plain door without a process: `TestRuntime.layer` for those who do not use Effect. */
import { type CliId, clis } from "../cli/clis.ts"
import { makePlainAgent, type PlainAgent } from "../plain/PlainAgent.ts"
import { checkedId } from "./dialects.ts"
import type { ScriptedEvents } from "./doubles/ScriptedEvents.ts"
import * as TestRuntime from "./TestRuntime.ts"

/**
 * An agent each of whose runs gives these events, or those that a function makes of its params, as `TestRuntime.layer`
 * says. `cli`: whose params are accepted; default `claude`.
 */
export const testAgent = (events: ScriptedEvents, { cli = "claude" }: { readonly cli?: CliId } = {}): PlainAgent =>
  makePlainAgent(cli, TestRuntime.layer(events, { cli: clis[checkedId(cli)] }))
