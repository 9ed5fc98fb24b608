/** Makes steps, and checks them as far as that needs no CLI. Their types are in `Steps.ts`. */
import type { DurationInput } from "../contract/Input.ts"
import { exitCodeOf, jsonOf, millisOf, signalOf } from "./InvalidFake.ts"
import type * as Steps from "./Steps.ts"
import type {
  ActStep,
  FailureOptions,
  ProcessOptions,
  RetryOptions,
  SignalName,
  ToolCall,
  ToolOutcome
} from "./Steps.ts"

const piecesOf = (text: string | ReadonlyArray<string>) => (typeof text === "string" ? [text] : text)
/** One step of a script. Made by the functions of `Step`; plain data, so that it can also be read from JSON. */
export type Step = Steps.SpokenStep | ActStep

/** The makers of steps of a fake CLI, played in order. */
export const Step = {
  /**
   * The CLI opens its session, which it otherwise does right before its first words. `fields` are added to the line.
   * Claude Code reports the permission mode that it was started with, unless `fields` say otherwise.
   * Codex and OpenCode tell no model, Pi tells it with its usage; OpenCode has no line of its own for it and begins its first step.
   */
  session: (options: Omit<Steps.SessionStep, "type"> = {}): Step => ({ type: "session", ...options }),
  /** One block of the answer. Pieces are its deltas, where the CLI has such; Codex and OpenCode say it whole. */
  text: (text: string | ReadonlyArray<string>): Step => ({ type: "text", pieces: piecesOf(text) }),
  /**
   * The answer for an `outputSchema`, any JSON value. Claude Code calls its tool `StructuredOutput` with it and reports
   * it in its result, as it does under `--json-schema`; the others say it as text that is JSON.
   */
  answer: (value: unknown): Step => ({ type: "answer", value: jsonOf("Step.answer", value) }),
  /** One block of thought. Gemini CLI prints none. */
  thinking: (text: string | ReadonlyArray<string>): Step => ({ type: "thinking", pieces: piecesOf(text) }),
  /** A tool call and its outcome. `id`: default is one in the CLI's own form. */
  tool: ({
    input = {},
    output = "",
    isError = false,
    ...call
  }: ToolCall & ToolOutcome & { readonly id?: string }): Step => ({ type: "tool", input, output, isError, ...call }),
  /** The beginning of a tool call. OpenCode prints a call only when it has ended. */
  toolStart: ({ input = {}, ...call }: ToolCall & { readonly id: string }): Step => ({
    type: "toolStart",
    input,
    ...call
  }),
  /** The outcome of a tool call that has begun. */
  toolEnd: ({ output = "", isError = false, id }: ToolOutcome & { readonly id: string }): Step => ({
    type: "toolEnd",
    output,
    isError,
    id
  }),
  /**
   * The CLI tells that it asks the model again. Gemini CLI says so on stderr only. OpenCode says it by beginning its
   * answer anew: what its text has said since the last tool is void, as with Pi.
   */
  retry: ({ attempt = 1, maxRetries = 5, delay = 1000 }: RetryOptions = {}): Step => ({
    type: "retry",
    attempt,
    maxRetries,
    delayMs: millisOf("Step.retry", delay)
  }),
  /** The CLI reports a failed run and exits, as when the API refuses. `kind`: category of the `error` event. */
  error: ({ kind = "other", message, retryAfter }: FailureOptions = {}): Step => ({
    type: "error",
    kind,
    ...(message === undefined ? {} : { message }),
    ...(retryAfter === undefined ? {} : { retryAfterMs: millisOf("Step.error", retryAfter) })
  }),
  /**
   * The successful end. A script that ends without one has one all the same; this is for other counts, for `fields` of
   * the last line, and for what comes behind it. `usage`: default 10 tokens in, 5 out. `costUsd`: default 0.001 where
   * the CLI tells a cost (Claude Code, OpenCode, Pi).
   */
  result: (options: Omit<Steps.ResultStep, "type"> = {}): Step => ({ type: "result", ...options }),
  /** A line as it is: a text, or any other value as JSON. `newline: false` leaves it unfinished. */
  line: (value: unknown, { newline = true }: { readonly newline?: boolean } = {}): ActStep => ({
    type: "line",
    value,
    newline
  }),
  /** Printed on stderr as it is, without a newline of its own. */
  stderr: (text: string): ActStep => ({ type: "stderr", text }),
  /** Does nothing for this time. */
  wait: (time: DurationInput): ActStep => ({ type: "wait", ms: millisOf("Step.wait", time) }),
  /** Leaves at once with this code. */
  exit: (code: number): ActStep => ({ type: "exit", code: exitCodeOf("Step.exit", code) }),
  /** Dies of a signal that it sends to itself. */
  signal: (signal: SignalName): ActStep => ({ type: "signal", signal: signalOf("Step.signal", signal) }),
  /** Stays for ever. `deaf`: SIGTERM, SIGINT and SIGHUP are ignored, from the start of the process on. */
  hang: ({ deaf = false }: { readonly deaf?: boolean } = {}): ActStep => ({ type: "hang", deaf }),
  /** Closes stdout. The process continues with steps without output: `wait`, `hang`, `exit`. */
  closeStdout: (): ActStep => ({ type: "closeStdout" }),
  /** Starts a process that outlives the script, by ten minutes at most. Its pid is in `CliCall.processes`. */
  process: ({ ownSession = false, holdsStdout = false, deaf = false }: ProcessOptions = {}): ActStep => ({
    type: "process",
    ownSession,
    holdsStdout,
    deaf
  }),
  /**
   * Waits for the end of stdin. What was read has to be this text, or to match this expression: else the process says on
   * stderr what it was (`result.stderrTail` of the run), and leaves with 97.
   */
  expectStdin: (expected?: string | RegExp): ActStep => {
    if (expected === undefined) return { type: "expectStdin" }
    if (typeof expected === "string") return { type: "expectStdin", text: expected }
    return { type: "expectStdin", pattern: expected.source, flags: expected.flags }
  }
} as const
