/** A run is recorded once, with a real CLI or a fake one, and played back in every test, as slow as it was or at once. */
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createAgent } from "reins/promise"
import { FakeCli, Step } from "reins/testing"

const record = join(await mkdtemp(join(tmpdir(), "recording-")), "run.ndjson")
await using slow = await FakeCli.install(
  FakeCli.claude([Step.text("One. "), Step.wait("200 millis"), Step.text("Two.")])
)
await using agent = createAgent("claude", { command: slow.command })
await agent.run({ prompt: "count", record })

for (const timing of ["none", "recorded"] as const) {
  await using cli = await FakeCli.install(FakeCli.replay("claude", record, { timing }))
  await using again = createAgent("claude", { command: cli.command })
  console.log(timing, (await again.run({ prompt: "count" })).text)
}
