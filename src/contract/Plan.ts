/**
 * How the process of a run or a live session is to be started: inert data, made by a CLI of the params, to be looked at
 * without a process.
 */

/**
 * The variable that marks every process of a run. A CLI that keeps its variables from what it starts must be told to
 * pass this one on: what lacks the mark can outlive the run.
 */
export const runMarker = "REINS_RUN"

/** One argument of the command line, with the name of the option it comes from. */
export interface Argument {
  readonly option: string
  readonly text: string
}

/** Where a run will take place, for plans that must name it. */
export interface PlanContext {
  /** The environment of the process but for what the plan adds. */
  readonly env: Readonly<Record<string, string>>
  /** Absolute. */
  readonly workingDirectory: string
  /** Absolute; made for this run alone when the plan has files for it, and gone after it. */
  readonly privateDirectory: string
}

/** Long or secret text: a file in the private directory that only its owner can read. */
export interface PlanFile {
  /** Without a slash. */
  readonly name: string
  readonly content: string
}

/** Objects to be merged into a JSON file below the working directory, which is given back as it was. */
export interface SettingsPatch {
  /** The names from the working directory to the file: `[".agent", "settings.json"]`. */
  readonly path: ReadonlyArray<string>
  readonly patch: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** How to start the process: inert data, to be looked at without one. */
export interface Plan {
  readonly args: ReadonlyArray<Argument>
  readonly files: ReadonlyArray<PlanFile>
  /** Names of empty directories to be made in the private directory. */
  readonly directories?: ReadonlyArray<string>
  /** A settings file of the working directory that has to say more while the CLI reads it. */
  readonly settings?: SettingsPatch
  /** Of a run: written at once, then stdin is closed. That of a live session stays open. */
  readonly stdin?: string
  /** What this CLI needs in its environment. It wins: the plan has seen all the rest in its context. */
  readonly env: Readonly<Record<string, string>>
}
