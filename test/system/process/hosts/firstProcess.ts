/** A host of the library: two runs of a small agent, then whether orphans are reaped here, as JSON. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { createAgent } from "../../../../src/promise.ts"
import { areOrphansReaped } from "../../../../src/system/process/firstProcess.ts"

const script = `cat > /dev/null; echo '{"type":"result","subtype":"success","is_error":false,"result":"","session_id":"s"}'`
const agent = createAgent("claude", { command: "/bin/sh", baseArgs: ["-c", script], limits: { guard: "none" } })
for (const prompt of ["one", "two"]) await agent.run({ prompt })
await agent[Symbol.asyncDispose]()
const isReaped = await Effect.runPromise(Effect.provide(areOrphansReaped(), NodeServices.layer))
console.log(`reaped: ${isReaped}`)
