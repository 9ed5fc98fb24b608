/** How to start the process of a run or a live session: inert data, testable without a process. */
import type { LoadedAttachment } from "./Attachment.ts"

/**
 * Marks every process of a run. A CLI that filters the environment of its child processes has to pass this variable on:
 * a process without it can outlive the run.
 */
export const runMarker = "REINS_RUN"

/** Facts of a CLI that decide which program is started, and which environment variables it gets. */
export interface ProgramFacts {
  /**
   * Possible paths of the real program behind the real path of a command; the first that exists is started. Platform
   * and architecture are those of Node's `process`.
   */
  readonly nativeCommands?: (wrapper: string, platform: string, arch: string) => ReadonlyArray<string>
  /** Variables by which a session of this CLI marks its child processes: they are removed. Default: none. */
  readonly sessionMarkers: ReadonlyArray<string>
  /** Variables that make the CLI pay by API key: `billing: "subscription"` removes them. Default: none. */
  readonly apiKeys: ReadonlyArray<string>
  /** Other variables that the CLI reads; the default allow-list of the environment includes them. */
  readonly variables?: ReadonlyArray<string>
}

/** One argument of the command line, with the name of the option it comes from. */
export interface Argument {
  /** The name of the option. */
  readonly option: string
  /** The argument itself. */
  readonly text: string
}

/** The facts of a run that a plan depends on. */
export interface PlanContext {
  /** The environment of the process, without the variables of the plan. */
  readonly env: Readonly<Record<string, string>>
  /** Absolute path. */
  readonly workingDirectory: string
  /** Absolute path; created for this run if the plan has files for it, and removed after it. */
  readonly privateDirectory: string
  /** The run's `attachments`, read and checked; each is of a kind in the CLI's `attachments`. Default: none. */
  readonly attachments?: ReadonlyArray<LoadedAttachment>
}

/** Long or secret text: a file in the private directory that only its owner can read. */
export interface PlanFile {
  /** Plain name, or one in a directory of the plan: `context/AGENTS.md`. */
  readonly name: string
  /** Its text. */
  readonly content: string
}

/** Objects to merge into a JSON file below the working directory, which is restored afterwards. */
export interface SettingsPatch {
  /** The names from the working directory to the file: `[".agent", "settings.json"]`. */
  readonly path: ReadonlyArray<string>
  /** The objects, by their keys at the top of the file. */
  readonly patch: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /**
   * The beginning of a warning, such as "Sessions may be lost": if the file cannot be changed, the run continues, and
   * the problem follows this text. Default: it fails.
   */
  readonly otherwise?: string
}

/** How to start a process: inert data. */
export interface Plan {
  /** Arguments of the command line. */
  readonly args: ReadonlyArray<Argument>
  /** Files to create in the private directory. */
  readonly files: ReadonlyArray<PlanFile>
  /** Names of empty directories to create in the private directory. */
  readonly directories?: ReadonlyArray<string>
  /** Name of a directory to create in the private directory, with the attachments in it, each by its `fileName`. */
  readonly attachmentDirectory?: string
  /** A settings file of the working directory to extend while the CLI reads it. */
  readonly settings?: SettingsPatch
  /** For a run: text for stdin, which is closed afterwards. The stdin of a live session stays open. */
  readonly stdin?: string
  /** Variables that this CLI needs. They override all others: the plan has seen those in its context. */
  readonly env: Readonly<Record<string, string>>
}

/** Where a CLI exports its spans to. */
export interface TelemetryTarget {
  /** URL without a path for each signal, and without credentials. */
  readonly endpoint: string
  /** URL for spans, where the protocol is HTTP. */
  readonly traces: string
  /** The protocol of OTLP. */
  readonly protocol: "grpc" | "http/json" | "http/protobuf"
  /** Its spans may have prompts and outputs. */
  readonly content: boolean
}

/** Variables and arguments that make a CLI export its spans. */
export interface CliTelemetry {
  /** Variables that do not override the caller's. */
  readonly env?: Readonly<Record<string, string>>
  /** Arguments before all others of the CLI. */
  readonly args?: ReadonlyArray<Argument>
}
