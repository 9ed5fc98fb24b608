/** Runs a program with a short question such as `--version`, and reads its answer. */
import { Duration, Effect, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { inHostTime } from "../clock/hostClock.ts"
import { refusalOf } from "../errors/system.ts"
import { stopGroup } from "./stopGroup.ts"

export type Answer =
  | { readonly _tag: "Answered"; readonly exitCode: number; readonly stdout: string }
  /** It could not be started, or did not answer in time; `problem` is the rest of a sentence about the command. */
  | { readonly _tag: "Unanswered"; readonly problem: string }

export interface QuestionOptions {
  /** An absolute path. */
  readonly path: string
  readonly args: ReadonlyArray<string>
  readonly timeout: Duration.Input
}

/** Characters of an answer that are read. */
const longestAnswer = 10_000

const run = Effect.fnUntraced(function* ({ path, args }: QuestionOptions) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const grace = "1 second"
  const command = ChildProcess.make(path, args, { stdin: "ignore", stderr: "ignore", forceKillAfter: grace })
  const handle = yield* spawner.spawn(command)
  yield* Effect.addFinalizer(() => stopGroup(handle, { signal: "SIGTERM", grace }))
  const stdout = yield* handle.stdout.pipe(
    Stream.decodeText(),
    Stream.runFold(
      () => "",
      (text, piece) => (text.length < longestAnswer ? (text + piece).slice(0, longestAnswer) : text)
    )
  )
  const answer: Answer = { _tag: "Answered", exitCode: yield* handle.exitCode, stdout }
  return answer
}, Effect.scoped)

/** Never fails, and leaves nothing running. */
export const ask = (options: QuestionOptions): Effect.Effect<Answer, never, ChildProcessSpawner.ChildProcessSpawner> =>
  run(options).pipe(
    Effect.catchTag("PlatformError", (error) => Effect.succeed(unanswered(`cannot be started: ${refusalOf(error)}`))),
    Effect.timeoutOrElse({
      duration: options.timeout,
      orElse: () =>
        Effect.succeed(
          unanswered(`gave no answer within ${Duration.format(Duration.fromInputUnsafe(options.timeout))}`)
        )
    }),
    inHostTime
  )

const unanswered = (problem: string): Answer => ({ _tag: "Unanswered", problem })
