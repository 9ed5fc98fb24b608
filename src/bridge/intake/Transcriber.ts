/** Voice messages → their texts, by a function or a program of the application. A deadline for each; few run at once. */
import { delimiter, isAbsolute } from "node:path"
import { Effect, Result, Schema, Semaphore } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import { makeParser } from "../../contract/checkInput.ts"
import { type DurationInput, type Eventually, eventually, PositiveDuration, toMillis } from "../../contract/Input.ts"
import { present } from "../../contract/present.ts"
import { oneLine } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import { findCommand } from "../../system/process/findCommand.ts"
import { HostEnvironment } from "../../system/process/HostEnvironment.ts"
import type { Platform } from "../../system/process/Platform.ts"
import { ask } from "../../system/process/probe.ts"
import { longestText } from "./sift.ts"

/** Gives the text of a voice message. `path`: its file, in the format of the channel. `signal`: the text is not needed. */
export type Transcribe = (path: string, options: { readonly signal: AbortSignal }) => Eventually<string>

/** A program that writes the text of a voice message to its stdout. */
export interface TranscribeCommand {
  /** The program and its arguments. `{file}` is the path of the file; without it, the path is the last argument. */
  readonly command: ReadonlyArray<string>
  /** The program is ended after this time. Default: 2 minutes. */
  readonly timeout?: DurationInput | undefined
  /** Added to the environment of the host; undefined removes a variable. */
  readonly env?: { readonly [name: string]: string | undefined } | undefined
}

/** The reason for a missing text, as the rest of a sentence for people. */
interface NoTranscript {
  readonly problem: string
}

export type Transcriber = (path: string) => Effect.Effect<string, NoTranscript>

const usualTimeout = "2 minutes"
/** Each may use all cores. */
const mostAtOnce = 2
const placeholder = "{file}"
const longestDetail = 200

/** Neither a path of the host nor an output of the program is for people. */
const problems = { failed: "the log of the host has the details", silent: "no words were recognised" } as const

const parse = makeParser(
  Schema.Struct({
    transcribe: Schema.Struct({
      command: Schema.NonEmptyArray(Schema.String.check(Schema.isPattern(/^[^\0]*$/))),
      timeout: Schema.optional(PositiveDuration),
      // The values may be secrets and must not appear in messages.
      env: Schema.optional(Schema.Record(Schema.String, Schema.Unknown))
    })
  }),
  "options"
)

export const checkTranscribe = (
  transcribe: Transcribe | TranscribeCommand | undefined
): Result.Result<void, InvalidParams> => {
  if (transcribe === undefined || typeof transcribe === "function") return Result.void
  const checked = parse({ transcribe })
  if (Result.isFailure(checked)) return Result.fail(checked.failure)
  return transcribe.command[0] === ""
    ? Result.fail(new InvalidParams({ option: "transcribe.command", problem: "has no program" }))
    : Result.void
}

const failed = (detail: unknown): Effect.Effect<never, NoTranscript> =>
  Effect.andThen(
    Effect.logWarning("a voice message was not transcribed", detail),
    Effect.fail({ problem: problems.failed })
  )

const environmentOf = Effect.fnUntraced(function* ({ env = {} }: Pick<TranscribeCommand, "env">) {
  const variables: Readonly<Record<string, string | undefined>> = { ...(yield* HostEnvironment), ...env }
  return present(variables) as Readonly<Record<string, string>> // without those that are undefined
})

/** The path of the program; undefined if it is missing. */
export const findTranscribeProgram = Effect.fnUntraced(function* ({ command: [program = ""], env }: TranscribeCommand) {
  const { PATH = "" } = yield* environmentOf({ env })
  return yield* findCommand(program, PATH.split(delimiter))
})

const byCommand = Effect.fn(...untraced("Transcriber.byCommand"))(function* (
  transcribe: TranscribeCommand,
  file: string
): Effect.fn.Return<string, NoTranscript, Platform> {
  const {
    command: [program = "", ...args],
    timeout = usualTimeout
  } = transcribe
  const path = (yield* findTranscribeProgram(transcribe)) ?? (isAbsolute(program) ? program : undefined)
  if (path === undefined) return yield* failed(`the program ${oneLine(program)} is not on PATH`)
  const answer = yield* ask({
    path,
    args: args.some((argument) => argument.includes(placeholder))
      ? args.map((argument) => argument.replaceAll(placeholder, () => file))
      : [...args, file],
    timeout: toMillis(timeout),
    env: yield* environmentOf(transcribe),
    maxLength: longestText
  })
  if (answer._tag === "Unanswered") return yield* failed(`${oneLine(program)} ${answer.problem}`)
  if (answer.exitCode === 0) return answer.stdout
  const detail = oneLine(answer.stderr.trimEnd().split("\n").at(-1) ?? "").slice(0, longestDetail)
  return yield* failed(`${oneLine(program)} exited with ${answer.exitCode}: ${detail}`)
})

const byFunction = (transcribe: Transcribe, file: string): Effect.Effect<string, NoTranscript> =>
  Effect.scoped(Effect.flatMap(Effect.abortSignal, (signal) => eventually(() => transcribe(file, { signal })))).pipe(
    Effect.timeout(usualTimeout),
    Effect.catchCause((cause) => failed(cause))
  )

/** Undefined without a `transcribe`. */
export const makeTranscriber = (
  transcribe: Transcribe | TranscribeCommand | undefined
): Effect.Effect<Transcriber | undefined, never, Platform> =>
  Effect.gen(function* () {
    if (transcribe === undefined) return undefined
    const context = yield* Effect.context<Platform>()
    const turns = yield* Semaphore.make(mostAtOnce)
    const run = (file: string) =>
      typeof transcribe === "function"
        ? byFunction(transcribe, file)
        : Effect.provideContext(byCommand(transcribe, file), context)
    return (file) =>
      Effect.flatMap(turns.withPermits(1)(run(file)), (output): Effect.Effect<string, NoTranscript> => {
        if (typeof output !== "string") return failed("the function gave no text")
        const text = output.slice(0, longestText).toWellFormed().trim()
        return text === "" ? Effect.fail({ problem: problems.silent }) : Effect.succeed(text)
      })
  })
