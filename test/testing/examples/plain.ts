/** A run of your own code with a real process and no model, by the plain door. */
import { createAgent } from "reins/promise"
import { FakeCli, Step } from "reins/testing"

await using cli = await FakeCli.install(
  FakeCli.claude([
    Step.text("I look. "),
    Step.tool({ name: "Bash", input: { command: "ls" }, output: "a.txt" }),
    Step.wait("50 millis"),
    Step.text("There is a.txt.")
  ])
)
await using agent = createAgent("claude", { command: cli.command })
const { text } = await agent.run({ prompt: "what is here?" })
console.log(text)
console.log(cli.calls().map(({ stdin }) => stdin))
