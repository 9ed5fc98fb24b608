/** `reins chat`: a live session with an agent, for a person at a terminal, another program, or a list of prompts. */
import { Effect, type Option, Stdio } from "effect"
import { Argument, Command, TerminalCapabilities } from "effect/cli"
import { AgentRuntime } from "../AgentRuntime.ts"
import { commandForms } from "./chat/commands.ts"
import { holdSession } from "./chat/holdSession.ts"
import { chatJson } from "./chat/json.ts"
import { chatLines } from "./chat/lines.ts"
import { chatLineTerminal } from "./chat/lineTerminal.ts"
import { chatTerminal } from "./chat/terminal.ts"
import { type AgentName, type ChosenAgent, chosenAgent } from "./chosenAgent.ts"
import { badUsage, Ended, endWith } from "./exit.ts"
import { agentFlag, type ChatFlags, chatFlags } from "./flags.ts"
import { openParamsOf, optionsOf } from "./params.ts"
import { promptFor } from "./run.ts"
import { untilStopped } from "./untilStopped.ts"

interface ChatInput extends ChatFlags {
  readonly prompt: Option.Option<string>
}

/** Keys need a terminal that can be drawn over; to answer a line, a terminal is enough. */
export const wayOf = Effect.fnUntraced(function* (json: boolean) {
  if (json) return chatJson
  const { canPrompt } = yield* TerminalCapabilities.TerminalCapabilities
  const { stdinIsTerminal, stdoutIsTerminal } = yield* Stdio.Stdio
  const isPerson = (yield* stdinIsTerminal) && (yield* stdoutIsTerminal)
  if (canPrompt) return chatTerminal
  return isPerson ? chatLineTerminal : chatLines
})

/** The chat with an agent, as the flags want it. */
export const chatWith = Effect.fnUntraced(function* (input: ChatInput, chosen: ChosenAgent) {
  const { label, cli, options } = chosen
  const params = yield* Effect.result(openParamsOf(input, chosen))
  const runtime = AgentRuntime.layer(cli, { ...options, ...optionsOf(input) })
  const way = yield* wayOf(input.json)
  yield* untilStopped((abortSignal) => {
    const { asking, opening, talk, showFailure, end } = way({
      agent: label,
      first: input.prompt,
      planMode: input.planMode,
      isStopping: () => abortSignal.aborted
    })
    const open = Effect.gen(function* () {
      const agent = yield* AgentRuntime
      const given = yield* Effect.fromResult(params)
      return yield* agent.open({ ...given, ...asking, abortSignal })
    })
    return Effect.gen(function* () {
      yield* opening
      const outcome = yield* holdSession({ open, talk, showFailure })
      const isUnderstood = yield* end
      yield* isUnderstood ? endWith(outcome) : Effect.fail(new Ended({ exitCode: badUsage }))
    })
  }).pipe(Effect.provide(runtime))
})

const runChat = ({ agent, ...input }: ChatInput & { readonly agent: AgentName }) => chatWith(input, chosenAgent(agent))

const forms = Object.values(commandForms)
  .map((form) => `    ${form}`)
  .join("\n")

export const chat = Command.make(
  "chat",
  { agent: agentFlag("claude"), ...chatFlags, prompt: Argument.optional(promptFor("What to begin with;")) },
  runChat
).pipe(
  Command.withShortDescription("Talk with an agent that asks before it acts"),
  Command.withDescription(
    "A live session: one process, many turns. At a terminal you are asked what the agent may do, and can\n" +
      "  write while it works. /help there says more. Without a terminal each line of stdin is a prompt, and\n" +
      "  what the agent asks for is denied.\n\n" +
      "  --json: events on stdout, one a line; commands on stdin, one a line:\n" +
      `${forms}\n` +
      "  A turn waits for the one before it. decide and answer without requestId are for the oldest open\n" +
      "  request, or for the next that comes. The end of stdin closes the session when all turns are over;\n" +
      "  what is asked from then on is denied. close does not wait. What became of a command is told on\n" +
      '  stderr: {"line":3,"ok":true} or {"line":3,"ok":false,"problem":"…"}; send also tells its "delivery".\n\n' +
      "  Exit code: as of run, for the session or else its last turn; 2 also where a command was wrong."
  ),
  Command.withExamples([
    { command: "reins chat", description: "Talk with Claude Code" },
    { command: "reins chat --agent demo", description: "See what that is like, without a model and an account" },
    { command: 'reins chat --agent codex "what does this do?"', description: "Begin with a prompt" },
    {
      command: 'echo \'{"type":"turn","prompt":"say hi"}\' | reins chat --json',
      description: "Drive it from a program"
    },
    { command: "reins chat --resume ID", description: "Go on with a session" }
  ])
)
