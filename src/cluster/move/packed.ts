/** A session on its way from one home to another: the files of its CLI, within limits. */
import { Schema } from "effect"

export const movableClis = ["claude", "codex", "opencode"] as const
export type MovableCli = (typeof movableClis)[number]
export const isMovable = (cli: string): cli is MovableCli => movableClis.some((known) => known === cli)

export const limits = { totalBytes: 64 * 1024 * 1024, files: 64, pathLength: 1024, directoryLength: 4096 } as const

export interface CliPlace {
  /** Environment of the CLIs, which names the places of their sessions. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The command of OpenCode. Default: `opencode`. */
  readonly opencode?: string | undefined
}

export interface PackedFile {
  /** Relative to the root of the CLI's files, with `/`. */
  readonly path: string
  readonly bytes: Uint8Array
}

export interface Packed {
  readonly cli: MovableCli
  readonly sessionId: string
  /** The working directory at the old home. */
  readonly directory: string
  readonly title?: string | undefined
  readonly model?: string | undefined
  readonly files: ReadonlyArray<PackedFile>
}

/** A session cannot be packed or unpacked: it stays at its old home, and nothing is left behind. */
export class NotMoved extends Schema.TaggedError<NotMoved>()("NotMoved", {
  /** A sentence for people, without anything that came from the session. */
  problem: Schema.String
}) {
  override get message() {
    return this.problem
  }
}

export const notMoved = (problem: string) => new NotMoved({ problem })
