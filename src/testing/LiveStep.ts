/** The steps of a fake CLI in one turn of a live session: their makers; steps are plain data. */
import type { DurationInput } from "../contract/Input.ts"
import { exitCodeOf, InvalidFake, jsonOf, millisOf, signalOf } from "./InvalidFake.ts"
import type { SignalName } from "./Steps.ts"

/** One step of a turn; the turn ends behind the last. */
export type LiveStep =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "command"; readonly command: string; readonly output: string; readonly ask: boolean }
  | { readonly type: "write"; readonly path: string; readonly content: string; readonly ask: boolean }
  | {
      readonly type: "question"
      readonly question: string
      readonly header: string
      readonly options: ReadonlyArray<string>
      readonly multiple: boolean
    }
  | { readonly type: "steered" }
  | { readonly type: "fail"; readonly message: string }
  | { readonly type: "line"; readonly text: string }
  | { readonly type: "stderr"; readonly text: string }
  | { readonly type: "wait"; readonly ms: number }
  | { readonly type: "exit"; readonly code: number }
  | { readonly type: "signal"; readonly signal: SignalName }
  | { readonly type: "hang" }

export interface LiveCommand {
  readonly command: string
  /** Its output. Default: `ok`. */
  readonly output?: string
  /** Whether permission is asked first; a denied one is not run, and the turn continues. Default: false. Pi never asks. */
  readonly ask?: boolean
}

export interface LiveWrite {
  readonly path: string
  /** Default: empty. Nothing is written to disk. */
  readonly content?: string
  /** As of `LiveCommand`. */
  readonly ask?: boolean
}

export interface LiveQuestion {
  readonly question: string
  readonly options: ReadonlyArray<string>
  /** Default: `Choice`. */
  readonly header?: string
  /** Several options can be chosen. Default: false. */
  readonly multiple?: boolean
}

const someText = (step: string, text: string): string => {
  if (typeof text === "string" && text !== "") return text
  throw new InvalidFake({ subject: `LiveStep.${step}`, problem: "needs a text" })
}

/** The makers of steps in a turn of a fake. */
export const LiveStep = {
  /** A piece of the answer. */
  text: (text: string): LiveStep => ({ type: "text", text }),
  /** The answer for an `outputSchema` of the turn, any JSON value: a text that is JSON. */
  answer: (value: unknown): LiveStep => ({ type: "text", text: JSON.stringify(jsonOf("LiveStep.answer", value)) }),
  /** A shell command: its call, the request for permission where it `ask`s, and its outcome. Nothing is run. */
  command: ({ command, output = "ok", ask = false }: LiveCommand): LiveStep => ({
    type: "command",
    command: someText("command", command),
    output,
    ask
  }),
  /** A file that is written, in the same way. */
  write: ({ path, content = "", ask = false }: LiveWrite): LiveStep => ({
    type: "write",
    path: someText("write", path),
    content,
    ask
  }),
  /** Asks, and waits for the answer. Claude Code and Codex alone can ask. */
  question: ({ question, options, header = "Choice", multiple = false }: LiveQuestion): LiveStep => ({
    type: "question",
    question: someText("question", question),
    header,
    options,
    multiple
  }),
  /** Waits for a text sent into the turn, and repeats it. Claude Code, Codex and Pi alone take such texts. */
  steered: (): LiveStep => ({ type: "steered" }),
  /** The model refuses: the turn fails, and the session continues. */
  fail: (message: string): LiveStep => ({ type: "fail", message: someText("fail", message) }),
  /** A line as it is: a text, or any other value as JSON. `newline: false` leaves it unfinished. */
  line: (value: unknown, { newline = true }: { readonly newline?: boolean } = {}): LiveStep => ({
    type: "line",
    text: `${typeof value === "string" ? value : JSON.stringify(value)}${newline ? "\n" : ""}`
  }),
  /** Printed on stderr as it is, without a newline of its own. */
  stderr: (text: string): LiveStep => ({ type: "stderr", text }),
  /** Does nothing for this time. An interrupt ends it. */
  wait: (time: DurationInput): LiveStep => ({ type: "wait", ms: millisOf("LiveStep.wait", time) }),
  /** Leaves at once with this code. */
  exit: (code: number): LiveStep => ({ type: "exit", code: exitCodeOf("LiveStep.exit", code) }),
  /** Dies of a signal that it sends to itself. */
  signal: (signal: SignalName): LiveStep => ({ type: "signal", signal: signalOf("LiveStep.signal", signal) }),
  /** The turn never ends by itself; an interrupt ends it. */
  hang: (): LiveStep => ({ type: "hang" })
} as const
