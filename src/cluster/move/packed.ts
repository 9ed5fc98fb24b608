/** A session as it goes from one home to another: the files of its CLI, within limits; and what cannot be moved. */
import { Schema } from "effect"

/** The CLIs whose sessions can be moved. */
export const movableClis = ["claude", "codex", "opencode"] as const
export type MovableCli = (typeof movableClis)[number]

export const isMovable = (cli: string): cli is MovableCli => movableClis.some((known) => known === cli)

/** Limits of one session. */
export const limits = { totalBytes: 64 * 1024 * 1024, files: 64, pathLength: 1024, directoryLength: 4096 } as const

/** By which a home finds the CLIs and their sessions. */
export interface CliPlace {
  /** Environment of the CLIs: it says where they keep their sessions. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The command of OpenCode. Default: `opencode`. */
  readonly opencode?: string | undefined
}

export interface PackedFile {
  /** From the root of the CLI's own files on, with `/`. */
  readonly path: string
  readonly bytes: Uint8Array
}

export interface Packed {
  readonly cli: MovableCli
  readonly sessionId: string
  /** Its working directory at the home that it comes from. */
  readonly directory: string
  readonly title?: string | undefined
  readonly model?: string | undefined
  readonly files: ReadonlyArray<PackedFile>
}

/** A session cannot be packed, or cannot be unpacked: nothing of it is left behind, and it stays where it was. */
export class NotMoved extends Schema.TaggedError<NotMoved>()("NotMoved", {
  /** A sentence for people, without anything that came from the session. */
  problem: Schema.String
}) {
  override get message() {
    return this.problem
  }
}

export const notMoved = (problem: string) => new NotMoved({ problem })
