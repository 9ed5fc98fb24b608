/** The first run and the first live session of a process that has loaded the plain door. Started by `tools/build/eager.ts`. */
import { resolve } from "node:path"

const { createAgent }: typeof import("../../src/promise.ts") = await import(resolve("dist/promise.js"))

await using agent = createAgent("claude")
for await (const event of agent.execute({ prompt: "hello" })) {
  if (event.type === "done" && event.result.outcome !== "completed") throw new Error(JSON.stringify(event))
}

await using session = await agent.open()
for await (const event of session.turn("hello")) {
  if (event.type === "turn_done" && event.result.outcome !== "completed") throw new Error(JSON.stringify(event))
}
