/** Runs a program that answers and leaves, such as `--version` of a CLI or a command of git, and reads its answer. */
import { Duration, Effect, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { refusalOf } from "../../contract/errors/system.ts"
import { inHostTime } from "../hostClock.ts"
import { stopGroup } from "./stopGroup.ts"

export type Answer =
  | {
      readonly _tag: "Answered"
      readonly exitCode: number
      readonly stdout: string
      readonly stderr: string
      /** There was more on stdout than was read. */
      readonly isCut: boolean
    }
  /** It could not be started, or did not answer in time; `problem` is the rest of a sentence about the command. */
  | { readonly _tag: "Unanswered"; readonly problem: string }

export interface QuestionOptions {
  /** An absolute path. */
  readonly path: string
  readonly args: ReadonlyArray<string>
  readonly timeout: Duration.Input
  /** Default: that of the host. */
  readonly workingDirectory?: string
  /** All of its environment. Default: that of the host. */
  readonly env?: Readonly<Record<string, string>>
  /** Characters of stdout that are read. Default: 10,000, as of stderr. */
  readonly maxLength?: number
  /** Default: nothing. In the encoding of stdout. */
  readonly stdin?: string
  /** Encoding of stdout. `latin1` keeps every byte, as one character. Default: `utf8`. */
  readonly encoding?: "utf8" | "latin1"
}

const defaultLength = 10_000

/** Reads to the end, and keeps the beginning. */
const beginningOf = <E>(text: Stream.Stream<string, E>, maxLength: number) =>
  text.pipe(
    Stream.runFold(
      () => ({ pieces: [] as string[], length: 0 }),
      (read, piece) => {
        if (read.length < maxLength) read.pieces.push(piece.slice(0, maxLength - read.length))
        return { pieces: read.pieces, length: read.length + piece.length }
      }
    ),
    Effect.map(({ pieces, length }) => ({ text: pieces.join(""), isCut: length > maxLength }))
  )

const textIn = <E>(bytes: Stream.Stream<Uint8Array, E>, encoding: QuestionOptions["encoding"]) =>
  encoding === "latin1" ? Stream.map(bytes, (piece) => Buffer.from(piece).toString("latin1")) : Stream.decodeText(bytes)

const run = Effect.fnUntraced(function* (options: QuestionOptions) {
  const { path, args, workingDirectory, env, maxLength = defaultLength, stdin, encoding = "utf8" } = options
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const grace = "1 second"
  const command = ChildProcess.make(path, args, {
    stdin: stdin === undefined ? "ignore" : Stream.succeed(Buffer.from(stdin, encoding)),
    forceKillAfter: grace,
    ...(workingDirectory === undefined ? {} : { cwd: workingDirectory }),
    ...(env === undefined ? {} : { env })
  })
  const handle = yield* spawner.spawn(command)
  yield* Effect.addFinalizer(() => stopGroup(handle, { signal: "SIGTERM", grace }))
  const [stdout, stderr] = yield* Effect.all(
    [
      beginningOf(textIn(handle.stdout, encoding), maxLength),
      beginningOf(textIn(handle.stderr, "utf8"), defaultLength)
    ],
    { concurrency: "unbounded" }
  )
  const exitCode = yield* handle.exitCode
  const answer: Answer = { _tag: "Answered", exitCode, stdout: stdout.text, stderr: stderr.text, isCut: stdout.isCut }
  return answer
}, Effect.scoped)

/** Never fails, and leaves nothing running. */
export const ask = (options: QuestionOptions): Effect.Effect<Answer, never, ChildProcessSpawner.ChildProcessSpawner> =>
  run(options).pipe(
    Effect.catchTag("PlatformError", (error) => unanswered(`cannot be started: ${refusalOf(error)}`)),
    Effect.timeoutOrElse({
      duration: options.timeout,
      orElse: () => unanswered(`gave no answer within ${Duration.format(Duration.fromInputUnsafe(options.timeout))}`)
    }),
    inHostTime
  )

const unanswered = (problem: string) => Effect.succeed<Answer>({ _tag: "Unanswered", problem })
