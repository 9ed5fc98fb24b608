/** A host of a run that pours much on stderr, after a small one as a warm-up. Tells as JSON what it has seen. */
import { createAgent } from "../../../src/promise.ts"
import { makeSampler } from "./memorySampler.ts"

const [megabytes = "", ...program] = process.argv.slice(2)

const run = async (size: string) => {
  await using agent = createAgent("claude", {
    command: process.execPath,
    baseArgs: [...program, `--megabytes=${size}`]
  })
  const { outcome, stderrTail = "" } = await agent.run({ prompt: "hello" })
  return { outcome, tailLength: stderrTail.length, tailEnd: stderrTail.slice(-10) }
}

await run("100")
const sampler = makeSampler()
const reported = await run(megabytes)
console.log(JSON.stringify({ ...reported, ...sampler.grown() }))
