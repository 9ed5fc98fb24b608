/** `reins demo`: what `reins run` does, on the demo agent unless another is asked for, and with a prompt of its own. */
import { Option } from "effect"
import { Argument, Command } from "effect/cli"
import { agentFlag, runFlags } from "./flags.ts"
import { prompt, runPrompt } from "./run.ts"

const demoPrompt = "Show me what a run looks like."

export const demo = Command.make(
  "demo",
  { agent: agentFlag("demo"), ...runFlags, prompt: Argument.optional(prompt) },
  (input) => runPrompt({ ...input, prompt: Option.getOrElse(input.prompt, () => demoPrompt) })
).pipe(
  Command.withShortDescription("The same with the demo agent, which needs no model and no account"),
  Command.withDescription(
    "Runs the demo agent: a real process with no model behind it.\n" +
      "  Takes what `reins run` takes; the prompt may be left out."
  ),
  Command.withExamples([
    { command: "reins demo", description: "See what a run looks like" },
    { command: 'reins demo --agent claude "say hi"', description: "The same with a real agent" }
  ])
)
