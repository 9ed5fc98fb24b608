/** Code that finds the CLI on PATH, and must hand it the prompt over stdin: what does not match fails with 97. */
import { createAgent } from "reins/promise"
import { FakeCli, Step } from "reins/testing"

await using cli = await FakeCli.install(FakeCli.opencode([Step.expectStdin(/^review/), Step.text("Looks good.")]))
process.env["PATH"] = `${cli.directory}:${process.env["PATH"]}`

await using agent = createAgent("opencode")
console.log((await agent.run({ prompt: "review the last commit" })).text)
console.log(await agent.run({ prompt: "something else" }).catch((error) => error.result.exit))
