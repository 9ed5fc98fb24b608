/** The first run of a process that has loaded the plain door: the CLI prints a recording. Started by `build/eager.ts`. */
import { writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

const { createAgent }: typeof import("../src/promise.ts") = await import(resolve("dist/promise.js"))

const recording = resolve("fixtures/claude/2.1.330/02-bash.ndjson")
const command = join(process.env["TMPDIR"] ?? "", "claude")
writeFileSync(command, `#!/bin/sh\nexec cat '${recording}'\n`, { mode: 0o755 })

await using agent = createAgent("claude", { command })
for await (const event of agent.execute({ prompt: "hello" })) {
  if (event.type === "done" && event.result.outcome !== "completed") throw new Error(JSON.stringify(event))
}
