/** The first run of a process that has loaded the plain door. Started by `tools/build/eager.ts`. */
import { resolve } from "node:path"

const { createAgent }: typeof import("../../src/promise.ts") = await import(resolve("dist/promise.js"))

await using agent = createAgent("claude")
for await (const event of agent.execute({ prompt: "hello" })) {
  if (event.type === "done" && event.result.outcome !== "completed") throw new Error(JSON.stringify(event))
}
