/** `reins chat`: a live session with an agent, driven by a person at a terminal, another program, or a list of prompts. */
import { Clock, type Context, Effect, Layer, Option, Result, Stdio } from "effect"
import { Argument, Command, TerminalCapabilities } from "effect/cli"
import { AgentRuntime } from "../agents/AgentRuntime.ts"
import { untraced } from "../contract/untraced.ts"
import { HostEnvironment } from "../system/process/HostEnvironment.ts"
import type { Platform } from "../system/process/Platform.ts"
import { needsSession, type WithSession, withChosenSession } from "./chat/chosenSession.ts"
import { commandForms } from "./chat/commands.ts"
import { chatJson } from "./chat/json.ts"
import { chatLines } from "./chat/lines.ts"
import { chatLineTerminal } from "./chat/lineTerminal.ts"
import { runSession } from "./chat/runSession.ts"
import { chatTerminal } from "./chat/terminal.ts"
import type { ChangeAction } from "./chat/typedCommands.ts"
import type { AgentName } from "./chosenAgent.ts"
import { worktreesThere } from "./configured.ts"
import { conversationOf } from "./conversationFlags.ts"
import { badUsage, Ended, endWith, refuse } from "./exit.ts"
import { flagProblems } from "./flagChecks/checks.ts"
import { type ChatFlags, chatFlags, configuredAgentFlag } from "./flags.ts"
import { openParamsOf, optionsOf } from "./params.ts"
import { type Recorded, recordedAgent } from "./recording/recordedAgent.ts"
import { promptFor } from "./run.ts"
import { untilStopped } from "./signals.ts"
import { withTelemetry } from "./telemetry/withTelemetry.ts"

interface ChatInput extends ChatFlags {
  readonly prompt: Option.Option<string>
}

/** Keys need a terminal that can be drawn over; answering by lines works on any terminal. */
export const chooseMode = Effect.fn(...untraced("Chat.chooseMode"))(function* (json: boolean, isPlain: boolean) {
  if (json) return chatJson
  const { canPrompt } = yield* TerminalCapabilities.TerminalCapabilities
  const { stdinIsTerminal, stdoutIsTerminal } = yield* Stdio.Stdio
  const isPerson = (yield* stdinIsTerminal) && (yield* stdoutIsTerminal)
  if (canPrompt && !isPlain) return chatTerminal
  return isPerson ? chatLineTerminal : chatLines
})

const paramsOf = (input: ChatInput, { chosen, configuration, problem }: Recorded) =>
  Effect.result(
    Effect.gen(function* () {
      if (problem !== undefined) return yield* problem
      const conversation = yield* Effect.fromResult(conversationOf(input, worktreesThere(configuration, input.cwd)))
      return { ...conversation, ...(yield* openParamsOf(input, chosen)) }
    })
  )

/** Models for the completion of `/model`; the CLI is asked once a day. */
const modelsOf = (agent: string, platform: Context.Context<Platform>) =>
  Effect.gen(function* () {
    const { candidates } = yield* Effect.promise(() => import("./complete/candidates.ts"))
    return yield* candidates({ _tag: "Models", agent: agent === "demo agent" ? "demo" : agent }, "")
  }).pipe(Effect.provideContext(platform))

/** `/changes` of a conversation. */
const changesOf = (
  name: Option.Option<string>,
  store: Recorded["recording"]["store"],
  platform: Context.Context<Platform>
) =>
  Option.isNone(name)
    ? undefined
    : (action: ChangeAction | undefined, message: string) =>
        Effect.gen(function* () {
          const { changesText } = yield* Effect.promise(() => import("./worktrees/changesText.ts"))
          return yield* changesText(name.value, action, message, store)
        }).pipe(Effect.provideContext(platform))

