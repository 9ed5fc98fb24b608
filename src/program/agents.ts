/** `reins agents`: every agent that has a name here, with its version or how to install it. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { configFlag, jsonFlag } from "./flags.ts"

export const agents = Command.make(
  "agents",
  { json: jsonFlag("Print the list as JSON"), config: configFlag },
  Effect.fnUntraced(function* (input) {
    const { listAgents } = yield* Effect.promise(() => import("./agents/perform.ts"))
    yield* listAgents(input)
  })
).pipe(
  Command.withShortDescription("List the agents that --agent can name, and how to install them"),
  Command.withDescription(
    "Lists every agent that --agent, createAgent and reins.toml can name: those whose program is on PATH, with its\n" +
      "  version, and how to install the others. Reins installs none of them. Each program that is found is asked for\n" +
      "  its --version, 10 s at most; agents.ID.command of the configuration is looked for in place of the usual name.\n" +
      "  reins doctor tells more of claude, gemini, codex, opencode and pi, such as whether they are signed in."
  ),
  Command.withExamples([
    { command: "reins agents", description: "What is installed, and how to install the rest" },
    { command: 'reins agents --json | jq -r ".agents[] | select(.path).agent"', description: "The installed ones" },
    { command: 'reins run --agent copilot "say hi"', description: "Run one of them" }
  ])
)
