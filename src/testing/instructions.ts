/** The instructions of the player, as plain data: the script of a fake CLI without a vendor. */
import type { ActStep, SignalName } from "./Steps.ts"

/** Blanks in lines, for values that are known only when a fake CLI starts. */
export const blanks = {
  sessionId: "@@reins:session-id@@",
  workingDirectory: "@@reins:working-directory@@",
  prompt: "@@reins:prompt@@",
  permissionMode: "@@reins:permission-mode@@"
} as const

type Filling = Readonly<Record<keyof typeof blanks, string>>

/** Fills blanks inside JSON strings. */
export const fillBlanks = (text: string, filling: Filling): string => {
  const names = Object.keys(blanks) as ReadonlyArray<keyof Filling> // its own keys
  return names.reduce(
    (filled, name) => filled.replaceAll(blanks[name], () => JSON.stringify(filling[name]).slice(1, -1)),
    text
  )
}

/** Arguments that name the session of a start: a real CLI uses and reports that id. */
export interface SessionArguments {
  /** A new session of this id. */
  readonly named: ReadonlyArray<string>
  /** An older session to resume. */
  readonly resumed: ReadonlyArray<string>
  /** A flag that forks it under a new id. */
  readonly forked: ReadonlyArray<string>
}

export type Instruction =
  /** `fill`: fills its `blanks`. */
  | { readonly do: "print"; readonly text: string; readonly fill: boolean }
  | { readonly do: "warn"; readonly text: string }
  | { readonly do: "wait"; readonly ms: number }
  /** Waits until so long after the start of the process. */
  | { readonly do: "waitUntil"; readonly ms: number }
  | { readonly do: "exit"; readonly code: number }
  | { readonly do: "kill"; readonly signal: SignalName }
  | { readonly do: "hang" }
  | { readonly do: "closeStdout" }
  | StartProcess
  | ExpectStdin

type FieldsOf<Type extends ActStep["type"]> = Omit<Extract<ActStep, { readonly type: Type }>, "type">
export type StartProcess = { readonly do: "startProcess" } & FieldsOf<"process">
/** `pattern` and `flags`: of a regular expression. */
export type ExpectStdin = { readonly do: "expectStdin" } & FieldsOf<"expectStdin">

export interface Performance {
  /** The name of the command, for messages. */
  readonly command: string
  /** Default session id, unless the arguments name another. */
  readonly sessionId: string
  readonly sessionArguments: SessionArguments
  /** The argument whose permission mode it reports: without it, `default`. */
  readonly modeArgument?: string
  /** SIGTERM, SIGINT and SIGHUP are ignored from the start on. */
  readonly deaf: boolean
  /** `first`: does nothing before stdin has ended, as the real CLIs. `meanwhile`: reads it all the same. */
  readonly stdin: "first" | "meanwhile"
  readonly instructions: ReadonlyArray<Instruction>
  /** An argument with which the CLI holds a live session; absent where every start is one. */
  readonly liveArgument?: string
  /** A live session instead: its program, and the steps of each turn. */
  readonly live?: { readonly peer: string; readonly scripts: ReadonlyArray<ReadonlyArray<unknown>> }
}

/** The same, before the command is known. */
export type UnnamedPerformance = Omit<Performance, "command">
