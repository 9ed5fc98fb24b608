/** `reins demo`: `reins run` with the demo agent and a prompt by default. */
import { Option } from "effect"
import { Argument, Command } from "effect/cli"
import { agentFlag, runFlags } from "./flags.ts"
import { prompt, runPrompt } from "./run.ts"

const demoPrompt = "Show me what a run looks like."

export const demo = Command.make(
  "demo",
  { agent: agentFlag("demo"), ...runFlags, prompt: Argument.optional(prompt) },
  (input) =>
    runPrompt({
      ...input,
      name: "demo",
      agent: Option.some(input.agent),
      prompt: Option.getOrElse(input.prompt, () => demoPrompt),
      isAlone: Option.isNone(input.prompt)
    })
).pipe(
  Command.withShortDescription("Like run, with a demo agent that needs no model and no account"),
  Command.withDescription(
    "Runs the demo agent: a real process without a model.\n" +
      "  Takes the same flags as `reins run`; the prompt is optional."
  ),
  Command.withExamples([
    { command: "reins demo", description: "See what a run looks like" },
    { command: 'reins demo --agent claude "say hi"', description: "The same with a real agent" }
  ])
)
