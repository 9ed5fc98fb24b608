/** An observer: the tokens that all runs and live sessions of this host have used, by CLI. */
import { createAgent, type Observer } from "reins/promise"
import { FakeCli, Step } from "reins/testing"

const tokens = new Map<string, number>()
const tokenCounter: Observer = {
  name: "token counter",
  begin: (start) => {
    if (start.type === "turn") return undefined // it counts in the end of its session
    return {
      end: ({ result: { usage = {} } }) => {
        const used = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)
        tokens.set(start.cli, (tokens.get(start.cli) ?? 0) + used)
      }
    }
  }
}

await using cli = await FakeCli.install(FakeCli.claude([Step.text("Hello.")]))
await using agent = createAgent("claude", { command: cli.command, observers: [tokenCounter] })
for (const prompt of ["one", "two"]) await agent.run({ prompt })
console.log(Object.fromEntries(tokens))
