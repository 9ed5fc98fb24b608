/** Code that holds live sessions: what the agent asks, what it is answered, and a turn that fails. */
import { createAgent } from "reins/promise"
import { FakeCli, LiveStep } from "reins/testing"

await using cli = await FakeCli.install(
  FakeCli.live("codex", [
    [LiveStep.command({ command: "rm -r build", output: "gone", ask: true }), LiveStep.text("It is cleared.")],
    [LiveStep.fail("no more money")]
  ])
)
await using agent = createAgent("codex", { command: cli.command })
await using session = await agent.open({
  onPermission: ({ command }) => ({ decision: command === "rm -r build" ? "allow" : "deny" })
})
for (const prompt of ["clear it", "and again"]) {
  for await (const event of session.turn(prompt)) {
    if (event.type === "permission_request") console.log("asks for", event.command)
    if (event.type === "turn_done") console.log(event.result.outcome, event.result.text.trim())
  }
}
