/** The arguments, environment and input of one start of a fake CLI. */
export interface CliCall {
  readonly arguments: ReadonlyArray<string>
  /** All of it; undefined until it has ended. */
  readonly stdin: string | undefined
  /**
   * As the process has it, secrets included; the shell that starts it may have added `PWD`. It is on disk, for the owner
   * alone, until the fake is removed.
   */
  readonly environment: Readonly<Record<string, string>>
  readonly workingDirectory: string
  readonly pid: number
  /** Milliseconds since 1970. */
  readonly startedAtMs: number
  /** The pids of its `process` steps, so far. */
  readonly processes: ReadonlyArray<number>
}
