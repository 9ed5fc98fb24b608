/** The plain door without a process: `TestRuntime.layer` for those who do not use Effect. */
import { makePlainAgent } from "../api/promise/plainAgent.ts"
import { clis } from "../cli/clis.ts"
import type { CliId } from "../contract/CliSupport.ts"
import type { PlainAgent } from "../contract/PlainAgent.ts"
import { checkedId } from "./dialects.ts"
import type { ScriptedEvents } from "./ScriptedEvents.ts"
import * as TestRuntime from "./TestRuntime.ts"

/** An agent whose runs give these events, as by `TestRuntime.layer`. `cli`: whose params it takes; default `claude`. */
export const testAgent = <Id extends CliId = "claude">(
  events: ScriptedEvents,
  options: { readonly cli?: Id } = {}
): PlainAgent<Id> => {
  const cli = checkedId(options.cli ?? "claude")
  return makePlainAgent(cli, TestRuntime.layer(events, { cli: clis[cli] }))
}
