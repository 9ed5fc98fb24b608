/** A host of a run with one long line, after a short one as a warm-up. Tells as JSON what it has seen. */
import { createAgent } from "../../../src/promise.ts"
import { makeSampler } from "./memorySampler.ts"

const [bytes = "", ...program] = process.argv.slice(2)

const run = async (size: string) => {
  await using agent = createAgent("claude", { command: process.execPath, baseArgs: [...program, `--bytes=${size}`] })
  const lengths: Array<number> = []
  let outcome = ""
  for await (const event of agent.execute({ prompt: "hello" })) {
    if (event.type === "text") lengths.push(event.text.length)
    if (event.type === "done") outcome = `${event.result.outcome}, ${event.result.text.length} characters`
  }
  return { lengths, outcome }
}

await run("1000000")
const sampler = makeSampler()
const reported = await run(bytes)
console.log(JSON.stringify({ ...reported, ...sampler.grown() }))
