/** `reins acp`: an agent for editors that speak the Agent Client Protocol. What serves is loaded for this command alone. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { acpFlags, configuredAgentFlag } from "./flags.ts"
import { withTelemetry } from "./telemetry/withTelemetry.ts"

export const acp = Command.make(
  "acp",
  { agent: configuredAgentFlag, ...acpFlags },
  Effect.fnUntraced(function* (input) {
    const { performAcp } = yield* Effect.promise(() => import("./acp/perform.ts"))
    yield* withTelemetry(performAcp(input))
  })
).pipe(
  Command.withShortDescription("Be the agent of an editor that speaks the Agent Client Protocol"),
  Command.withDescription(
    "Speaks the Agent Client Protocol (ACP) on stdin and stdout, for an editor that starts it: sessions, prompts, tool\n" +
      "  calls with their changes of files, plans, and requests, which are denied unless the person at the editor allows\n" +
      "  them. Sessions are kept, and can be listed and loaded. Logs are on stderr.\n\n" +
      "  --permission-mode is the mode with which sessions begin; an editor can choose bypass only if they begin with it.\n" +
      "  At the end of stdin, and with SIGTERM or Ctrl-C, all sessions end, and nothing that they started is left.\n" +
      "  Exit code: 0 at the end of stdin, 1 failed, 2 bad usage, 130 stopped."
  ),
  Command.withExamples([
    { command: "reins acp", description: "Claude Code, or the configured agent" },
    { command: "reins acp --agent codex --model gpt-5.5", description: "Codex, with a model" },
    { command: "reins acp --agent demo", description: "Try an editor without a model or an account" }
  ])
)
