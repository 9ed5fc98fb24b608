/** One step of a campaign: plain data, so that it can be printed, given to a child host and repeated. */
import type { CliId } from "../../src/agents/Agents.ts"
import type { Edit } from "../../test/system/settings/edits.ts"
import type { Disturbance } from "./disturbances.ts"

/** When something happens: so long after the run was asked for, after its program had started, or at its nth event. */
export type Moment =
  | { readonly after: "asked"; readonly ms: number }
  | { readonly after: "start"; readonly ms: number }
  | { readonly after: "event"; readonly nth: number }

/** The child processes of the program: `daemon` is adopted by init, `forks` starts processes all the time, `chats` prints. */
export interface Tool {
  readonly is: "sleeper" | "daemon" | "forks" | "chats"
  readonly session: boolean
  readonly deaf: boolean
  readonly holds: ReadonlyArray<"stdout" | "stderr">
  /** Without any variable, the run's mark included. */
  readonly bare: boolean
}

/** A line that no recording has, before the line `at`. */
export interface OddLine {
  readonly at: number
  readonly is: "foreign" | "blank" | "prefixed" | "oversize" | "unknown"
}

export interface Flood {
  readonly at: number
  readonly pipe: "stdout" | "stderr"
  readonly kilobytes: number
}

export type End =
  | { readonly is: "exits"; readonly code: number; readonly afterMs: number }
  | { readonly is: "dies"; readonly signal: "SIGKILL" | "SIGALRM" }
  | { readonly is: "stays" }
  | { readonly is: "stops" }

/** A stand-in for the CLI: replays what it really printed, and misbehaves. */
export interface Program {
  readonly recording: string
  readonly lines: number
  /** The last of all, its end, is the first that is missing. */
  readonly forgets: boolean
  /** Then the first half of the next one. */
  readonly half: boolean
  /** Before its first line. */
  readonly silentMs: number
  /** Between its lines. */
  readonly pauseMs: number
  /** Bytes that it prints at a time. */
  readonly piece: number
  readonly odd: ReadonlyArray<OddLine>
  readonly flood: Flood | null
  readonly stdin: "read" | "late" | "never" | "closed"
  readonly tools: ReadonlyArray<Tool>
  readonly signals:
    | { readonly are: "obeyed" }
    | { readonly are: "deaf" }
    | { readonly are: "slow"; readonly ms: number; readonly code: number }
  readonly closesStdout: boolean
  readonly complains: boolean
  readonly end: End
}

/** A cause that makes a run fail before anything is started. */
export type Broken = "command" | "not executable" | "directory" | "option" | "argument" | "long argument" | "record"

/** The consumer of the events: of all, or of a number of them; with a pause after some. */
export interface Consumer {
  readonly takes: number | "all"
  readonly pause: { readonly after: number; readonly ms: number } | null
}

/** The end of one run from outside; `leave`: its fiber is interrupted, or its iterator is closed while it waits. */
export type Fault =
  | { readonly is: "abort" | "leave"; readonly at: Moment }
  | { readonly is: "aborted before" }
  | { readonly is: "signal"; readonly signal: "SIGKILL" | "SIGTERM" | "SIGSTOP" | "SIGINT"; readonly at: Moment }
  | { readonly is: "total"; readonly ms: number }
  | { readonly is: "broken"; readonly what: Broken }

export interface RunPlan {
  readonly program: Program
  /** By `run`, or by `execute` with this consumer. */
  readonly consumer: Consumer | null
  readonly promptBytes: number
  readonly systemPromptBytes: number
  readonly mcpServers: number
  /** On the one session that all such runs of a scenario go on with: one after the other. */
  readonly resumes: boolean
  readonly records: boolean
  /** The one budget that a silent program must run into. */
  readonly budgetMs: number
  readonly fault: Fault | null
}

/** The fate of the host of the runs, if it is not this process; one that lives has to exit by itself. */
export interface Fate {
  readonly how:
    | "lives"
    | "SIGKILL"
    | "SIGTERM"
    | "SIGINT"
    | "SIGHUP"
    | "exit"
    | "throw"
    | "reject"
    | "closes on SIGTERM"
  /** Parameters of the first run. */
  readonly at: Moment
  /** So long a run of another host goes on in the same directory, from the moment in which this one is there. */
  readonly neighbourMs: number | null
  /** The user edits his settings after it. */
  readonly edit: Edit | null
  readonly recovery: "doctor" | "next run"
  /** Time of this host. */
  readonly disturbances: ReadonlyArray<Disturbance>
}

export interface Scenario {
  readonly cli: CliId
  readonly door: "effect" | "promise"
  readonly killGraceMs: number
  /** Only of a child host: all runs of a process are counted. */
  readonly limits: { readonly perCli?: number; readonly staggerMs?: number; readonly maxWaitMs?: number } | null
  readonly runs: readonly [RunPlan, ...ReadonlyArray<RunPlan>]
  /** The user's settings file, by the name of a text; only where the CLI has one. */
  readonly settings: string | null
  readonly edit: { readonly at: Moment; readonly edit: Edit } | null
  /** Closes the agent, or the scope of its layer, while the runs go on. */
  readonly close: Moment | null
  readonly fate: Fate | null
}
