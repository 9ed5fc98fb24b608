/** The same through the door for Effect callers. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Stream } from "effect"
import { AgentRuntime, Claude } from "../../../dist/index.js"
import { measure, task, whatWasRead } from "./measure.mjs"

const seen = { text: "", toolCalls: 0, outputCharacters: 0, told: "nothing" }

const program = AgentRuntime.use((agent) =>
  agent.execute({ prompt: "hello" }).pipe(
    Stream.runForEach((event) =>
      Effect.sync(() => {
        if (event.type === "tool_result") {
          seen.toolCalls += 1
          seen.outputCharacters += event.output.length
        }
        if (event.type !== "done") return
        seen.text = event.result.text
        seen.told = event.result.outcome === "completed" ? "success" : event.result.reason
      })
    )
  )
).pipe(Effect.provide(Claude.layer({ command: task.command })), Effect.provide(NodeServices.layer))

await measure(async () => {
  await Effect.runPromise(program)
  return seen
}, whatWasRead)
