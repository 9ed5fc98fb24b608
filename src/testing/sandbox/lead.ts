/** How a CLI is led to a scripted server: where that is, and the variables and files that do it. Types alone. */

/** The environment and files of one CLI. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string>>
  /** Contents by path, from the home directory on. */
  readonly files: Readonly<Record<string, string>>
}

export interface Lead {
  /** Of the scripted server, without a path. */
  readonly url: string
  /** How often the CLI repeats a request that failed. OpenCode cannot be told. */
  readonly retries: number
  readonly key: string
}
