/** The server of `reins acp`: the agent of the command line, and its conversations in the user's store. */
import { Console, Context, Effect, Layer, Option, Scope, Stdio } from "effect"
import { AgentRuntime } from "../../agents/AgentRuntime.ts"
import { serveAcp } from "../../api/acpServer/serveAcp.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import { Sessions } from "../../conversations/Sessions.ts"
import { Store } from "../../conversations/store/Store.ts"
import type { Platform } from "../../system/process/Platform.ts"
import { packageVersion } from "../../system/process/packageFile.ts"
import type { AgentName } from "../chosenAgent.ts"
import { sessionsOver } from "../conversations.ts"
import { badUsage, Ended, endWith } from "../exit.ts"
import { inFlags } from "../flagNames.ts"
import type { AcpFlags, SharedFlags } from "../flags.ts"
import { openParamsOf, optionsOf } from "../params.ts"
import { failureOf, recordedAgent } from "../recording/recordedAgent.ts"
import { untilStopped } from "../signals.ts"

type AcpInput = AcpFlags & { readonly agent: Option.Option<AgentName> }

const ofSessions = {
  json: false,
  cwd: Option.none(),
  planMode: Option.none(),
  conversation: Option.none(),
  fresh: false,
  worktree: false,
  noWorktree: false,
  whenBusy: Option.none(),
  resume: Option.none(),
  fork: false,
  ephemeral: false,
  sessionId: Option.none(),
  timeout: Option.none(),
  record: Option.none()
} satisfies Partial<SharedFlags>

const forEditors =
  "reins: an editor starts this, and speaks with it in JSON; to chat yourself: reins chat. Ctrl-C ends it."

const aborted = (signal: AbortSignal): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const stop = () => resume(Effect.void)
    if (signal.aborted) return stop()
    signal.addEventListener("abort", stop, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", stop))
  })

export const performAcp = Effect.fn(...untraced("Perform.performAcp"))(function* (input: AcpInput) {
  const flags = { ...ofSessions, ...input }
  // Each session names its directory: that of the configuration has no effect.
  const here = Option.some(process.cwd())
  const { chosen, problem, recording, canKeep } = yield* recordedAgent({ ...flags, cwd: here, isKept: true })
  const { label, cli, options } = chosen
  const value = problem === undefined ? yield* Effect.result(openParamsOf(flags, chosen)) : undefined
  const refused = problem ?? (value?._tag === "Failure" ? value.failure : undefined)
  if (refused !== undefined || value?._tag !== "Success") {
    yield* Console.error(`reins: ${harmless(inFlags(refused?.message ?? ""))}`)
    return yield* new Ended({ exitCode: badUsage })
  }
  const params = { ...value.success, model: value.success.model ?? options.defaults?.model }
  const { stdinIsTerminal } = yield* Stdio.Stdio
  if (yield* stdinIsTerminal) yield* Console.error(forEditors)
  const agent = Layer.provide(
    AgentRuntime.layer(cli, { ...options, ...optionsOf(flags, label === "acp") }),
    recording.layer
  )
  const runtime = yield* Layer.build(agent)

  /** Conversations end before the store, to which they write. */
  const served = Effect.gen(function* () {
    const scope = yield* Effect.scope
    const platform = yield* Effect.context<Platform>()
    const inMemory = Scope.provide(Layer.build(Store.layerMemory()), scope)
    const store = canKeep ? recording.store : Effect.map(inMemory, (context) => Context.get(context, Store))
    const opened = sessionsOver(store).pipe(
      Effect.map((context) => Context.get(context, Sessions)),
      Effect.mapError(failureOf),
      Scope.provide(scope),
      Effect.provide(runtime),
      Effect.provideContext(platform)
    )
    const initialMode = params.permissionMode ?? options.defaults?.permissionMode ?? "default"
    const sessions = yield* Effect.cached(opened)
    const list = Context.get(runtime, AgentRuntime).models
    const models = input.offerModels ? (workingDirectory: string) => list({ workingDirectory }) : undefined
    yield* serveAcp({ label, version: packageVersion(), cli, params, initialMode, models, sessions, inWords: inFlags })
    return "completed" as const
  }).pipe(Effect.scoped)

  const ending = yield* untilStopped((abortSignal) =>
    Effect.raceFirst(served, Effect.as(aborted(abortSignal), "aborted" as const))
  )
  yield* recording.written
  yield* endWith(ending)
}, Effect.scoped)
