/** The same through the door for Effect callers. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Stream } from "effect"
import { AgentRuntime, Claude } from "../../../dist/index.js"
import { measure, task, whatWasRead } from "./measure.mjs"

const known = { text: "", toolCalls: 0, outputCharacters: 0, told: "nothing" }

const program = AgentRuntime.use((agent) =>
  agent.execute({ prompt: "hello" }).pipe(
    Stream.runForEach((event) =>
      Effect.sync(() => {
        if (event.type === "tool_result") {
          known.toolCalls += 1
          known.outputCharacters += event.output.length
        }
        if (event.type !== "done") return
        known.text = event.result.text
        known.told = event.result.outcome === "completed" ? "success" : event.result.reason
      })
    )
  )
).pipe(Effect.provide(Claude.layer({ command: task.command })), Effect.provide(NodeServices.layer))

await measure(async () => {
  await Effect.runPromise(program)
  return known
}, whatWasRead)
