/** The instructions of the player, as plain data: the script of a fake CLI without a vendor. Types only, the player needs no more. */

import type { SignalName } from "./Steps.ts"

/** Values that are known only when a fake CLI starts are blanks in its lines, and filled in then; pure. */

export const blanks = {
  sessionId: "@@reins:session-id@@",
  workingDirectory: "@@reins:working-directory@@",
  prompt: "@@reins:prompt@@",
  permissionMode: "@@reins:permission-mode@@"
} as const

type Filling = Readonly<Record<keyof typeof blanks, string>>

/** Inside the strings of JSON, that is. */
export const fillBlanks = (text: string, filling: Filling): string => {
  const names = Object.keys(blanks) as ReadonlyArray<keyof Filling> // its own keys
  return names.reduce(
    (filled, name) => filled.replaceAll(blanks[name], () => JSON.stringify(filling[name]).slice(1, -1)),
    text
  )
}

/** The arguments by which a start names its session: a real CLI takes that id, and says it. */
export interface SessionArguments {
  /** A new session of this name. */
  readonly named: ReadonlyArray<string>
  /** An older session goes on. */
  readonly resumed: ReadonlyArray<string>
  /** It goes on under a new id. */
  readonly forked: ReadonlyArray<string>
}

export type Instruction =
  /** `fill`: its blanks are filled in; see `blanks.ts`. */
  | { readonly do: "print"; readonly text: string; readonly fill: boolean }
  | { readonly do: "warn"; readonly text: string }
  | { readonly do: "wait"; readonly ms: number }
  /** Until so long after the start of the process. */
  | { readonly do: "waitUntil"; readonly ms: number }
  | { readonly do: "exit"; readonly code: number }
  | { readonly do: "kill"; readonly signal: SignalName }
  | { readonly do: "hang" }
  | { readonly do: "closeStdout" }
  | StartProcess
  | ExpectStdin

export interface StartProcess {
  readonly do: "startProcess"
  readonly ownSession: boolean
  readonly holdsStdout: boolean
  readonly deaf: boolean
}

export interface ExpectStdin {
  readonly do: "expectStdin"
  readonly text?: string
  /** Source and flags of a regular expression. */
  readonly pattern?: string
  readonly flags?: string
}

/** All that one start needs to know. */
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
  /** `first`: nothing is done before stdin has ended, as with the real CLIs. `meanwhile`: it is read all the same. */
  readonly stdin: "first" | "meanwhile"
  readonly instructions: ReadonlyArray<Instruction>
  /** An argument with which the CLI holds a live session; absent where every start is one. */
  readonly liveArgument?: string
  /** It holds a live session instead: by which program, and what that does in each turn. */
  readonly live?: { readonly peer: string; readonly scripts: ReadonlyArray<ReadonlyArray<unknown>> }
}

/** The same for a CLI whose command is not known yet. */
export type UnnamedPerformance = Omit<Performance, "command">