export const chatWith = Effect.fn(...untraced("Chat.chatWith"))(function* (
  input: ChatInput & Partial<WithSession>,
  all: Recorded
) {
  const { chosen, recording } = all
  const { label, cli, options } = chosen
  const params = yield* paramsOf(input, all)
  const agent = AgentRuntime.layer(cli, { ...options, ...optionsOf(input, chosen.label === "acp") })
  const runtime = Layer.provide(agent, recording.layer)
  const mode = yield* chooseMode(input.json, input.plain || (yield* HostEnvironment)["REINS_PLAIN"] === "1")
  const platform = yield* Effect.context<Platform>()
  yield* untilStopped((abortSignal) => {
    const { answering, announce, makeDriver, showFailure, finish } = mode({
      agent: label,
      firstPrompt: input.prompt,
      planMode: input.planMode,
      permissionMode: Result.getOrUndefined(params)?.permissionMode ?? options.defaults?.permissionMode,
      models: modelsOf(label, platform),
      budgets: recording.standing,
      changes: changesOf(input.conversation, recording.store, platform),
      isStopping: () => abortSignal.aborted
    })
    const open = Effect.gen(function* () {
      const value = { ...(yield* Effect.fromResult(params)), ...answering, abortSignal }
      if (value.conversation === undefined && input.isKept !== true) return yield* (yield* AgentRuntime).open(value)
      const { openConversation } = yield* Effect.promise(() => import("./conversations.ts"))
      return yield* openConversation(value, recording.store)
    })
    return Effect.gen(function* () {
      yield* announce
      const outcome = yield* runSession({ open, makeDriver, showFailure })
      const areAllValid = yield* finish
      yield* recording.written
      yield* areAllValid ? endWith(outcome) : Effect.fail(new Ended({ exitCode: badUsage }))
    })
  }).pipe(Effect.provide(runtime))
})

/** A new conversation, whose name a person can type. */
const newConversation = Effect.map(Clock.currentTimeMillis, (now) => {
  const time = new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-")
  return Option.some(`chat-${time}`)
})

const runChat = (flags: ChatInput & { readonly agent: Option.Option<AgentName> }) =>
  Effect.gen(function* () {
    const isNew = flags.worktree && Option.isNone(flags.conversation) && !needsSession(flags)
    const input = isNew ? { ...flags, conversation: yield* newConversation } : flags
    const isKept = Option.isSome(input.conversation) || needsSession(input)
    const all = yield* recordedAgent({ ...input, isKept })
    const wrong = all.problem === undefined ? yield* flagProblems(input, all.chosen) : []
    if (wrong.length > 0) return yield* refuse("chat", wrong)
    if (all.problem !== undefined || !needsSession(input)) return yield* chatWith(input, all)
    yield* chatWith(yield* withChosenSession(input, all.chosen), all)
  }).pipe(Effect.scoped, withTelemetry)

const forms = Object.values(commandForms)
  .map((form) => `    ${form}`)
  .join("\n")

export const chat = Command.make(
  "chat",
  { agent: configuredAgentFlag, ...chatFlags, prompt: Argument.optional(promptFor("The first prompt;")) },
  runChat
).pipe(
  Command.withShortDescription("Chat with an agent that asks before it acts"),
  Command.withDescription(
    "A live session: one process, many turns. At a terminal you decide what the agent may do, and can write\n" +
      "  while it works; /help shows the commands. Without a terminal each line of stdin is a prompt, and the\n" +
      "  agent's requests are denied.\n\n" +
      "  --json: events as JSON lines on stdout, commands as JSON lines on stdin:\n" +
      `${forms}\n` +
      "  A turn waits for the one before it. decide and answer without requestId answer the oldest open\n" +
      "  request, or else the next one. At the end of stdin the session closes once all turns are over, and\n" +
      "  further requests are denied; close does not wait. The outcome of each command is printed on stderr:\n" +
      '  {"line":3,"ok":true} or {"line":3,"ok":false,"problem":"…"}; for send also with its "delivery".\n\n' +
      "  Exit code: as for run, by how the session or else its last turn ended; 2 also after an invalid command."
  ),
  Command.withExamples([
    { command: "reins chat", description: "Chat with Claude Code" },
    { command: "reins chat --agent demo", description: "Try it without a model or an account" },
    { command: 'reins chat --agent codex "what does this do?"', description: "Start with a prompt" },
    {
      command: 'echo \'{"type":"turn","prompt":"say hi"}\' | reins chat --json',
      description: "Drive it from a program"
    },
    { command: "reins chat --conversation billing", description: "Go on with a conversation, or begin it" },
    {
      command: "reins chat --worktree",
      description: "Work in a git worktree of its own; /changes shows what it changed"
    },
    { command: "reins chat --continue", description: "Go on with the last session of this directory" },
    { command: "reins chat --resume", description: "Choose a session from a list; or give its ID" }
  ])
)
