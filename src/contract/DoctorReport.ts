/** The report of `doctor`: the installed CLIs, whether they can be used, and remedies. Only types. */
import type { MaybeSecret } from "./Redacted.ts"

/**
 * `tested`: the version this package was tested with; `good`: known to work; `newer` than the tested one. Errors:
 * `older` than the oldest known to work, `broken` (reports no version), `missing`.
 */
export type CliStanding = "tested" | "good" | "newer" | "older" | "broken" | "missing"

/** A problem or a warning, and its remedy. */
export interface DoctorProblem {
  /** The id of a CLI, `node`, `platform`, `settings` or `store`. */
  readonly about: string
  /** An `error` makes the CLI, or all, unusable. */
  readonly severity: "error" | "warning"
  /** A sentence for people. */
  readonly problem: string
  /** The remedy; a sentence for people. Absent if nothing can be done. */
  readonly cure?: string
}

/** One CLI on this machine, as far as it can be examined without asking a model. */
export interface AgentReport {
  /** Its id, such as `claude`. */
  readonly agent: string
  /** The program that was searched for. */
  readonly command: string
  /** Whether it is installed, and its version in comparison with those that are known to work. */
  readonly status: CliStanding
  /** Absolute path of the program. */
  readonly path?: string
  /** As the program reports it. */
  readonly version?: string
  /** Its problem, as the rest of a sentence about it. */
  readonly problem?: string
  /** The version that this package was tested with. */
  readonly testedVersion: string
  /** The oldest version that is known to work. */
  readonly oldestVersion?: string
  /** The command that installs it. */
  readonly install: string
  /** Other commands of its makers that install it. */
  readonly otherInstalls?: ReadonlyArray<string>
  /** How to sign in. */
  readonly signIn: string
  /** Absent where that is unknown without asking a model. */
  readonly signedIn?: boolean
  /** The source of its credentials: the name of a variable, or `account`. */
  readonly credentials?: string
  /** The way of paying, where the CLI or its environment reports it. */
  readonly billing?: "subscription" | "api-key"
}

/** A settings file that a killed run left changed. */
export interface SettingsReport {
  /** Absolute path. */
  readonly file: string
  /** Whether it was restored now. */
  readonly isRestored: boolean
  /** Running runs that need the file as it is. */
  readonly activeRuns: number
  /** The file is not valid JSON now; it is restored by a later run, once it is. */
  readonly isPending: boolean
}

/** The store of conversations, as far as it can be examined without changing it. */
export interface StoreReport {
  /** The kind of its database. */
  readonly kind: "file" | "postgres"
  /** The path of its file, or the host, port and database of its server. */
  readonly place: string
  /** `absent`: it does not exist yet. `newer`: of a newer version of this package. `unusable`: `problem` says why. */
  readonly status: "good" | "absent" | "damaged" | "newer" | "unusable"
  /** The number of its schema. */
  readonly schema?: number
  /** The newest schema that this version knows. */
  readonly supported: number
  /** Its database with its version, such as `SQLite 3.51.0`. */
  readonly database?: string
  /** How changes are written: `wal`, unless it was changed by hand. For files only. */
  readonly journal?: string
  /** The size of its file. */
  readonly bytes?: number
  /** The size of the log beside it, whose changes are not in the file yet. */
  readonly logBytes?: number
  /** How many sessions it has. */
  readonly sessions?: number
  /** Whether locks of its file system work. */
  readonly locks?: boolean
  /** Damaged files that were moved aside, beside it; they have no effect. */
  readonly movedAside: ReadonlyArray<string>
  /** Its problem: a sentence, or the rest of one about it. */
  readonly problem?: string
  /** The remedy. */
  readonly cure?: string
}

/** The findings of `doctor`. */
export interface DoctorReport {
  /** The Node that runs this. */
  readonly node: { readonly version: string; readonly required: string; readonly ok: boolean }
  /** The examined CLIs, in the requested order. */
  readonly agents: ReadonlyArray<AgentReport>
  /** Guarantees that do not hold on this platform; a sentence for people. Absent on Linux. */
  readonly notGuaranteed?: string
  /**
   * Whether processes that lost their parent leave the process table when they end: not so in a container without an init.
   * Absent where that cannot be seen.
   */
  readonly orphansReaped?: boolean
  /** The settings files of the working directory that CLIs share with runs. */
  readonly settings: ReadonlyArray<SettingsReport>
  /** Files beside them from an older version or another program; they have no effect. */
  readonly oldJournals: ReadonlyArray<string>
  /** The store of conversations; runs without a conversation do not need it. */
  readonly store: StoreReport
  /** The ids of the CLIs that cannot be used, and `node`; empty if all requested ones can be. */
  readonly failed: ReadonlyArray<string>
  /** All problems and warnings, each with its remedy. */
  readonly problems: ReadonlyArray<DoctorProblem>
}

/** Options of `doctor`. */
export interface DoctorOptions {
  /** Ids of the CLIs to examine. Default: all. */
  readonly agents?: ReadonlyArray<"claude" | "gemini" | "codex" | "opencode" | "pi">
  /** The directory whose settings files are examined, and restored where a killed run left them changed. Default: that of the host. */
  readonly workingDirectory?: string
  /** The store of conversations to examine. Default: that of the user's state directory. */
  readonly store?: { readonly directory?: string | undefined; readonly postgres?: MaybeSecret | undefined }
}
